//! Closes a connection whose client may still be sending.

use std::{
    future::Future,
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use tokio::{
    io::{AsyncRead, ReadBuf},
    time::{Sleep, sleep},
};

/// The most bytes that the service reads of a request after it has answered. A client that
/// sends everything before it reads thus still gets the answer: closing a socket with unread
/// bytes resets the connection, and some clients then lose what they had received (RFC 9112
/// section 9.6). The limit covers an import that is a little too large.
const MOST_BYTES: usize = 24 << 20;

/// The time that the client has for that.
const MOST_TIME: Duration = Duration::from_secs(2);

/// Reads and discards what the client still sends, within limits.
pub(super) struct LingeringClose {
    bytes_left: usize,
    timer: Pin<Box<Sleep>>,
}

impl LingeringClose {
    pub(super) fn new() -> Self {
        Self {
            bytes_left: MOST_BYTES,
            timer: Box::pin(sleep(MOST_TIME)),
        }
    }

    /// Ready when the client has closed its side too, or a limit is reached.
    pub(super) fn poll(
        &mut self,
        io: &mut TcpStream,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut space = [0; 16 << 10];
        while self.bytes_left > 0 {
            let mut read = ReadBuf::new(&mut space);
            match Pin::new(&mut *io).poll_read(context, &mut read) {
                Poll::Ready(Ok(())) if !read.filled().is_empty() => {
                    self.bytes_left = self.bytes_left.saturating_sub(read.filled().len());
                }
                Poll::Ready(_) => return Poll::Ready(Ok(())),
                Poll::Pending => return self.timer.as_mut().poll(context).map(Ok),
            }
        }
        Poll::Ready(Ok(()))
    }
}
