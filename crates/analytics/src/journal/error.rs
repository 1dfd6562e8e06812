//! The errors of opening a file of visits.

use std::{error::Error as StdError, io, path::PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// The reason why an access log cannot be opened.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The file cannot be read or written, or is no database.
    #[error("cannot open access log {}", path.display())]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// The message of SQLite.
        source: rusqlite::Error,
    },
    /// The file belongs to another program.
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
    /// Another build from before a release made the file. No step leads from there to this one.
    #[error(
        "another build of Slugline made access log {}, and this one cannot use it; nothing was \
         changed. Write its links and visits to files with that build, `slugline export \
         links.json` and `slugline visits export visits.ndjson`, and read them with this one into \
         a new data folder or database, `slugline import links.json` and `slugline visits import \
         visits.ndjson`",
        path.display()
    )]
    OtherBuild {
        /// The file.
        path: PathBuf,
    },
    /// ClickHouse answers but refuses this service.
    #[error("ClickHouse at {target} cannot be used")]
    ClickHouse {
        /// Its address.
        target: String,
        /// Its message.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Another process uses the file and must not be disturbed.
    #[error(
        "access log {} is in use; stop the service, or wait until it is rebuilt",
        path.display()
    )]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// The lock beside the file cannot be taken.
    #[error("cannot lock access log {}", path.display())]
    Lock {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A rebuilt file cannot be written, or cannot replace the old one.
    #[error(
        "no new access log can be written beside {}; make sure that its folder can be written to \
         and has room for another file of this size",
        path.display()
    )]
    Rebuild {
        /// The file.
        path: PathBuf,
        /// The obstacle.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The operating system starts no thread.
    #[error("cannot start the access log's writer")]
    Thread {
        /// Its message.
        source: io::Error,
    },
}

/// Returns `true` if the file is damaged, `false` if it could not be read or written for another
/// reason.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}
