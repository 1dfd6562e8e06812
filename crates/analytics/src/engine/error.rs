//! What can go wrong.

use std::{io, path::PathBuf, time::Duration};

use thiserror::Error;

use super::chunk::ChunkError;
use crate::ClickHouseError;

/// Why an access log cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file cannot be read or written, or is no database.
    #[error("cannot open access log {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// The file belongs to something else.
    #[error("{} is a database but not an access log", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version.
    #[error(
        "access log {} has format {found}, but this version knows formats up to {known}",
        path.display()
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i32,
        /// The newest format this version knows.
        known: i32,
    },
    /// ClickHouse is there and has no use for us.
    #[error("ClickHouse at {target} cannot be used")]
    ClickHouse {
        /// Where it is.
        target: String,
        /// What it says.
        source: ClickHouseError,
    },
    /// The operating system gives no thread.
    #[error("cannot start the access log's writer")]
    Thread {
        /// What it says.
        source: io::Error,
    },
}

/// Why the engine cannot store a batch or answer a question.
#[derive(Debug, Error)]
pub(crate) enum EngineError {
    #[error("database error")]
    Sqlite(#[from] rusqlite::Error),
    #[error("chunk {id} is damaged")]
    Chunk { id: i64, source: ChunkError },
    #[error("a row refers to {kind} {id}, which does not exist")]
    Dangling { kind: &'static str, id: u32 },
    #[error("a row refers to dictionary entries that do not exist")]
    Incomplete,
    #[error("no answer within {} ms", limit.as_millis())]
    Deadline { limit: Duration },
    #[error("the answering task ended early")]
    Task(#[from] tokio::task::JoinError),
}
