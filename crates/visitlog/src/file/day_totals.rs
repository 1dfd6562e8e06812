//! The table of day totals.
//!
//! A day has a record for each segment of its visits, and for each segment of each domain that has
//! totals of its own. A record is built like a chunk: a directory of
//! columns by name, and parts, all with checksums that also cover the day. Triggers delete the
//! records of a day as soon as a chunk of the day is added, deleted or changed. So each record was
//! counted from the current chunks.
//!
//! The process that counts a day claims it first. The claim is a record of all visits without a
//! directory, which the same triggers delete. So a count that a change overtakes is never stored.
//!
//! A claim also numbers the attempts of which none ended. A process that dies of a count, for want
//! of memory, would otherwise die of the same day at each start.

use std::collections::BTreeMap;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use slugline_analytics::utc::MILLIS_PER_DAY;

use super::{day::segment::Segment, error::EngineError};
use crate::format::{
    chunk::{self, ChunkError, Directory, Entry, Span, part_id},
    dictionary::Dictionary,
    selection::Selection,
};

/// The numbers that the records of a day can have in the file.
const RECORDS: i64 = 1 << 16;

/// The longest list of numbers that does not depend on the number of rows.
const FIXED: u32 = 512;

/// A running count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claim {
    pub(crate) day: i64,
    number: i64,
}

/// The totals of a day, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) rows: u32,
    /// The columns of each record, by its number.
    pub(crate) records: Vec<Columns>,
}

/// The columns of a record, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) directory: Vec<u8>,
    pub(crate) parts: Vec<(u8, Vec<u8>)>,
}

/// A column as the directory describes it, wherever it stands there, and its part.
type Content<'e> = (Entry, Option<&'e [u8]>);

impl Encoded {
    /// Returns whether the two have the same rows, and the same content in each column that both
    /// have. A newer version counts more columns.
    pub(crate) fn agrees_with(&self, other: &Self, day: i64) -> bool {
        let same = |(ours, theirs): (&Columns, &Columns)| {
            let span = span(day, self.rows);
            let (Some(ours), Some(theirs)) = (ours.by_name(span), theirs.by_name(span)) else {
                return false;
            };
            let same = |(name, column)| theirs.get(name).is_none_or(|other| other == column);
            ours.iter().all(same)
        };
        self.rows == other.rows
            && self.records.len() == other.records.len()
            && self.records.iter().zip(&other.records).all(same)
    }
}

impl Columns {
    /// The columns with their parts, each by its name and whether it holds texts. `None` if the
    /// directory is damaged.
    fn by_name(&self, span: Span) -> Option<BTreeMap<(String, bool), Content<'_>>> {
        let directory = Directory::parse(span, &self.directory).ok()?;
        let mut columns = BTreeMap::new();
        for name in directory.names() {
            let found = [directory.numbers(name), directory.texts(name)];
            for (entry, texts) in found.into_iter().zip([false, true]) {
                if let Some(entry) = entry {
                    let mut parts = self.parts.iter();
                    let part = parts.find(|(position, _)| *position == entry.position);
                    let part = part.map(|(_, data)| data.as_slice());
                    let mut entry = entry.clone();
                    entry.position = 0;
                    columns.insert((name.to_owned(), texts), (entry, part));
                }
            }
        }
        Some(columns)
    }
}

/// The latest day before another one that has chunks, no totals, and fewer than `attempts`
/// unfinished counts.
pub(crate) fn latest_uncounted(
    db: &Connection,
    before: i64,
    attempts: u32,
) -> Result<Option<i64>, rusqlite::Error> {
    db.prepare_cached(
        "SELECT max(day) FROM chunk WHERE day < ?1 AND day NOT IN \
         (SELECT day FROM day_totals WHERE directory IS NOT NULL OR n >= ?2)",
    )?
    .query_row(params![before, attempts], |row| row.get(0))
}

/// Claims a day, even if another process is counting it.
pub(crate) fn claim(db: &mut Connection, day: i64) -> Result<Claim, rusqlite::Error> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let attempts: u32 = tx
        .prepare_cached(
            "SELECT coalesce(max(n), 0) FROM day_totals WHERE day = ?1 AND directory IS NULL",
        )?
        .query_row([day], |row| row.get(0))?;
    remove(&tx, day)?;
    let number = tx
        .prepare_cached(
            "INSERT INTO day_totals (day, segment, claim, n) VALUES (?1, 0, random(), ?2) \
             RETURNING claim",
        )?
        .query_row(params![day, attempts.saturating_add(1)], |row| row.get(0))?;
    tx.commit()?;
    Ok(Claim { day, number })
}

/// Gives a claim up whose count ended without totals.
pub(crate) fn give_up(db: &Connection, claim: Claim) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM day_totals WHERE day = ?1 AND claim = ?2")?
        .execute(params![claim.day, claim.number])?;
    Ok(())
}

/// Stores a count, unless the day has changed since the claim. Returns whether the count was
/// stored.
pub(crate) fn store(
    db: &mut Connection,
    claim: Claim,
    totals: &Encoded,
) -> Result<bool, rusqlite::Error> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let claimed = tx
        .prepare_cached("DELETE FROM day_totals WHERE day = ?1 AND claim = ?2")?
        .execute(params![claim.day, claim.number])?;
    if claimed == 0 {
        return Ok(false);
    }
    for (record, columns) in (0..).zip(&totals.records) {
        tx.prepare_cached(
            "INSERT INTO day_totals (day, segment, n, directory) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![claim.day, record, totals.rows, columns.directory])?;
        for (position, data) in &columns.parts {
            tx.prepare_cached("INSERT INTO day_part (id, data) VALUES (?1, ?2)")?
                .execute(params![stored_part(claim.day, record, *position), data])?;
        }
    }
    tx.commit()?;
    Ok(true)
}

/// The number of a part of a record.
fn stored_part(day: i64, record: u16, position: u8) -> i64 {
    let record = day.saturating_mul(RECORDS) + i64::from(record);
    part_id(record, position)
}

/// Returns whether the file has the totals of this version. Those of an earlier one go at the next
/// start of the service.
pub(crate) fn have_segments(db: &Connection) -> Result<bool, rusqlite::Error> {
    let sql = "SELECT count(*) FROM pragma_table_info('day_totals') WHERE name = 'segment'";
    let columns: i64 = db.query_row(sql, [], |row| row.get(0))?;
    Ok(columns == 1)
}

/// Removes the totals of a day, or its claim.
pub(crate) fn remove(db: &Connection, day: i64) -> Result<(), rusqlite::Error> {
    db.prepare_cached("DELETE FROM day_totals WHERE day = ?1")?
        .execute([day])?;
    Ok(())
}

/// The span that checksums cover: the day, and the most values that a column can have.
pub(crate) fn span(day: i64, rows: u32) -> Span {
    let min_ts = day.saturating_mul(MILLIS_PER_DAY);
    Span {
        rows: rows.max(FIXED),
        min_ts,
        max_ts: min_ts.saturating_add(MILLIS_PER_DAY - 1),
    }
}

/// The days in a range that have totals, in order.
pub(crate) fn days(
    db: &Connection,
    (first, last): (i64, i64),
) -> Result<Vec<i64>, rusqlite::Error> {
    db.prepare_cached(
        "SELECT day FROM day_totals \
         WHERE day BETWEEN ?1 AND ?2 AND segment = 0 AND directory IS NOT NULL ORDER BY day",
    )?
    .query_map([first, last], |row| row.get(0))?
    .collect()
}

/// One record of a day's totals in a file.
#[derive(Debug)]
pub(crate) struct Record<'c> {
    db: &'c Connection,
    pub(crate) day: i64,
    number: u16,
    /// The number of the day's counted rows.
    rows: u32,
    directory: Directory,
}

impl<'c> Record<'c> {
    /// The record with this number of a day that has totals. Damage is an error; the day can be counted
    /// anew at any time.
    pub(crate) fn read(db: &'c Connection, day: i64, number: u16) -> Result<Self, EngineError> {
        let mut statement = db.prepare_cached(
            "SELECT n, directory FROM day_totals \
             WHERE day = ?1 AND segment = ?2 AND directory IS NOT NULL",
        )?;
        let mut found = statement.query(params![day, number])?;
        let damaged = |source| EngineError::Totals { day, source };
        let Some(row) = found.next()? else {
            return Err(damaged(ChunkError::Directory));
        };
        let rows = row.get(0)?;
        let directory = row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?;
        let directory = Directory::parse(span(day, rows), directory).map_err(damaged)?;
        Ok(Self {
            db,
            day,
            number,
            rows,
            directory,
        })
    }

    /// The numbers of a column, if there is one.
    pub(crate) fn numbers(&self, name: &str) -> Result<Option<Vec<u64>>, EngineError> {
        let column = "of numbers";
        let Some(entry) = self.directory.numbers(name) else {
            return Ok(None);
        };
        let numbers = self.with_data(entry, column, |data| {
            let values = chunk::numbers(column, entry, data)?.read(&Selection::All);
            values.ok_or(ChunkError::Value { column })
        })?;
        Ok(Some(numbers.into_list(entry.count())))
    }

    /// The texts of a column, if there is one.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Dictionary>, EngineError> {
        let column = "of texts";
        let Some(entry) = self.directory.texts(name) else {
            return Ok(None);
        };
        let texts = self.with_data(entry, column, |data| {
            let texts = chunk::texts(column, entry, data)?.all();
            texts.ok_or(ChunkError::Text { column })
        })?;
        Ok(Some(texts))
    }

    /// Reads every column.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        for name in self.directory.names() {
            self.numbers(name)?;
            self.texts(name)?;
        }
        Ok(())
    }

    /// The error of a damaged record.
    pub(crate) fn damaged(&self, source: ChunkError) -> EngineError {
        EngineError::Totals {
            day: self.day,
            source,
        }
    }

    fn with_data<T>(
        &self,
        entry: &Entry,
        column: &'static str,
        read: impl FnOnce(&[u8]) -> Result<T, ChunkError>,
    ) -> Result<T, EngineError> {
        if let Some(data) = entry.here() {
            return read(data).map_err(|source| self.damaged(source));
        }
        let part = stored_part(self.day, self.number, entry.position);
        let span = span(self.day, self.rows);
        let found = self
            .db
            .prepare_cached("SELECT data FROM day_part WHERE id = ?1")?
            .query_row([part], |row| {
                let part = row.get_ref(0)?.as_blob()?;
                Ok(entry.data(span, column, part).and_then(read))
            })
            .optional()?;
        let found = found.unwrap_or(Err(ChunkError::Absent { column }));
        found.map_err(|source| self.damaged(source))
    }
}

impl Encoded {
    /// The bytes of a day's records, for comparison with another count; `None` if any is missing.
    pub(crate) fn stored(db: &Connection, day: i64) -> Result<Option<Self>, rusqlite::Error> {
        let (mut found, mut rows) = (Vec::new(), None);
        for number in numbers(db, day)? {
            let record: Option<(u32, Vec<u8>)> = db
                .query_row(
                    "SELECT n, directory FROM day_totals \
                     WHERE day = ?1 AND segment = ?2 AND directory IS NOT NULL",
                    params![day, number],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let follows = usize::from(number) == found.len();
            let Some((of_record, directory)) = record.filter(|_| follows) else {
                return Ok(None);
            };
            if *rows.get_or_insert(of_record) != of_record {
                return Ok(None);
            }
            let first = stored_part(day, number, 0);
            let parts = db
                .prepare("SELECT id, data FROM day_part WHERE id BETWEEN ?1 AND ?2 ORDER BY id")?
                .query_map([first, first + i64::from(u8::MAX)], |row| {
                    let id: i64 = row.get(0)?;
                    let position = u8::try_from(id - first).unwrap_or(u8::MAX);
                    Ok((position, row.get(1)?))
                })?
                .collect::<Result<_, _>>()?;
            found.push(Columns { directory, parts });
        }
        let is_whole = found.len() >= Segment::EACH.len();
        let rows = rows.filter(|_| is_whole);
        Ok(rows.map(|rows| Self {
            rows,
            records: found,
        }))
    }
}

/// The numbers of the records of a day, in order.
fn numbers(db: &Connection, day: i64) -> Result<Vec<u16>, rusqlite::Error> {
    db.prepare_cached("SELECT segment FROM day_totals WHERE day = ?1 ORDER BY segment")?
        .query_map([day], |row| row.get(0))?
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{file::day::segment::Scope, format::chunk::Encoder};

    const DAY: i64 = 7;

    fn encoded(rows: u32, columns: &[(&str, u64)]) -> Encoded {
        let columns_of = |segment: Segment| -> Columns {
            let mut encoder = Encoder::new(span(DAY, rows));
            for (name, first) in columns {
                let name = Scope::ALL.column(segment, name);
                // Too many for the directory itself.
                let numbers: Vec<u64> = (0..200).map(|number| first + number * number).collect();
                encoder.numbers(&name, &numbers);
                encoder.texts(&name, ["a", "b"].into_iter());
            }
            let (directory, parts) = encoder.finish();
            Columns { directory, parts }
        };
        let records = Segment::EACH.map(columns_of).into();
        Encoded { rows, records }
    }

    #[test]
    fn counts_agree_although_a_newer_version_has_more_columns() {
        let newer = encoded(900, &[("visits", 1), ("channel", 5), ("slug", 9)]);
        let older = encoded(900, &[("visits", 1), ("slug", 9)]);
        assert!(older.agrees_with(&newer, DAY) && newer.agrees_with(&older, DAY));
        for other in [
            encoded(900, &[("visits", 1), ("slug", 8)]),
            encoded(901, &[("visits", 1), ("slug", 9)]),
        ] {
            assert!(!other.agrees_with(&newer, DAY));
        }
        for segment in Segment::EACH {
            let mut other = newer.clone();
            let (_, data) = &mut other.records[segment.index()].parts[0];
            data[0] ^= 1;
            assert!(!other.agrees_with(&newer, DAY), "{segment:?}");
        }
    }
}
