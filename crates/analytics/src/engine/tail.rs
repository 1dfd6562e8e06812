//! The tail: where visits arrive, one row each.

use rusqlite::{Connection, params};

use super::{block::Block, column::Column};

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
    read_columns(db, &Column::ALL, (i64::MIN, i64::MAX), after, limit)
}

/// The same of some columns, and only rows from the first to the last of two
/// milliseconds.
pub(super) fn read_columns(
    db: &Connection,
    columns: &[Column],
    (from, until): (i64, i64),
    after: i64,
    limit: usize,
) -> Result<Portion, rusqlite::Error> {
    let names: String = columns.iter().map(|&column| name(column)).collect();
    let mut statement = db.prepare_cached(&format!(
        "SELECT seq{names} FROM tail \
         WHERE seq > ?1 AND ts_ms BETWEEN ?2 AND ?3 ORDER BY seq LIMIT ?4"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query([after, from, until, limit])?;
    let mut block = Block::default();
    let mut last = None;
    while let Some(row) = rows.next()? {
        last = Some(row.get(0)?);
        block.rows += 1;
        for (place, column) in (1..).zip(columns) {
            match column {
                Column::Time => block.time.push(row.get(place)?),
                Column::Interval => block.interval.push(row.get(place)?),
                Column::Coherent => block.coherent.push(row.get(place)?),
                Column::Target => block.target.push(row.get(place)?),
                Column::Visitor => block
                    .visitor
                    .push(row.get::<_, i64>(place)?.cast_unsigned()),
                Column::Referer => block.referer.push(row.get(place)?),
                Column::Place => block.place.push(row.get(place)?),
                Column::Client => block.client.push(row.get(place)?),
                Column::Language => block.language.push(row.get(place)?),
            }
        }
    }
    Ok(Portion { block, last })
}

/// What a column of visits is called here, after a comma.
fn name(column: Column) -> &'static str {
    match column {
        Column::Time => ", ts_ms",
        Column::Interval => ", si",
        Column::Coherent => ", coh",
        Column::Target => ", target_id",
        Column::Visitor => ", ip",
        Column::Referer => ", ref_id",
        Column::Place => ", place_id",
        Column::Client => ", client_id",
        Column::Language => ", lang_id",
    }
}
