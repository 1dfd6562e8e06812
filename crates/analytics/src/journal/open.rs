//! Opening a file of ours: its purpose, its version, its settings.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, TransactionBehavior, config::DbConfig};
use sha2::{Digest, Sha256};

use super::error::OpenError;

/// The purpose of a file, and its tables.
#[derive(Clone, Copy, Debug)]
pub struct FileKind {
    /// Marks the file as ours.
    pub application_id: i32,
    /// The statements that make each format from the one before it; the first entry starts from an
    /// empty file. A released step never changes.
    pub steps: &'static [&'static str],
}

impl FileKind {
    /// The newest format; the first one is 1.
    fn format(&self) -> i32 {
        i32::try_from(self.steps.len()).expect("there are few steps")
    }

    /// The mark in the head of a file with this format: the format, and a fingerprint of its steps
    /// in the lower 24 bits. Builds from before the first release have other marks.
    fn mark(&self, format: i32) -> i32 {
        let steps = self.steps.iter().zip(0..format);
        let digest = steps.fold(Sha256::new(), |digest, (step, _)| digest.chain_update(step));
        let [first, second, third, ..] = <[u8; 32]>::from(digest.finalize());
        format << FINGERPRINT_BITS | i32::from_be_bytes([0, first, second, third])
    }
}

const FINGERPRINT_BITS: u32 = 24;

/// The time for which a statement waits for a lock of another connection. The writer's own retries
/// cover longer waits.
pub const LOCK_PATIENCE: Duration = Duration::from_secs(1);

/// Settings of the writing connection.
///
/// - `FULL` makes each commit survive a power loss; there is about one a second.
/// - Deleted content is overwritten, because an ended salt must be gone. `FAST`
///   leaves out pages that become free as a whole: salts never fill one.
/// - The size limit frees space after a long question has kept SQLite from reusing the write-ahead
///   log.
/// - Data too large for a cache, such as a sort, stays in memory: the file system may be read-only
///   outside the data folder.
const WRITER_SETTINGS: &str = "
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA secure_delete = FAST;
PRAGMA journal_size_limit = 16777216;
PRAGMA temp_store = MEMORY;
";

/// Opens a file for writing, and creates the file and its tables if they are missing.
pub fn open_file(kind: &FileKind, path: &Path) -> Result<Connection, OpenError> {
    let failed = |source| OpenError::Sqlite {
        path: path.to_owned(),
        source,
    };
    let mut db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )
    .map_err(failed)?;
    guard(&db).map_err(failed)?;
    db.busy_timeout(LOCK_PATIENCE).map_err(failed)?;
    if is_blank(&db).map_err(failed)? {
        // Must come before SQLite writes the first page. With it, retention frees space in small
        // steps.
        db.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")
            .map_err(failed)?;
    } else {
        check(kind, &db, path)?;
    }
    db.execute_batch(WRITER_SETTINGS).map_err(failed)?;
    upgrade(kind, &mut db).map_err(failed)?;
    check(kind, &db, path)?;
    Ok(db)
}

/// Opens a file for an examination, in any state.
pub fn open_to_examine(kind: &FileKind, path: &Path) -> Result<Connection, OpenError> {
    let opened = || {
        let db = open_reader(path)?;
        // Finds a malformed page when it is read, before anything follows its pointers.
        db.pragma_update(None, "cell_size_check", true)?;
        Ok(db)
    };
    let db = opened().map_err(|source| OpenError::Sqlite {
        path: path.to_owned(),
        source,
    })?;
    check(kind, &db, path)?;
    Ok(db)
}

/// The statements that made the tables of this file, by its version. Executes nothing.
pub fn making_of(kind: &FileKind, path: &Path) -> Result<&'static [&'static str], OpenError> {
    let db = open_to_examine(kind, path)?;
    let steps = steps_of(&db).map_err(|source| OpenError::Sqlite {
        path: path.to_owned(),
        source,
    })?;
    Ok(kind.steps.get(..steps).unwrap_or_default())
}

/// Opens the file for questions; the writer has created it.
pub fn open_reader(path: &Path) -> Result<Connection, rusqlite::Error> {
    let db = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    guard(&db)?;
    db.busy_timeout(LOCK_PATIENCE)?;
    // As for the writer.
    db.pragma_update(None, "temp_store", "MEMORY")?;
    Ok(db)
}

/// Moves all pages of the write-ahead log into the database, where SQLite overwrites deleted
/// content, and truncates the log to zero. Returns `false` if a reader still needs the log after
/// `patience`. The time is short, because visits wait meanwhile and a backup may read for minutes.
pub fn empty_write_ahead_log(db: &Connection, patience: Duration) -> Result<bool, rusqlite::Error> {
    db.busy_timeout(patience)?;
    let busy = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, bool>(0)
    });
    db.busy_timeout(LOCK_PATIENCE)?;
    busy.map(|busy| !busy)
}

/// Forbids views and defaults in the file's schema to call functions with side effects, and
/// statements to write to internal tables.
fn guard(db: &Connection) -> Result<(), rusqlite::Error> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    Ok(())
}

/// The number of steps that a file has.
fn steps_of(db: &Connection) -> Result<usize, rusqlite::Error> {
    let mark = db.pragma_query_value(None, "user_version", |row| row.get::<_, i32>(0))?;
    Ok(usize::try_from(mark >> FINGERPRINT_BITS).unwrap_or(0))
}

fn is_blank(db: &Connection) -> Result<bool, rusqlite::Error> {
    db.query_row("SELECT count(*) = 0 FROM sqlite_schema", [], |row| {
        row.get(0)
    })
}

/// Takes the missing steps, unless another process has just done so.
fn upgrade(kind: &FileKind, db: &mut Connection) -> Result<(), rusqlite::Error> {
    if steps_of(db)? >= kind.steps.len() {
        return Ok(());
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    for step in kind.steps.iter().skip(steps_of(&tx)?) {
        tx.execute_batch(step)?;
    }
    tx.pragma_update(None, "application_id", kind.application_id)?;
    tx.pragma_update(None, "user_version", kind.mark(kind.format()))?;
    tx.commit()
}

fn check(kind: &FileKind, db: &Connection, path: &Path) -> Result<(), OpenError> {
    let number = |name| {
        db.pragma_query_value(None, name, |row| row.get::<_, i32>(0))
            .map_err(|source| OpenError::Sqlite {
                path: path.to_owned(),
                source,
            })
    };
    if number("application_id")? != kind.application_id {
        return Err(OpenError::Foreign {
            path: path.to_owned(),
        });
    }
    let mark = number("user_version")?;
    let found = mark >> FINGERPRINT_BITS;
    if found > kind.format() {
        return Err(OpenError::Newer {
            path: path.to_owned(),
            found,
            known: kind.format(),
        });
    }
    if found < 1 || mark != kind.mark(found) {
        return Err(OpenError::OtherBuild {
            path: path.to_owned(),
        });
    }
    Ok(())
}

/// The free pages that are kept for later rows: 4 MiB.
pub const SPARE_PAGES: u32 = 1_024;

/// The free pages returned at once: 2 MiB.
pub const PAGES_AT_ONCE: u32 = 512;

/// Returns some free pages to the file system, in a transaction of its own. Returns whether there
/// are more.
pub fn give_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    give_back_but(db, SPARE_PAGES)
}

/// As [`give_back`], but keeps no free page, because one may still show deleted rows.
pub fn give_all_back(db: &Connection) -> Result<bool, rusqlite::Error> {
    give_back_but(db, 0)
}

fn give_back_but(db: &Connection, spare: u32) -> Result<bool, rusqlite::Error> {
    let free = || db.pragma_query_value(None, "freelist_count", |row| row.get::<_, u32>(0));
    let excess = free()?.saturating_sub(spare);
    if excess == 0 {
        return Ok(false);
    }
    let pages = excess.min(PAGES_AT_ONCE);
    let mut statement = db.prepare(&format!("PRAGMA incremental_vacuum({pages})"))?;
    // Each step is one page.
    let mut steps = statement.query([])?;
    while steps.next()?.is_some() {}
    drop(steps);
    Ok(free()? > spare)
}
