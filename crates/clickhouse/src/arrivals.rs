//! The tokens of batches that moved here from an embedded log.

use rusqlite::Connection;
use slugline_analytics::journal::remains::copy_table;

const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS arrived (token TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;";

/// Notes a token. Returns whether it is new.
pub(crate) fn note(spool: &Connection, token: &str) -> Result<bool, rusqlite::Error> {
    spool.execute_batch(TABLE)?;
    let new = spool.execute("INSERT OR IGNORE INTO arrived (token) VALUES (?1)", [token])?;
    Ok(new == 1)
}

/// Copies the tokens of a damaged spool to a new one. Returns a description of the loss.
pub(crate) fn copy(old: &Connection, new: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let complete = copy_table(old, new, "arrived", TABLE)?;
    Ok((!complete).then(|| "which visits had been moved here; one batch may come twice".into()))
}
