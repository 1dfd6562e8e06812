//! Makes visits, a given number for each link.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    ops::Range,
    thread,
    time::Duration,
};

use anyhow::{Context, Result, bail};

use super::export;

/// Follows links of [`export`] once each, over several connections, because a connection sends
/// a batch only after the answers to the one before.
pub(crate) fn follow_all(address: SocketAddr, links: Range<u32>) -> Result<()> {
    const CONNECTIONS: usize = 16;
    const AT_ONCE: usize = 32;
    let share = |connection| {
        let slugs = links.clone().skip(connection).step_by(CONNECTIONS);
        Follower::connect(address)?.follow(slugs.map(export::slug), AT_ONCE)
    };
    thread::scope(|scope| {
        let share = &share;
        let followers: Vec<_> = (0..CONNECTIONS)
            .map(|connection| scope.spawn(move || share(connection)))
            .collect();
        let mut followers = followers.into_iter();
        followers.try_for_each(|follower| follower.join().expect("following does not panic"))
    })
}

/// A connection that follows links.
#[derive(Debug)]
pub(crate) struct Follower {
    stream: BufReader<TcpStream>,
}

impl Follower {
    pub(crate) fn connect(address: SocketAddr) -> Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        Ok(Self {
            stream: BufReader::new(stream),
        })
    }

    /// Follows links, with `at_once` concurrent requests. Any answer but a redirect is an
    /// error.
    pub(crate) fn follow(
        &mut self,
        slugs: impl IntoIterator<Item = String>,
        at_once: usize,
    ) -> Result<()> {
        let mut slugs = slugs.into_iter();
        loop {
            let batch: Vec<_> = slugs.by_ref().take(at_once).collect();
            if batch.is_empty() {
                return Ok(());
            }
            let mut requests = Vec::new();
            for slug in &batch {
                write!(
                    requests,
                    "GET /{slug} HTTP/1.1\r\nHost: bench.example\r\n\r\n"
                )?;
            }
            self.stream.get_mut().write_all(&requests)?;
            for slug in batch {
                let status = read_answer(&mut self.stream)?;
                if !status.starts_with('3') {
                    bail!("/{slug} was answered with {status}, which is no redirect");
                }
            }
        }
    }
}

/// Reads one complete answer and returns its status.
fn read_answer(stream: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let status = line.split_whitespace().nth(1).map(str::to_owned);
    let status = status.with_context(|| format!("a status line, not {line:?}"))?;
    let mut length = 0;
    loop {
        line.clear();
        if stream.read_line(&mut line)? == 0 {
            bail!("the answer ended in its headers");
        }
        if line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse()?;
        }
    }
    std::io::copy(&mut stream.take(length), &mut std::io::sink())?;
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart_by_their_lengths() {
        let mut stream = &b"HTTP/1.1 301 Moved Permanently\r\nContent-Length: 3\r\n\r\nabc\
            HTTP/1.1 404 Not Found\r\n\r\n"[..];
        assert_eq!(read_answer(&mut stream).unwrap(), "301");
        assert_eq!(read_answer(&mut stream).unwrap(), "404");
        assert!(read_answer(&mut stream).is_err());
    }

    #[test]
    fn answer_that_is_cut_off_is_an_error() {
        let mut stream = &b"HTTP/1.1 301 Moved Permanently\r\nContent-Length: 0\r\n"[..];
        assert!(read_answer(&mut stream).is_err());
    }
}
