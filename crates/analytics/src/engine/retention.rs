//! The end of rows that are too old.
//!
//! Everything here does a bounded piece of work in a transaction of its own
//! and says whether there was any, so that visits never wait for long.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::{block::Block, column::Column, error::EngineError, seal};

/// Chunks deleted at once: some six megabytes.
const CHUNKS: u32 = 4;

/// Tail rows deleted at once.
const TAIL_ROWS: u32 = 10_000;

/// Rows older than the cutoff by more than this are cut out of chunks that
/// also have younger ones. A quiet site fills a chunk in weeks.
const TOLERANCE_MS: i64 = 86_400_000;

/// Deletes chunks all of whose rows are from before a moment.
pub(super) fn delete_chunks(db: &Connection, cutoff_ms: i64) -> Result<bool, rusqlite::Error> {
    let deleted = db
        .prepare_cached(
            "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE max_ts < ?1 LIMIT ?2)",
        )?
        .execute([cutoff_ms, CHUNKS.into()])?;
    Ok(deleted > 0)
}

/// Deletes tail rows from before a moment.
pub(super) fn delete_tail_rows(db: &Connection, cutoff_ms: i64) -> Result<bool, rusqlite::Error> {
    let deleted = db
        .prepare_cached(
            "DELETE FROM tail WHERE seq IN (SELECT seq FROM tail WHERE ts_ms < ?1 LIMIT ?2)",
        )?
        .execute([cutoff_ms, TAIL_ROWS.into()])?;
    Ok(deleted > 0)
}

/// Cuts the rows from before a moment out of the next chunk, by number, that
/// holds rows from a day before it, and returns the chunk's number.
pub(super) fn trim_chunk(
    db: &mut Connection,
    cutoff_ms: i64,
    after: i64,
) -> Result<Option<i64>, EngineError> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: Option<(i64, Result<Block, EngineError>)> = tx
        .prepare_cached(&format!(
            "SELECT {} FROM chunk \
             WHERE id > ?1 AND min_ts < ?2 AND max_ts >= ?3 ORDER BY id LIMIT 1",
            Block::selection(&Column::ALL)
        ))?
        .query_row([after, cutoff_ms - TOLERANCE_MS, cutoff_ms], |row| {
            Ok((row.get(0)?, Block::read(row, &Column::ALL)))
        })
        .optional()?;
    let Some((id, block)) = found else {
        return Ok(None);
    };
    let block = match block {
        Ok(block) => block,
        Err(error) => {
            // It goes as a whole once its last row is too old.
            tracing::warn!(chunk = id, %error, "a damaged chunk keeps rows that are too old");
            return Ok(Some(id));
        }
    };
    let rows: Vec<usize> = (0..block.rows)
        .filter(|&row| block.time[row] >= cutoff_ms)
        .collect();
    tx.execute("DELETE FROM chunk WHERE id = ?1", [id])?;
    seal::insert(&tx, Some(id), &block, &rows)?;
    tx.commit()?;
    Ok(Some(id))
}
