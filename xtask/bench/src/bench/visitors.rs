//! Sends visits at a rate that keeps a cheap server busy: one thread, epoll(7), and little work for each answer.

use std::{
    io::{ErrorKind, Read, Write},
    net::{SocketAddr, TcpStream},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use rustix::{
    event::epoll::{self, CreateFlags, Event, EventData, EventFlags},
    thread::{CpuSet, sched_setaffinity},
};

use super::{cpus::Cpus, visits::Visits};

/// The visits that were answered.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Answered {
    pub(crate) requests: f64,
    /// Seconds from the first request to the last answer.
    pub(crate) seconds: f64,
}

/// Sends visits for some seconds over connections that stay open. An unexpected status, a closed
/// connection and half a minute of silence are errors.
pub(crate) fn send(
    visits: &Visits,
    address: SocketAddr,
    connections: u32,
    time: Duration,
    answers: Answers,
    cpus: Cpus,
) -> Result<Answered> {
    let work = || {
        if let Cpus::Apart { load, .. } = cpus {
            let mut cpu = CpuSet::new();
            cpu.set(usize::try_from(load)?);
            sched_setaffinity(None, &cpu)?;
        }
        Visitors::connect(visits, address, connections, answers)?.run(time)
    };
    thread::scope(|scope| scope.spawn(work).join()).expect("the load does not panic")
}

/// The expected statuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// All below 400.
    Good,
    /// All 400 and above.
    Refusals,
}

struct Visitors<'v> {
    visits: &'v Visits,
    answers: Answers,
    tail: String,
    connections: Vec<Connection>,
    /// The connections that wait for no answer, by number.
    idle: Vec<usize>,
    sent: usize,
    answered: u32,
}

struct Connection {
    stream: TcpStream,
    /// The part of an answer that has arrived.
    arrived: Vec<u8>,
}

impl<'v> Visitors<'v> {
    fn connect(
        visits: &'v Visits,
        address: SocketAddr,
        connections: u32,
        answers: Answers,
    ) -> Result<Self> {
        let connect = |_| {
            let stream = TcpStream::connect(address)?;
            stream.set_nonblocking(true)?;
            stream.set_nodelay(true)?;
            let arrived = Vec::new();
            anyhow::Ok(Connection { stream, arrived })
        };
        let connections: Vec<_> = (0..connections).map(connect).collect::<Result<_>>()?;
        Ok(Self {
            visits,
            answers,
            tail: visits.tail(&address.to_string()),
            idle: (0..connections.len()).collect(),
            connections,
            sent: 0,
            answered: 0,
        })
    }

    fn run(mut self, time: Duration) -> Result<Answered> {
        const SILENCE: Duration = Duration::from_secs(30);
        let poll = epoll::create(CreateFlags::CLOEXEC)?;
        for (number, connection) in self.connections.iter().enumerate() {
            let mark = EventData::new_u64(u64::try_from(number)?);
            epoll::add(&poll, &connection.stream, mark, EventFlags::IN)?;
        }
        let mut events: Vec<Event> = Vec::with_capacity(self.connections.len());
        let began = Instant::now();
        let mut last = began;
        loop {
            self.ask(began.elapsed())?;
            let wait = self.visits.pace.unwrap_or(SILENCE).try_into()?;
            events.clear();
            epoll::wait(
                &poll,
                rustix::buffer::spare_capacity(&mut events),
                Some(&wait),
            )?;
            let now = Instant::now();
            for event in &events {
                self.read(usize::try_from(event.data.u64())?)?;
                last = now;
            }
            ensure!(now - last < SILENCE, "the server is silent");
            if now - began >= time {
                return Ok(Answered {
                    requests: self.answered.into(),
                    seconds: (now - began).as_secs_f64(),
                });
            }
        }
    }

    /// Sends as many requests as the pace admits, over connections that wait for no answer.
    fn ask(&mut self, elapsed: Duration) -> Result<()> {
        let due = match self.visits.pace {
            Some(pace) => usize::try_from(elapsed.as_micros() / pace.as_micros())?,
            None => usize::MAX,
        };
        let mut request = Vec::with_capacity(1_024);
        while self.sent < due
            && let Some(number) = self.idle.pop()
        {
            request.clear();
            request.extend_from_slice(b"GET /");
            request.extend_from_slice(self.visits.slug(self.sent).as_bytes());
            request.extend_from_slice(self.tail.as_bytes());
            self.connections[number].stream.write_all(&request)?;
            self.sent += 1;
        }
        Ok(())
    }

    fn read(&mut self, number: usize) -> Result<()> {
        let connection = &mut self.connections[number];
        let mut bytes = [0; 4_096];
        let length = match connection.stream.read(&mut bytes) {
            Ok(0) => bail!("the server closed a connection"),
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let whole = if connection.arrived.is_empty() {
            &bytes[..length]
        } else {
            connection.arrived.extend_from_slice(&bytes[..length]);
            &connection.arrived
        };
        let Some((status, end)) = answer(whole)? else {
            if connection.arrived.is_empty() {
                connection.arrived.extend_from_slice(&bytes[..length]);
            }
            return Ok(());
        };
        ensure!(end == whole.len(), "the server sent more than an answer");
        ensure!(
            (status < 400) == (self.answers == Answers::Good),
            "the server answered a visit with {status}"
        );
        connection.arrived.clear();
        self.answered += 1;
        self.idle.push(number);
        Ok(())
    }
}

/// The status and the length of an answer, if it is whole.
fn answer(bytes: &[u8]) -> Result<Option<(u16, usize)>> {
    let mut headers = [httparse::EMPTY_HEADER; 32];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(end) = head.parse(bytes)? else {
        return Ok(None);
    };
    let length = head
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.context("an answer without Content-Length")?.value;
    let body: usize = str::from_utf8(length)?.parse()?;
    let status = head.code.context("an answer without a status")?;
    Ok((bytes.len() >= end + body).then_some((status, end + body)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_is_whole_with_its_body() {
        let bytes = b"HTTP/1.1 404 Not Found\r\ncontent-length: 3\r\n\r\nabc";
        assert_eq!(answer(bytes).unwrap(), Some((404, bytes.len())));
        for end in 0..bytes.len() {
            assert_eq!(answer(&bytes[..end]).unwrap(), None, "{end}");
        }
        answer(b"HTTP/1.1 200 OK\r\n\r\n").unwrap_err();
    }
}
