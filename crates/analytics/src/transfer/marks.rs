//! Marks that state how many visits of a file are stored.
//!
//! The mark is in the file that takes the rows, an access log or a spool, and changes in the
//! transaction that adds them. So rows and mark are both there or both missing, and a copy of the
//! file has both. Only imports need the table, and the first one creates it.

use rusqlite::{Connection, OptionalExtension, params};

use crate::journal::remains::copy_table;

/// The digest of a file, and the number of its rows that are stored.
pub const TABLE: &str = "CREATE TABLE IF NOT EXISTS imported (
    digest BLOB PRIMARY KEY, visits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;";

/// The number of visits of a file that are stored.
pub fn visits_in(db: &Connection, digest: &[u8; 32]) -> Result<u64, rusqlite::Error> {
    let visits: Option<i64> = db
        .prepare_cached("SELECT visits FROM imported WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()?;
    Ok(visits.unwrap_or(0).unsigned_abs())
}

/// Notes that this many visits of a file are stored.
pub fn mark(db: &Connection, digest: &[u8; 32], visits: u64) -> Result<(), rusqlite::Error> {
    let visits = i64::try_from(visits).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT OR REPLACE INTO imported (digest, visits) VALUES (?1, ?2)")?
        .execute(params![digest, visits])?;
    Ok(())
}

/// Forgets that a file was imported.
pub fn forget(db: &Connection, digest: &[u8; 32]) -> Result<(), rusqlite::Error> {
    db.execute("DELETE FROM imported WHERE digest = ?1", [digest])?;
    Ok(())
}

/// Copies the marks of a damaged file to a new one. Returns a description of the loss if some
/// cannot be read.
pub fn copy_marks(old: &Connection, new: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let complete = copy_table(old, new, "imported", TABLE)?;
    Ok((!complete).then(|| "which files were imported; importing one again doubles it".into()))
}
