//! The table of day totals.
//!
//! A day has a record for each segment of its visits. A record is built like a chunk: a directory of
//! columns by name, and parts, all with checksums that also cover the day. Triggers delete the
//! records of a day as soon as a chunk of the day is added, deleted or changed. So each record was
//! counted from the current chunks. A version that counts other columns deletes all totals in its step
//! of the schema, and counts them anew.
//!
//! The process that counts a day claims it first. The claim is a record of all visits without a
//! directory, which the same triggers delete. So a count that a change overtakes is never stored.
//!
//! A claim also numbers the attempts of which none ended. A process that dies of a count, for want
//! of memory, would otherwise die of the same day at each start.

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
    /// The columns of each segment's record.
    pub(crate) records: [Columns; Segment::EACH.len()],
}

/// The columns of a record, ready to be stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(crate) directory: Vec<u8>,
    pub(crate) parts: Vec<(u8, Vec<u8>)>,
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
    for (segment, columns) in Segment::EACH.into_iter().zip(&totals.records) {
        tx.prepare_cached(
            "INSERT INTO day_totals (day, segment, n, directory) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute(params![
            claim.day,
            segment.number(),
            totals.rows,
            columns.directory
        ])?;
        for (position, data) in &columns.parts {
            tx.prepare_cached("INSERT INTO day_part (id, data) VALUES (?1, ?2)")?
                .execute(params![stored_part(claim.day, segment, *position), data])?;
        }
    }
    tx.commit()?;
    Ok(true)
}

/// The number of a part of a record.
fn stored_part(day: i64, segment: Segment, position: u8) -> i64 {
    let record = day.saturating_mul(RECORDS) + i64::from(segment.number());
    part_id(record, position)
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
    segment: Segment,
    /// The number of the day's counted rows.
    rows: u32,
    directory: Directory,
}

impl<'c> Record<'c> {
    /// A segment's record of a day that has totals. Damage is an error; the day can be counted anew at
    /// any time.
    pub(crate) fn read(
        db: &'c Connection,
        day: i64,
        segment: Segment,
    ) -> Result<Self, EngineError> {
        let mut statement = db.prepare_cached(
            "SELECT n, directory FROM day_totals \
             WHERE day = ?1 AND segment = ?2 AND directory IS NOT NULL",
        )?;
        let mut found = statement.query(params![day, segment.number()])?;
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
            segment,
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
        let part = stored_part(self.day, self.segment, entry.position);
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
        for segment in Segment::EACH {
            let record: Option<(u32, Vec<u8>)> = db
                .query_row(
                    "SELECT n, directory FROM day_totals \
                     WHERE day = ?1 AND segment = ?2 AND directory IS NOT NULL",
                    params![day, segment.number()],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let Some((of_record, directory)) = record else {
                return Ok(None);
            };
            if *rows.get_or_insert(of_record) != of_record {
                return Ok(None);
            }
            let first = stored_part(day, segment, 0);
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
        let records = <[Columns; Segment::EACH.len()]>::try_from(found).ok();
        Ok(rows
            .zip(records)
            .map(|(rows, records)| Self { rows, records }))
    }
}
