//! Visits from files or from an embedded log. An engine gets each visit once, even if a process is
//! killed and starts again. This file has the port of the engine that an embedded log moves to.
//!
//! | module | holds |
//! |---|---|
//! | `plan` | digests that tell one file from another, batch by batch |
//! | `import` | visits of a file, the port of the engine that takes them, and marks of what is stored |

pub mod import;
pub mod plan;

use std::{error::Error as StdError, fmt};

use thiserror::Error;

use crate::{journal::error::OpenError, losses::Loss, row::Row, sampled::Span};

pub use import::{ImportBatch, Imported, Intake, VisitImport};
pub use plan::{ImportPlan, ImportPlanner};

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

/// The engine that visits move to.
pub trait Passage: fmt::Debug {
    /// Encodes a row as the engine takes it.
    fn encode(&self, row: &Row<'_>) -> Vec<u8>;

    /// Takes a batch, unless the engine took one with this token before.
    ///
    /// # Errors
    /// The engine took nothing of the batch.
    fn take(&self, token: &str, content: &Parcel<'_>) -> Result<(), TransferError>;

    /// Takes spans in which visits were sampled. Taking them again changes nothing.
    ///
    /// # Errors
    /// The engine took none of them.
    fn take_sampled(&self, spans: &[Span]) -> Result<(), TransferError>;

    /// Waits until the engine has room for another batch.
    ///
    /// # Errors
    /// The engine accepts nothing.
    fn wait_for_room(&self) -> Result<(), TransferError>;

    /// Waits until the engine has everything.
    ///
    /// # Errors
    /// As with [`Passage::wait_for_room`].
    fn finish(&self) -> Result<(), TransferError>;
}

/// A batch for the engine.
#[derive(Clone, Debug)]
pub enum Parcel<'p> {
    /// Rows, as the engine has encoded them.
    Rows(Vec<&'p [u8]>),
    /// Visits that were never stored.
    Losses(Vec<Loss>),
}
