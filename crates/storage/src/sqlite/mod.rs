//! SQLite, called directly.
//!
//! | module | holds |
//! |---|---|
//! | `file` | opening connections to a file |
//! | `statements` | a connection as a session |
//! | `transaction` | a transaction that ends exactly once, or its connection is closed; the end of a read |
//! | `writer` | the one thread that changes the file |
//! | `job` | a change on its way to that thread and its answer on the way back |
//! | `readers` | connections for reading, used from any thread |
//! | `schema` | a connection wrapped as sea-orm's, for schema steps |
//! | `snapshot` | a copy of a file while others write to it |
//! | `examination` | the pages of a file, its tables and triggers, and those that are not ours |

mod examination;
mod file;
mod job;
mod readers;
mod schema;
mod snapshot;
pub(crate) mod statements;
mod transaction;
mod writer;

use std::{sync::Arc, time::Duration};

#[cfg(test)]
pub(crate) use self::statements::{bind, complete};
pub use self::{
    examination::{ObjectsError, PageCheck, SqliteObjects, Unlike, check_pages},
    snapshot::{Copied, FileSnapshot, SnapshotError},
};
pub(crate) use self::{file::SqliteFile, schema::SchemaStatements};
use self::{readers::Readers, writer::Writer};
use crate::failure::Failure;

/// The time that a read may take, with the wait for its turn; a statement on PostgreSQL may take
/// as long. Searches for one or two letters, which no index helps, read every link.
const READ_LIMIT: Duration = Duration::from_secs(10);

/// An open SQLite file.
#[derive(Clone, Debug)]
pub(crate) struct Sqlite {
    pub(crate) readers: Arc<Readers>,
    pub(crate) writer: Arc<Writer>,
}

impl Sqlite {
    /// Opens a file, creates it if it is missing, and starts the writer thread.
    pub(crate) fn open(file: SqliteFile) -> Result<Self, Failure> {
        Self::open_for_reads_up_to(READ_LIMIT, file)
    }

    /// Opens a file with another time limit of reads.
    pub(crate) fn open_for_reads_up_to(limit: Duration, file: SqliteFile) -> Result<Self, Failure> {
        let writer = Writer::start(file.clone())?;
        Ok(Self {
            readers: Arc::new(Readers::open(file, limit)?),
            writer: Arc::new(writer),
        })
    }

    /// Checks that the file can be read and that the writer thread runs.
    pub(crate) fn ping(&self) -> Result<(), Failure> {
        if self.writer.has_ended() {
            return Err(Failure::WriterEnded);
        }
        self.readers.ping()
    }
}
