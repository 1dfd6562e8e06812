//! Opening connections to a file.

use std::{
    path::{Path, PathBuf},
    thread,
    time::Duration,
};

use rusqlite::{Connection, ErrorCode, OpenFlags, config::DbConfig};

/// An SQLite file, open or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SqliteFile {
    path: PathBuf,
}

/// The time that a statement waits for a lock of another process.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Roughly the number of different statements on links and on the migration's
/// state.
const CACHED_STATEMENTS: usize = 64;

/// Settings of the writing connection. `FULL` keeps every acknowledged link through power loss. 16
/// MiB of pages hold those that a batch of an import changes, and those of indexes that new links
/// change at random; with fewer, SQLite reads and writes some of them several times. A page that
/// changes several times within 4,000 pages of the write-ahead log is copied to the file once;
/// SQLite's own limit of 1,000 costs a tenth of a create more. The size limit frees space after a
/// long read kept the write-ahead log from being reused. What was deleted is overwritten in pages
/// that are written anyway, so that little of an erased link is left in the file.
const WRITER_SETTINGS: &str = "
PRAGMA synchronous = FULL;
PRAGMA cache_size = -16384;
PRAGMA wal_autocheckpoint = 4000;
PRAGMA foreign_keys = ON;
PRAGMA journal_size_limit = 67108864;
PRAGMA secure_delete = FAST;
";

/// Settings of reading connections. 2 MiB of pages hold the upper levels of the table and of the
/// index of slugs for a million links, so finding one reads little more than two leaves.
const READER_SETTINGS: &str = "
PRAGMA query_only = ON;
PRAGMA cache_size = -2048;
";

impl SqliteFile {
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    /// Opens a connection for schema steps, and creates a missing file. Until a step changes it, the
    /// file is as it was, because it may be that of another build.
    pub(crate) fn open_for_schema(&self) -> Result<Connection, rusqlite::Error> {
        let create = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let connection = self.open(create)?;
        connection.execute_batch(WRITER_SETTINGS)?;
        Ok(connection)
    }

    /// Opens a connection that changes the file, and creates a missing file.
    pub(crate) fn open_writer(&self) -> Result<Connection, rusqlite::Error> {
        let connection = self.open_for_schema()?;
        turn_to_wal(&connection)?;
        Ok(connection)
    }

    /// Opens a connection that reads. The file must exist and be in WAL mode.
    pub(super) fn open_reader(&self) -> Result<Connection, rusqlite::Error> {
        // Not read-only: the first connection creates the WAL's shared memory.
        let connection = self.open(OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.execute_batch(READER_SETTINGS)?;
        Ok(connection)
    }

    /// Opens a connection that changes nothing in the file, which may be damaged or anybody's.
    pub(crate) fn open_to_examine(&self) -> Result<Connection, rusqlite::Error> {
        let connection = self.open(OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        // Finds a malformed page when it is read, before anything follows its pointers.
        connection.pragma_update(None, "cell_size_check", true)?;
        Ok(connection)
    }

    fn open(&self, flags: OpenFlags) -> Result<Connection, rusqlite::Error> {
        // One thread at a time uses a connection, so it needs no mutex.
        let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(&self.path, flags)?;
        // A view or a default of the file's schema calls no function with side effects, and no
        // statement writes past the tables.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.busy_timeout(LOCK_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
        Ok(connection)
    }
}

/// Switches the file to WAL and retries while other processes do the same. If
/// several switch a new file at the same moment, SQLite tells all but one at
/// once that it is locked, whatever the timeout.
fn turn_to_wal(connection: &Connection) -> Result<(), rusqlite::Error> {
    const ATTEMPTS: usize = 50;
    const PAUSE: Duration = Duration::from_millis(100);

    let mut attempt = 1;
    loop {
        match connection.pragma_update(None, "journal_mode", "WAL") {
            Err(error) if is_busy(&error) && attempt < ATTEMPTS => attempt += 1,
            outcome => return outcome,
        }
        thread::sleep(PAUSE);
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
}
