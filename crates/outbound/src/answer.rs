//! What a server answered.

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

/// An answer whose body is still on its way.
#[derive(Debug)]
pub struct Answer {
    /// Where it comes from, after redirects.
    pub url: Url,
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as it is transferred.
    pub body: Arriving,
}

/// An answer with its body.
#[derive(Clone, Debug)]
pub struct Fetched {
    /// Where it came from, after redirects.
    pub url: Url,
    /// Its status.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// Its body, as it was transferred.
    pub body: Vec<u8>,
}

/// A body on its way. Dropping it closes the connection.
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

    /// How long it is, if the server said so.
    pub fn length(&self) -> Option<u64> {
        self.body.size_hint().exact()
    }

    /// The next bytes of it; none at its end.
    ///
    /// # Errors
    /// It broke off.
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

    /// All of it, if it has at most so many bytes.
    pub(crate) async fn read(mut self, max: usize) -> Result<Vec<u8>, Error> {
        // What is announced as too large is not waited for.
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

    /// As much of it as has so many bytes.
    pub(crate) async fn beginning(mut self, max: usize) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        while bytes.len() < max {
            let Some(chunk) = poll_fn(|context| self.poll_chunk(context)).await else {
                break;
            };
            bytes.extend_from_slice(&chunk?);
        }
        bytes.truncate(max);
        Ok(bytes)
    }
}
