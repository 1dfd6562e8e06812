//! `slugline mcp`: MCP over standard input and output, passed on to a running
//! instance over HTTP.
//!
//! For clients that only start programs. One message per line in both
//! directions; standard output carries nothing else, what is to be told to
//! people goes to standard error. Each message is passed on by itself, so slow
//! ones do not hold up others, and answers come in the order in which they are
//! ready. Both generations pass: the bridge knows no more of a message than
//! which headers go with it.

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

/// Messages that are passed on at the same time. Others wait in the pipe.
const CONCURRENT: usize = 32;

/// Passes messages on until the input ends and everything is answered, or until
/// nobody reads the answers.
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
                // Nobody reads any more: there is nothing left to do.
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

/// The lines of the standard input, from a thread of their own: there is no
/// way to wait for a terminal or a pipe together with something else.
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
