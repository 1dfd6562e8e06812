//! Deletes old rows.

use rusqlite::Connection;
use slugline_analytics::journal::error::is_damage;

/// The number of chunks deleted at once: some six megabytes.
pub(crate) const CHUNKS_AT_ONCE: i64 = 4;

/// Deletes chunks with numbers above `after` all of whose rows are from before a moment. Returns
/// the number after which to continue. A chunk belongs to one day, so no row stays for more than a
/// day longer. A chunk that is too damaged to be deleted stays.
pub(crate) fn delete_chunks(
    db: &Connection,
    cutoff_ms: i64,
    after: i64,
) -> Result<Option<i64>, rusqlite::Error> {
    let mut select = db.prepare_cached(
        "SELECT id FROM chunk WHERE max_ts < ?1 AND id > ?2 ORDER BY id LIMIT ?3",
    )?;
    let ids = select.query_map([cutoff_ms, after, CHUNKS_AT_ONCE], |row| row.get(0))?;
    let ids: Vec<i64> = ids.collect::<Result<_, _>>()?;
    let (Some(&first), Some(&last)) = (ids.first(), ids.last()) else {
        return Ok(None);
    };
    let mut delete =
        db.prepare_cached("DELETE FROM chunk WHERE max_ts < ?1 AND id BETWEEN ?2 AND ?3")?;
    let together = delete.execute([cutoff_ms, first, last]);
    if found_damage(together)? {
        for id in ids {
            if found_damage(delete.execute([cutoff_ms, id, id]))? {
                tracing::warn!(chunk = id, "{LEFT_BEHIND}");
            }
        }
    }
    Ok(Some(last))
}

const LEFT_BEHIND: &str = "an old chunk is so damaged that it cannot be deleted; \
                           `slugline doctor --rebuild` makes a file without it";

/// Returns whether the deletion met damage. Other failures are errors.
fn found_damage(deleted: Result<usize, rusqlite::Error>) -> Result<bool, rusqlite::Error> {
    match deleted {
        Ok(_) => Ok(false),
        Err(error) if is_damage(&error) => Ok(true),
        Err(error) => Err(error),
    }
}
