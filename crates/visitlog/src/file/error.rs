//! The errors of the engine.

use std::{error::Error as StdError, io, time::Duration};

use slugline_analytics::journal::error::is_damage;
use thiserror::Error;

use crate::format::{batch::BatchError, chunk::ChunkError};

/// The reason why the engine cannot store a batch or answer a question.
#[derive(Debug, Error)]
pub(crate) enum EngineError {
    #[error("database error")]
    Sqlite(#[from] rusqlite::Error),
    #[error("chunk {id} is damaged")]
    Chunk { id: i64, source: ChunkError },
    #[error("batch {number} of the tail is damaged")]
    Batch { number: i64, source: BatchError },
    #[error("the totals of day {day} are damaged")]
    Totals { day: i64, source: ChunkError },
    #[error("a row refers to link {link}, which does not exist")]
    Dangling { link: i64 },
    #[error("no answer within {} ms", limit.as_millis())]
    Deadline { limit: Duration },
    #[error("rows of the answer cannot be kept in a file beside the access log")]
    Spill(#[source] Box<dyn StdError + Send + Sync>),
    #[error("the system gives no thread to answer on")]
    Thread(#[source] io::Error),
    #[error("the answering thread ended early")]
    Panicked,
}

impl EngineError {
    /// Returns `true` if the file is damaged, `false` if it could not be read for another reason.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Chunk { .. } | Self::Batch { .. } | Self::Totals { .. } => true,
            Self::Sqlite(error) => is_damage(error),
            Self::Dangling { .. }
            | Self::Deadline { .. }
            | Self::Spill(_)
            | Self::Thread(_)
            | Self::Panicked => false,
        }
    }
}
