//! Passing a visitor's request on to a destination, and its answer back.

use std::{
    fmt,
    task::{Context, Poll},
};

use thiserror::Error;

/// A visitor's request, for somebody else's server.
#[derive(Debug)]
pub struct ForwardedRequest {
    /// The HTTP method.
    pub method: String,
    /// Where to send it.
    pub target: String,
    /// What to send along; names in lower case.
    pub headers: Vec<HeaderLine>,
    /// What the visitor sends, if anything.
    pub body: Option<Flow>,
}

/// What that server answers.
#[derive(Debug)]
pub struct ForwardedAnswer {
    /// The HTTP status.
    pub status: u16,
    /// What it says of the answer; names in lower case.
    pub headers: Vec<HeaderLine>,
    /// The answer itself.
    pub body: Flow,
}

/// Name and value of a header.
pub type HeaderLine = (String, Vec<u8>);

/// Bytes on their way.
pub struct Flow {
    /// How many they are in all, if that is known.
    pub length: Option<u64>,
    /// Where they come from.
    pub source: Box<dyn Source>,
}

impl fmt::Debug for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Flow")
            .field("length", &self.length)
            .finish_non_exhaustive()
    }
}

/// Gives bytes as they arrive. Whoever drops it wants no more.
pub trait Source: Send {
    /// The next of them; none at the end. It is polled as a future is.
    fn poll_chunk(&mut self, context: &mut Context<'_>)
    -> Poll<Option<Result<Vec<u8>, BrokenOff>>>;
}

/// Bytes ended before they should.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("broke off")]
pub struct BrokenOff;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForwardFailure {
    /// The target, or one it redirects to, is where the service must not go.
    NotAllowed,
    /// It could not be reached, or did not answer in time; for the log.
    Failed(String),
}
