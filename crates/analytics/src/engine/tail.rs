//! The tail: where visits arrive, one row each.

use rusqlite::{Connection, params};

use super::block::Block;

/// Adds rows at the end.
pub(super) fn insert(db: &Connection, block: &Block) -> Result<(), rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "INSERT INTO tail (ts_ms, target_id, client_id, place_id, ref_id, lang_id, ip, si, coh) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )?;
    for row in 0..block.rows {
        statement.execute(params![
            block.time[row],
            block.target[row],
            block.client[row],
            block.place[row],
            block.referer[row],
            block.language[row],
            block.visitor[row].cast_signed(),
            block.interval[row],
            block.coherent[row],
        ])?;
    }
    Ok(())
}

/// How many rows there are at most, without counting: numbers are given out
/// without gaps, and rows leave at the front except for a few that retention
/// takes from between others.
pub(super) fn len(db: &Connection) -> Result<usize, rusqlite::Error> {
    let (first, last): (Option<i64>, Option<i64>) = db
        .prepare_cached("SELECT (SELECT min(seq) FROM tail), (SELECT max(seq) FROM tail)")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    Ok(match (first, last) {
        (Some(first), Some(last)) => usize::try_from(last - first + 1).unwrap_or(0),
        _ => 0,
    })
}

/// Rows in order of arrival.
#[derive(Debug)]
pub(super) struct Portion {
    pub(super) block: Block,
    /// The number of its last row; `None` when there is no row.
    pub(super) last: Option<i64>,
}

/// Reads up to `limit` rows with numbers above `after`.
pub(super) fn read(db: &Connection, after: i64, limit: usize) -> Result<Portion, rusqlite::Error> {
    let mut statement = db.prepare_cached(
        "SELECT seq, ts_ms, target_id, client_id, place_id, ref_id, lang_id, ip, si, coh \
         FROM tail WHERE seq > ?1 ORDER BY seq LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query([after, limit])?;
    let mut block = Block::default();
    let mut last = None;
    while let Some(row) = rows.next()? {
        last = Some(row.get(0)?);
        block.rows += 1;
        block.time.push(row.get(1)?);
        block.target.push(row.get(2)?);
        block.client.push(row.get(3)?);
        block.place.push(row.get(4)?);
        block.referer.push(row.get(5)?);
        block.language.push(row.get(6)?);
        block.visitor.push(row.get::<_, i64>(7)?.cast_unsigned());
        block.interval.push(row.get(8)?);
        block.coherent.push(row.get(9)?);
    }
    Ok(Portion { block, last })
}
