//! The floor of the machine: one thread, epoll(7), and the same answer to every request.
//!
//! Takes the address to listen on. Reads no more of a request than the empty line at its end.

use std::{
    collections::HashMap,
    env,
    error::Error,
    io::{self, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    os::fd::AsRawFd,
};

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};

/// As long as Slugline's answer to a visit.
const ANSWER: &[u8] = b"HTTP/1.1 301 Moved Permanently\r\n\
    content-length: 0\r\n\
    location: https://shop.example/p/0?campaign=summer\r\n\
    cache-control: private, max-age=90\r\n\
    date: Thu, 01 Jan 2026 00:00:00 GMT\r\n\r\n";

/// The listener's mark among the events; connections have the numbers of their sockets.
const LISTENER: u64 = u64::MAX;

fn main() -> Result<(), Box<dyn Error>> {
    let address = env::args().nth(1).ok_or("usage: epoll_constant ADDRESS")?;
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    let poll = epoll::create(CreateFlags::CLOEXEC)?;
    epoll::add(
        &poll,
        &listener,
        EventData::new_u64(LISTENER),
        EventFlags::IN,
    )?;
    let mut connections = HashMap::new();
    let mut events: Vec<Event> = Vec::with_capacity(256);
    loop {
        events.clear();
        epoll::wait(&poll, rustix::buffer::spare_capacity(&mut events), None)?;
        for event in &events {
            let mark = event.data.u64();
            if mark == LISTENER {
                let (connection, _) = listener.accept()?;
                connection.set_nonblocking(true)?;
                connection.set_nodelay(true)?;
                let mark = u64::try_from(connection.as_raw_fd())?;
                epoll::add(&poll, &connection, EventData::new_u64(mark), EventFlags::IN)?;
                connections.insert(mark, connection);
            } else if let Some(connection) = connections.get_mut(&mark)
                && !answer(connection)?
            {
                // Closing the socket takes it out of the poll.
                connections.remove(&mark);
            }
        }
    }
}

/// Answers the requests that have arrived; false if the client has closed the connection.
fn answer(connection: &mut TcpStream) -> io::Result<bool> {
    let mut bytes = [0; 4_096];
    let length = match connection.read(&mut bytes) {
        Ok(0) => return Ok(false),
        Ok(length) => length,
        Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(true),
        Err(error) if error.kind() == ErrorKind::ConnectionReset => return Ok(false),
        Err(error) => return Err(error),
    };
    // Each request of the load arrives in one piece.
    for _ in 0..bytes[..length]
        .windows(4)
        .filter(|end| end == b"\r\n\r\n")
        .count()
    {
        connection.write_all(ANSWER)?;
    }
    Ok(true)
}
