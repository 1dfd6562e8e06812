//! The tail: where visits arrive, one row each.

use std::sync::LazyLock;

use rusqlite::{Connection, ToSql};

use super::columns::TEXTS;
use crate::engine::write::draft::{Draft, Numbers, RowTexts};
use crate::row::Row;

/// Columns before those of texts.
const NUMBERS: &str = "seq, ts_ms, link, visitor, si, coh";

/// Adds the columns of texts that the table does not have yet.
pub(crate) fn add_columns(db: &Connection) -> Result<(), rusqlite::Error> {
    for column in &TEXTS {
        if !db.column_exists(None, "tail", column.name)? {
            let (name, unknown) = (column.name, column.unknown);
            db.execute_batch(&format!(
                "ALTER TABLE tail ADD COLUMN {name} TEXT NOT NULL DEFAULT '{unknown}'"
            ))?;
        }
    }
    Ok(())
}

/// True if [`add_columns`] has nothing to add.
pub(crate) fn has_all_columns(db: &Connection) -> Result<bool, rusqlite::Error> {
    for column in &TEXTS {
        if !db.column_exists(None, "tail", column.name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

static INSERT: LazyLock<String> = LazyLock::new(|| {
    let names = TEXTS.map(|column| column.name).join(", ");
    let marks = ["?"; 5 + TEXTS.len()].join(", ");
    format!("INSERT INTO tail (ts_ms, link, visitor, si, coh, {names}) VALUES ({marks})")
});

/// Adds a row, whose link has this number, at the end.
pub(crate) fn insert(db: &Connection, row: &Row<'_>, link: i64) -> Result<(), rusqlite::Error> {
    let mut statement = db.prepare_cached(&INSERT)?;
    let Numbers {
        time,
        link,
        visitor,
        interval,
        coherent,
    } = Numbers::of(row, link);
    let visitor = visitor.cast_signed();
    let texts = TEXTS.map(|column| row.text(column.dimension));
    let numbers: [&dyn ToSql; 5] = [&time, &link, &visitor, &interval, &coherent];
    let texts = texts.iter().map(|text| -> &dyn ToSql { text });
    statement.execute(rusqlite::params_from_iter(numbers.into_iter().chain(texts)))?;
    Ok(())
}

/// The most rows there can be, without counting: numbers are given out
/// without gaps, and rows leave at the front except for a few that retention
/// takes from between others.
pub(crate) fn len(db: &Connection) -> Result<usize, rusqlite::Error> {
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
pub(crate) struct Portion {
    pub(crate) draft: Draft,
    /// The number of its last row; `None` when there is no row.
    pub(crate) last: Option<i64>,
}

/// Reads up to `limit` rows from the first to the last of two milliseconds.
pub(crate) fn read(
    db: &Connection,
    range: (i64, i64),
    limit: usize,
) -> Result<Portion, rusqlite::Error> {
    let all: Vec<usize> = (0..TEXTS.len()).collect();
    read_columns(db, &all, range, i64::MIN, limit)
}

/// Reads some columns of texts, of rows with numbers above `after`. Other texts
/// are empty.
pub(crate) fn read_columns(
    db: &Connection,
    columns: &[usize],
    (from, until): (i64, i64),
    after: i64,
    limit: usize,
) -> Result<Portion, rusqlite::Error> {
    let mut names = NUMBERS.to_owned();
    for &column in columns {
        names = names + ", " + TEXTS[column].name;
    }
    let mut statement = db.prepare_cached(&format!(
        "SELECT {names} FROM tail \
         WHERE seq > ?1 AND ts_ms BETWEEN ?2 AND ?3 ORDER BY seq LIMIT ?4"
    ))?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = statement.query([after, from, until, limit])?;
    let mut draft = Draft::of_columns(columns);
    let mut last = None;
    while let Some(row) = rows.next()? {
        last = Some(row.get(0)?);
        let numbers = Numbers {
            time: row.get(1)?,
            link: row.get(2)?,
            visitor: row.get::<_, i64>(3)?.cast_unsigned(),
            interval: row.get(4)?,
            coherent: row.get(5)?,
        };
        let mut texts = [""; TEXTS.len()];
        for (place, &column) in (6..).zip(columns) {
            texts[column] = row.get_ref(place)?.as_str()?;
        }
        draft.push(numbers, &RowTexts(texts));
    }
    Ok(Portion { draft, last })
}
