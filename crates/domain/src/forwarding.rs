//! A visitor's request that is passed on to a destination, and the
//! destination's answer.
//!
//! These types carry HTTP methods, headers and statuses as plain values; an
//! adapter speaks the protocol.

use std::{
    fmt,
    task::{Context, Poll},
};

use thiserror::Error;

/// A visitor's request, to be sent to a destination.
#[derive(Debug)]
pub struct ForwardedRequest {
    /// The HTTP method.
    pub method: String,
    /// The URL to send it to.
    pub target: String,
    /// The headers to send; names in lower case.
    pub headers: Vec<HeaderLine>,
    /// The body that the visitor sends, if there is one.
    pub body: Option<Flow>,
}

/// The answer of a destination.
#[derive(Debug)]
pub struct ForwardedAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers; names in lower case.
    pub headers: Vec<HeaderLine>,
    /// The body.
    pub body: Flow,
}

/// The name and value of a header.
pub type HeaderLine = (String, Vec<u8>);

/// A body that is read as it arrives.
pub struct Flow {
    /// The length in bytes, if it is known in advance.
    pub length: Option<u64>,
    /// The source of the bytes.
    pub source: Box<dyn Source>,
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// Yields bytes as they arrive. Dropping it stops the transfer.
pub trait Source: Send {
    /// Polls for the next bytes, as a future is polled; `None` at the end.
    fn poll_chunk(&mut self, context: &mut Context<'_>)
    -> Poll<Option<Result<Vec<u8>, BrokenOff>>>;
}

/// The body ended too early.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the transfer broke off")]
pub struct BrokenOff;

/// The reason why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForwardFailure {
    /// The target, or one that it redirects to, is in a network that the
    /// service must not enter.
    NotAllowed,
    /// The server could not be reached, or did not answer in time. The text is
    /// for the log output.
    Failed(String),
}
