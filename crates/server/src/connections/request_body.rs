//! The body of a request, read with a timeout.

use std::{
    cell::RefCell,
    io,
    pin::Pin,
    rc::Rc,
    task::{Context, Poll},
};

use actix_http::BoxedPayloadStream;
use actix_web::{dev::Payload, error::PayloadError, web::Bytes};
use futures_core::Stream;

use super::{connection::Connection, waiting_time::WaitingTime};

/// A body with two holders, so that it outlives its reader.
pub(super) type SharedBody = Rc<RefCell<Payload>>;

/// A body that fails with [`io::ErrorKind::TimedOut`] when its client exceeds the waiting time.
struct RequestBody {
    body: SharedBody,
    connection: Rc<Connection>,
    waiting_time: WaitingTime,
}

/// Wraps the body for its reader.
pub(super) fn timed(body: SharedBody, connection: Rc<Connection>) -> BoxedPayloadStream {
    let waiting_time = WaitingTime::new(connection.body_timeout);
    Box::pin(RequestBody {
        body,
        connection,
        waiting_time,
    })
}

impl Stream for RequestBody {
    type Item = Result<Bytes, PayloadError>;

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, PayloadError>>> {
        let this = self.get_mut();
        let polled = Pin::new(&mut *this.body.borrow_mut()).poll_next(context);
        match &polled {
            Poll::Pending if this.waiting_time.is_over(context) => {
                let timeout = io::Error::from(io::ErrorKind::TimedOut);
                return Poll::Ready(Some(Err(PayloadError::Io(timeout))));
            }
            Poll::Pending | Poll::Ready(Some(Err(_))) => {}
            Poll::Ready(Some(Ok(piece))) => this.waiting_time.moved(piece.len()),
            Poll::Ready(None) => this.connection.body_was_read(),
        }
        polled
    }
}
