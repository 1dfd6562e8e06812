//! The answer of a server.

use std::{
    future::poll_fn,
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::{
    HeaderMap,
    body::{Body, Bytes, Incoming},
};
use tokio::task::JoinSet;
use url::Url;

use crate::Error;

/// An answer whose body is still arriving.
#[derive(Debug)]
pub struct Answer {
    /// The URL that it comes from, after redirects.
    pub url: Url,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it is transferred.
    pub body: Arriving,
}

/// An answer with its whole body.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// The URL that it came from, after redirects.
    pub url: Url,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, as it was transferred.
    pub body: Vec<u8>,
}

/// A body that is still arriving. Dropping it closes the connection.
#[derive(Debug)]
pub struct Arriving {
    body: Incoming,
    _connection: JoinSet<()>,
}

impl Arriving {
    pub(crate) fn new(body: Incoming, connection: JoinSet<()>) -> Self {
        Self {
            body,
            _connection: connection,
        }
    }

    /// The length in bytes, if the server announced it.
    pub fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// Polls for the next bytes; `None` at the end.
    ///
    /// # Errors
    /// The connection broke off.
    pub fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, Error>>> {
        loop {
            let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
            match frame.map(|frame| frame.map(hyper::body::Frame::into_data)) {
                Some(Ok(Ok(data))) => return Poll::Ready(Some(Ok(data))),
                // Trailers.
                Some(Ok(Err(_))) => {}
                Some(Err(error)) => return Poll::Ready(Some(Err(Error::Http(error)))),
                None => return Poll::Ready(None),
            }
        }
    }

    /// The whole body, if it has at most so many bytes.
    pub(crate) async fn read(mut self, max: usize) -> Result<Vec<u8>, Error> {
        // Do not wait for a body that is announced as too large.
        if self.body.size_hint().lower() > u64::try_from(max).unwrap_or(u64::MAX) {
            return Err(Error::TooLarge { max });
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = poll_fn(|context| self.poll_chunk(context)).await {
            let chunk = chunk?;
            if chunk.len() > max - bytes.len() {
                return Err(Error::TooLarge { max });
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }
}
