//! A third-party server, simulated by the test.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Answers every request with a function and records it, until the test ends.
pub(crate) struct Outsider {
    port: u16,
    heard: Arc<Mutex<Vec<Heard>>>,
}

/// A request it received.
#[derive(Clone, Debug)]
pub(crate) struct Heard {
    /// Method and path.
    pub(crate) line: String,
    /// Names are in lower case.
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Outsider {
    /// Starts a server that sends the head and body that the function returns.
    pub(crate) fn start(answer: impl Fn(&Heard) -> String + Send + Sync + 'static) -> Self {
        Self::start_with(move |heard, stream| {
            // The client may have closed the connection.
            let _ = stream.write_all(answer(heard).as_bytes());
        })
    }

    /// Starts a server whose pages are there while the flag is set, and 404 otherwise.
    pub(crate) fn there_while(works: &Arc<AtomicBool>) -> Self {
        let works = Arc::clone(works);
        Self::start(move |_| {
            let works = works.load(Ordering::Relaxed);
            answer(if works { "200 OK" } else { "404 Not Found" }, "")
        })
    }

    /// Starts a server that passes each connection to the function.
    pub(crate) fn start_with(
        treat: impl Fn(&Heard, &mut TcpStream) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::<Mutex<Vec<Heard>>>::default();
        let (log, treat) = (Arc::clone(&heard), Arc::new(treat));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (log, treat) = (Arc::clone(&log), Arc::clone(&treat));
                thread::spawn(move || {
                    let mut stream = stream.unwrap();
                    if let Some(heard) = hear(&stream) {
                        log.lock().unwrap().push(heard.clone());
                        treat(&heard, &mut stream);
                    }
                });
            }
        });
        Self { port, heard }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The requests so far.
    pub(crate) fn heard(&self) -> Vec<Heard> {
        self.heard.lock().unwrap().clone()
    }
}

impl Heard {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(given, _)| given == name);
        found.map(|(_, value)| value.as_str())
    }
}

/// A whole answer with this status line and body.
pub(crate) fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}

fn hear(stream: &TcpStream) -> Option<Heard> {
    let mut reader = BufReader::new(stream);
    let mut heard = Heard {
        line: line(&mut reader)?,
        headers: Vec::new(),
        body: Vec::new(),
    };
    loop {
        let header = line(&mut reader)?;
        let Some((name, value)) = header.split_once(':') else {
            break;
        };
        let pair = (name.to_ascii_lowercase(), value.trim().to_owned());
        heard.headers.push(pair);
    }
    if let Some(length) = heard.header("content-length") {
        heard.body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut heard.body).ok()?;
    } else if heard.header("transfer-encoding").is_some() {
        loop {
            let size = usize::from_str_radix(&line(&mut reader)?, 16).unwrap();
            let mut chunk = vec![0; size + 2];
            reader.read_exact(&mut chunk).ok()?;
            if size == 0 {
                break;
            }
            heard.body.extend_from_slice(&chunk[..size]);
        }
    }
    Some(heard)
}

/// The line without its line break; `None` at the end of the connection.
fn line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    let read = reader.read_line(&mut line).ok()?;
    (read > 0).then(|| line.trim_end().to_owned())
}
