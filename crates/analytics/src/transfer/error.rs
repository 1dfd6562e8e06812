//! The errors of imports and moves.

use std::error::Error as StdError;

use thiserror::Error;

use crate::journal::error::OpenError;

/// The reason why an import or a move stopped. Stored visits stay, and running the same command
/// again continues from there.
#[derive(Debug, Error)]
pub enum TransferError {
    /// A file of the data folder, or ClickHouse, cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The access log or the spool cannot be read or written.
    #[error("visits cannot be read or stored")]
    Database(#[from] rusqlite::Error),
    /// A part of the access log cannot be read.
    #[error("the access log cannot be read")]
    Unreadable(#[source] Box<dyn StdError + Send + Sync>),
    /// The engine accepts nothing.
    #[error("{0}")]
    Stalled(String),
    /// The file is not the one that the plan was made of.
    #[error("the file was changed while it was imported")]
    Changed,
}
