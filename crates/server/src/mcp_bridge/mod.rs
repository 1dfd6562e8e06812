//! `slugline mcp`: forwards MCP from standard input and output to a running instance over HTTP.
//!
//! It serves clients that can only start programs. Each line is one message in both directions;
//! standard output carries nothing else, and texts for people go to standard error. The bridge
//! forwards each message separately, so a slow one does not delay others, and answers come in
//! the order in which they are ready. The bridge supports both generations: of a message it
//! only reads what it needs to set the headers.

mod upstream;

use std::{
    io::{self, BufRead, Write},
    sync::Arc,
};

use tokio::{
    sync::{Semaphore, mpsc},
    task::JoinSet,
};
pub(crate) use upstream::Upstream;

/// Messages that the bridge forwards concurrently. Others wait in the pipe.
const CONCURRENT: usize = 32;

/// Forwards messages until the input ends and all are answered, or until the client closes the
/// output.
///
/// # Errors
/// The answers cannot be written.
pub(crate) async fn run(upstream: Upstream) -> anyhow::Result<()> {
    let upstream = Arc::new(upstream);
    let permits = Arc::new(Semaphore::new(CONCURRENT));
    let (answered, answers) = mpsc::channel::<String>(CONCURRENT);
    let writing = tokio::task::spawn_blocking(move || write(answers));
    let mut lines = read();
    let mut passing = JoinSet::new();
    while let Some(line) = lines.recv().await {
        let permit = Arc::clone(&permits).acquire_owned().await?;
        let (upstream, answer) = (Arc::clone(&upstream), answered.clone());
        passing.spawn(async move {
            if let Some(text) = upstream.pass_on(&line).await {
                // If sending fails, the client has closed the output and needs no answer.
                let _ = answer.send(text).await;
            }
            drop(permit);
        });
        while passing.try_join_next().is_some() {}
        if answered.is_closed() {
            break;
        }
    }
    passing.join_all().await;
    drop(answered);
    match writing.await? {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The lines of the standard input, read by a separate thread: a task cannot wait for a
/// terminal or a pipe together with something else.
fn read() -> mpsc::Receiver<Vec<u8>> {
    let (send, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = io::stdin().lock();
        loop {
            let mut line = Vec::new();
            match input.read_until(b'\n', &mut line) {
                Ok(0) => break,
                Ok(_) if line.trim_ascii().is_empty() => {}
                Ok(_) => {
                    if send.blocking_send(line).is_err() {
                        break;
                    }
                }
                Err(error) => {
                    tracing::error!(%error, "the input cannot be read");
                    break;
                }
            }
        }
    });
    lines
}

fn write(mut answers: mpsc::Receiver<String>) -> io::Result<()> {
    let mut output = io::stdout().lock();
    while let Some(answer) = answers.blocking_recv() {
        output.write_all(answer.as_bytes())?;
        output.write_all(b"\n")?;
        output.flush()?;
    }
    Ok(())
}
