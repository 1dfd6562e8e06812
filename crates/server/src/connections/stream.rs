//! Watches the stream of a client's connection.

use std::{
    future::Future,
    io, mem,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll, ready},
    time::Duration,
};

use actix_web::rt::net::TcpStream;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Sleep, sleep},
};

use super::{
    admission::Admission, connection::Connection, lingering_close::LingeringClose,
    waiting_time::WaitingTime,
};
use crate::settings::ConnectionLimits;

/// Bytes of heads that the service reads before it sends the answers to them. Actix collects
/// the answers to all requests it has read in one buffer, so a client that sends many and reads
/// nothing could make the buffer grow.
const HEADS_AT_ONCE: usize = 8 << 10;

/// A connection that ends when its client exceeds the waiting time.
///
/// It has a timer only while a client does not take an answer, or has sent part of a head and
/// the service has answered everything else: redirects need no timer.
pub(super) struct WatchedStream {
    io: TcpStream,
    connection: Rc<Connection>,
    head_timeout: Duration,
    head_timer: Option<Pin<Box<Sleep>>>,
    /// The time that the client may still leave its answers unread.
    waiting_time: WaitingTime,
    blocked: bool,
    /// Actix wanted to read while the client was not taking its answers.
    reading_waits: bool,
    /// Bytes read since the service last had answered everything.
    read: usize,
    farewell: Option<LingeringClose>,
    /// Counts the connection until this is dropped.
    _admission: Admission,
}

impl WatchedStream {
    pub(super) fn new(io: TcpStream, limits: ConnectionLimits, admission: Admission) -> Self {
        Self {
            io,
            connection: Rc::new(Connection::new(limits.body_timeout)),
            head_timeout: limits.head_timeout,
            head_timer: None,
            waiting_time: WaitingTime::new(limits.answer_timeout),
            blocked: false,
            reading_waits: false,
            read: 0,
            farewell: None,
            _admission: admission,
        }
    }

    pub(super) fn connection(&self) -> &Rc<Connection> {
        &self.connection
    }

    /// Starts the timer for an incomplete head once all requests before it are answered.
    fn time_the_head(&mut self, context: &mut Context<'_>) {
        if !self.connection.is_at_a_later_head() {
            self.head_timer = None;
        } else if self.head_timer.is_none() {
            let mut timer = Box::pin(sleep(self.head_timeout));
            // This only registers the task; the time is not up yet.
            let _ = timer.as_mut().poll(context);
            self.head_timer = Some(timer);
        }
    }

    fn head_is_overdue(&mut self, context: &mut Context<'_>) -> bool {
        self.head_timer
            .as_mut()
            .is_some_and(|timer| timer.as_mut().poll(context).is_ready())
    }
}

impl AsyncRead for WatchedStream {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.connection.is_over() {
            return Poll::Ready(Ok(()));
        }
        if !this.connection.is_receiving_a_body() {
            if this.blocked {
                this.reading_waits = true;
                return Poll::Pending;
            }
            if this.read >= HEADS_AT_ONCE {
                context.waker().wake_by_ref();
                return Poll::Pending;
            }
        }
        let before = buffer.filled().len();
        let polled = Pin::new(&mut this.io).poll_read(context, buffer);
        let bytes = buffer.filled().len() - before;
        if bytes > 0 {
            this.read += bytes;
            this.connection.bytes_arrived();
        }
        if polled.is_pending() && this.head_is_overdue(context) {
            // Tells actix that the client has sent everything.
            return Poll::Ready(Ok(()));
        }
        polled
    }
}

impl AsyncWrite for WatchedStream {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut this.io).poll_write(context, bytes);
        match &polled {
            Poll::Pending => {
                this.blocked = true;
                if this.waiting_time.is_over(context) {
                    tracing::debug!("a client did not take its answer and was cut off");
                    // Without this the kernel would keep the unsent bytes for the client.
                    let _ = this.io.set_zero_linger();
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            Poll::Ready(written) => {
                if mem::take(&mut this.blocked) && mem::take(&mut this.reading_waits) {
                    context.waker().wake_by_ref();
                }
                this.waiting_time.moved(*written.as_ref().unwrap_or(&0));
            }
        }
        polled
    }

    /// Actix flushes last, after it has handled everything that arrived.
    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.read = 0;
        this.time_the_head(context);
        Pin::new(&mut this.io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.farewell.is_none() {
            ready!(Pin::new(&mut this.io).poll_shutdown(context))?;
            if !this.connection.has_unread_bytes() {
                return Poll::Ready(Ok(()));
            }
        }
        let farewell = this.farewell.get_or_insert_with(LingeringClose::new);
        farewell.poll(&mut this.io, context)
    }
}
