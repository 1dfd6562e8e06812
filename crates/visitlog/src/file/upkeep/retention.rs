//! Deletes old rows.

use rusqlite::{Connection, OptionalExtension};
use slugline_analytics::{journal::error::is_damage, utc::MILLIS_PER_DAY};

/// The number of chunks deleted at once: some six megabytes.
pub(crate) const CHUNKS_AT_ONCE: i64 = 4;

/// Returns true if retention may delete visits by this clock: it has run for a day, and no two
/// looks in a row were more than a day apart.
///
/// Nothing brings back what a wrong clock deletes. A clock that jumps to 2099 therefore deletes
/// nothing unless it runs on from there for a day, in which the operator can set it right. The
/// file keeps the last look, so a restart within a day of it changes nothing. Any other start, and
/// each jump, makes retention a day late.
pub(crate) fn clock_is_steady(db: &Connection, now_ms: i64) -> Result<bool, rusqlite::Error> {
    let last: Option<(i64, Option<i64>)> = db
        .prepare_cached("SELECT seen_ms, doubted_since_ms FROM clock")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let goes_on = |seen_ms| now_ms.abs_diff(seen_ms) <= MILLIS_PER_DAY.unsigned_abs();
    let doubted_since_ms = match last {
        Some((seen_ms, since)) if goes_on(seen_ms) => {
            since.filter(|since| now_ms - since < MILLIS_PER_DAY)
        }
        jumped => {
            if jumped.is_some() {
                tracing::warn!(
                    "the clock is more than a day from where it was; in case it is wrong, no \
                     visits are deleted by their age until it has gone on for a day"
                );
            }
            Some(now_ms)
        }
    };
    db.prepare_cached(
        "INSERT OR REPLACE INTO clock (only, seen_ms, doubted_since_ms) VALUES (1, ?1, ?2)",
    )?
    .execute((now_ms, doubted_since_ms))?;
    Ok(doubted_since_ms.is_none())
}

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
