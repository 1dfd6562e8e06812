//! The errors of opening a file of visits.

use std::{error::Error as StdError, io, path::PathBuf};

use rusqlite::ErrorCode;
use thiserror::Error;

/// Why an access log cannot be opened.
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
    /// The file was written before the first release.
    #[error(
        "access log {} has format {found}, from before the first release, which this version \
         cannot read; move the file elsewhere, and a new one is made at the next start",
        path.display()
    )]
    Older {
        /// The file.
        path: PathBuf,
        /// Its format.
        found: i32,
    },
    /// ClickHouse is there and has no use for us.
    #[error("ClickHouse at {target} cannot be used")]
    ClickHouse {
        /// Its address.
        target: String,
        /// Its message.
        source: Box<dyn StdError + Send + Sync>,
    },
    /// Somebody else has the file, who must not be disturbed.
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
    /// A rebuilt file cannot be written, or cannot take the old one's place.
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
    /// The operating system gives no thread.
    #[error("cannot start the access log's writer")]
    Thread {
        /// Its message.
        source: io::Error,
    },
}

/// An error with everything behind it, in one line.
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}

/// True when the file is damaged, false when it only could not be read or written.
pub fn is_damage(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
}
