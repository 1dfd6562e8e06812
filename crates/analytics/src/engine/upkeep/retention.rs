//! The end of rows that are too old.
//!
//! Everything here does a bounded piece of work in a transaction of its own
//! and says whether there was any, so that visits never wait for long.

use rusqlite::Connection;

/// Chunks deleted at once: some six megabytes.
const CHUNKS: u32 = 4;

/// Tail rows deleted at once.
const TAIL_ROWS: u32 = 10_000;

/// Deletes chunks all of whose rows are from before a moment. A chunk is of one
/// day, so no row stays for more than a day longer.
pub(crate) fn delete_chunks(db: &Connection, cutoff_ms: i64) -> Result<bool, rusqlite::Error> {
    let deleted = db
        .prepare_cached(
            "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE max_ts < ?1 LIMIT ?2)",
        )?
        .execute([cutoff_ms, CHUNKS.into()])?;
    Ok(deleted > 0)
}

/// Deletes tail rows from before a moment.
pub(crate) fn delete_tail_rows(db: &Connection, cutoff_ms: i64) -> Result<bool, rusqlite::Error> {
    let deleted = db
        .prepare_cached(
            "DELETE FROM tail WHERE seq IN (SELECT seq FROM tail WHERE ts_ms < ?1 LIMIT ?2)",
        )?
        .execute([cutoff_ms, TAIL_ROWS.into()])?;
    Ok(deleted > 0)
}
