//! The reason why a file of links is not read to its end.

use std::io;

use thiserror::Error;

use crate::Problem;

/// The reason why reading stopped.
#[derive(Debug, Error)]
pub enum ReadLinksError {
    /// The source failed.
    #[error("cannot be read")]
    Unreadable(#[from] io::Error),
    /// The source does not have the given form.
    #[error("{}", .0.detail)]
    Broken(Problem),
}

impl From<Problem> for ReadLinksError {
    fn from(problem: Problem) -> Self {
        Self::Broken(problem)
    }
}
