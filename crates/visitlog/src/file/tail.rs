//! The tail, to which visits are appended: each batch is one row ([`batch`]).
//!
//! A batch has the number of its last visit, so the tail's length is known without counting.
//! Sealing sets unreadable batches aside: they get numbers below 1.

use std::ops::RangeInclusive;

use rusqlite::{Connection, params};
use slugline_analytics::utc::day_of;

use super::error::EngineError;
use crate::format::{batch, block_builder::BlockBuilder, chunk::Span};

/// Adds a batch at the end.
pub(crate) fn append(db: &Connection, draft: &BlockBuilder) -> Result<(), rusqlite::Error> {
    if draft.len() == 0 {
        return Ok(());
    }
    let (span, rows) = batch::encode(draft);
    db.prepare_cached(
        "INSERT INTO tail (seq, first_ts, last_ts, n, rows) \
         VALUES (max(0, coalesce((SELECT max(seq) FROM tail), 0)) + ?3, ?1, ?2, ?3, ?4)",
    )?
    .execute(params![span.min_ts, span.max_ts, span.rows, rows])?;
    Ok(())
}

/// The number of rows that wait to be sealed, or more: it is not counted, and a partly sealed batch
/// leaves a gap.
pub(crate) fn len(db: &Connection) -> Result<usize, rusqlite::Error> {
    let rows: Option<i64> = db
        .prepare_cached(
            "SELECT max(seq) - (SELECT seq - n FROM tail WHERE seq > 0 ORDER BY seq LIMIT 1) \
             FROM tail",
        )?
        .query_row([], |row| row.get(0))?;
    Ok(usize::try_from(rows.unwrap_or(0)).unwrap_or(0))
}

/// A batch in the file.
#[derive(Debug)]
pub(crate) struct Batch<'r> {
    pub(crate) number: i64,
    pub(crate) span: Span,
    bytes: &'r [u8],
}

impl<'r> Batch<'r> {
    /// The columns to select for [`Batch::of`].
    pub(crate) const COLUMNS: &'static str = "seq, n, first_ts, last_ts, rows";

    /// Reads the batch from a row that begins with [`Batch::COLUMNS`].
    pub(crate) fn of(row: &'r rusqlite::Row<'_>) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            number: row.get(0)?,
            span: Span {
                rows: row.get(1)?,
                min_ts: row.get(2)?,
                max_ts: row.get(3)?,
            },
            bytes: row.get_ref(4)?.as_blob()?,
        })
    }

    /// Adds the rows of a range of milliseconds to a builder, or none if there is an error.
    pub(crate) fn read(
        &self,
        range: (i64, i64),
        draft: &mut BlockBuilder,
    ) -> Result<(), EngineError> {
        let read = batch::decode(self.span, self.bytes, range, draft);
        read.map_err(|source| EngineError::Batch {
            number: self.number,
            source,
        })
    }
}

/// Rows of some batches, in order of arrival.
#[derive(Debug, Default)]
pub(crate) struct Portion {
    pub(crate) draft: BlockBuilder,
    /// The number of the last batch; `None` when there is none.
    pub(crate) last: Option<i64>,
    /// The numbers, rows and damage of batches that cannot be read.
    pub(crate) damaged: Vec<(i64, u32, EngineError)>,
}

/// Reads some columns of texts, of the rows of a range of milliseconds, from batches with numbers
/// above `after`, until there are `enough` rows.
pub(crate) fn read(
    db: &Connection,
    columns: &[usize],
    (from, until): (i64, i64),
    after: i64,
    enough: usize,
) -> Result<Portion, rusqlite::Error> {
    let sql = format!(
        "SELECT {} FROM tail WHERE seq > ?1 AND last_ts >= ?2 AND first_ts <= ?3 ORDER BY seq",
        Batch::COLUMNS
    );
    let mut statement = db.prepare_cached(&sql)?;
    let mut found = statement.query([after, from, until])?;
    let mut portion = Portion {
        draft: BlockBuilder::of_columns(columns),
        ..Portion::default()
    };
    while portion.draft.len() < enough
        && let Some(row) = found.next()?
    {
        let batch = Batch::of(row)?;
        portion.last = Some(batch.number);
        if let Err(error) = batch.read((from, until), &mut portion.draft) {
            portion.damaged.push((batch.number, batch.span.rows, error));
        }
    }
    Ok(portion)
}

/// The moments of all rows, in order of arrival.
pub(crate) fn times(db: &Connection) -> Result<Vec<i64>, rusqlite::Error> {
    let all = read(db, &[], (i64::MIN, i64::MAX), i64::MIN, usize::MAX)?.draft;
    Ok(all.rows.iter().map(|(numbers, _)| numbers.time).collect())
}

/// Removes rows up to a moment from the tail, from as many batches as have at most `most` rows
/// together, or from one. Sets damaged batches aside.
pub(crate) fn take(
    db: &Connection,
    until: i64,
    most: usize,
) -> Result<BlockBuilder, rusqlite::Error> {
    let sql = format!(
        "SELECT {} FROM tail WHERE seq > 0 AND first_ts <= ?1 ORDER BY seq",
        Batch::COLUMNS
    );
    let mut statement = db.prepare_cached(&sql)?;
    let mut found = statement.query([until])?;
    let mut draft = BlockBuilder::default();
    let (mut last, mut damaged, mut cut) = (0, Vec::new(), Vec::new());
    while let Some(row) = found.next()? {
        let batch = Batch::of(row)?;
        let rows = usize::try_from(batch.span.rows).unwrap_or(usize::MAX);
        if draft.len() > 0 && draft.len().saturating_add(rows) > most {
            break;
        }
        last = batch.number;
        let mut rest = BlockBuilder::default();
        let read = batch.read((i64::MIN, until), &mut draft);
        let read = read.and_then(|()| match until.checked_add(1) {
            Some(from) if batch.span.max_ts > until => batch.read((from, i64::MAX), &mut rest),
            Some(_) | None => Ok(()),
        });
        match read {
            Ok(()) if rest.len() == 0 => {}
            Ok(()) => cut.push((batch.number, batch::encode(&rest))),
            Err(error) => {
                let error: &(dyn std::error::Error + 'static) = &error;
                tracing::warn!(error, rows, "a damaged batch of visits is set aside");
                damaged.push(batch.number);
            }
        }
    }
    drop(found);
    for number in damaged {
        db.prepare_cached(
            "UPDATE tail SET seq = (SELECT min(0, min(seq)) - 1 FROM tail) WHERE seq = ?1",
        )?
        .execute([number])?;
    }
    for (number, (span, rows)) in cut {
        db.prepare_cached(
            "UPDATE tail SET first_ts = ?2, last_ts = ?3, n = ?4, rows = ?5 WHERE seq = ?1",
        )?
        .execute(params![number, span.min_ts, span.max_ts, span.rows, rows])?;
    }
    db.prepare_cached("DELETE FROM tail WHERE seq BETWEEN 1 AND ?1 AND last_ts <= ?2")?
        .execute([last, until])?;
    Ok(draft)
}

/// Returns whether damaged batches were set aside.
pub(crate) fn has_set_aside(db: &Connection) -> Result<bool, rusqlite::Error> {
    db.query_row(
        "SELECT EXISTS (SELECT 1 FROM tail WHERE seq < 0)",
        [],
        |row| row.get(0),
    )
}

/// Deletes batches all of whose rows are from before a moment.
pub(crate) fn delete_before(db: &Connection, cutoff_ms: i64) -> Result<(), rusqlite::Error> {
    db.execute("DELETE FROM tail WHERE last_ts < ?1", [cutoff_ms])?;
    Ok(())
}

/// The days of rows that are not in chunks yet, from the first to the last one of each batch.
pub(crate) fn days(db: &Connection) -> Result<Vec<RangeInclusive<i64>>, rusqlite::Error> {
    let mut statement = db.prepare_cached("SELECT first_ts, last_ts FROM tail")?;
    let mut days: Vec<RangeInclusive<i64>> = statement
        .query_map([], |row| Ok(day_of(row.get(0)?)..=day_of(row.get(1)?)))?
        .collect::<Result<_, _>>()?;
    days.dedup();
    Ok(days)
}

#[cfg(test)]
pub(crate) fn insert(
    db: &Connection,
    row: &slugline_analytics::row::Row<'_>,
    link: i64,
) -> Result<(), rusqlite::Error> {
    let mut draft = BlockBuilder::default();
    draft.push(crate::format::block::Numbers::of(row, link), row);
    append(db, &draft)
}

/// Every row of the tail.
#[cfg(test)]
pub(crate) fn all(db: &Connection) -> crate::format::block::Block {
    let columns: Vec<usize> = (0..slugline_analytics::columns::TEXTS.len()).collect();
    let portion = read(db, &columns, (i64::MIN, i64::MAX), i64::MIN, usize::MAX).unwrap();
    assert!(portion.damaged.is_empty());
    portion.draft.into_block()
}

#[cfg(test)]
mod tests {
    use slugline_analytics::{columns::text_of, row::Row};
    use slugline_domain::Dimension;

    use super::*;
    use crate::{
        file::schema,
        format::{block::Numbers, values::Values},
        tests::rows::row,
    };

    /// A tail with a batch of each list of moments.
    fn tail(folder: &tempfile::TempDir, batches: &[&[i64]]) -> Connection {
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for times in batches {
            let mut draft = BlockBuilder::default();
            for &time in *times {
                let row = row(time, time.unsigned_abs());
                draft.push(Numbers::of(&row, 1), &row);
            }
            append(&db, &draft).unwrap();
        }
        db
    }

    fn times_of(draft: BlockBuilder) -> Vec<i64> {
        let block = draft.into_block();
        (0..block.rows).map(|row| block.time.at(row)).collect()
    }

    #[test]
    fn batches_are_taken_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let db = tail(&folder, &[&[1, 2], &[5, 3], &[4], &[6, 7, 8]]);
        assert_eq!(len(&db).unwrap(), 8);
        assert_eq!(times_of(take(&db, i64::MAX, 4).unwrap()), [1, 2, 5, 3]);
        assert_eq!(len(&db).unwrap(), 4);
        // It takes at least one batch.
        assert_eq!(times_of(take(&db, i64::MAX, 0).unwrap()), [4]);
        assert_eq!(times_of(take(&db, i64::MAX, 1).unwrap()), [6, 7, 8]);
        assert_eq!((len(&db).unwrap(), take(&db, 0, 9).unwrap().len()), (0, 0));
    }

    #[test]
    fn a_batch_that_is_taken_in_part_keeps_the_rest() {
        let folder = tempfile::tempdir().unwrap();
        let db = tail(&folder, &[&[1, 9, 2], &[8], &[3]]);
        assert_eq!(times_of(take(&db, 5, 100).unwrap()), [1, 2, 3]);
        assert_eq!(all(&db).time, Values::Each(vec![9, 8]));
        assert_eq!(times_of(take(&db, 5, 100).unwrap()), [0; 0]);
        assert_eq!(times_of(take(&db, 9, 100).unwrap()), [9, 8]);
        assert_eq!(len(&db).unwrap(), 0);
    }

    #[test]
    fn the_rest_of_a_batch_can_be_read_also_if_its_texts_were_fewer_than_those_taken() {
        let folder = tempfile::tempdir().unwrap();
        let db = tail(&folder, &[]);
        let mut draft = BlockBuilder::default();
        let languages = ["de", "fr", "it", "", "en"];
        for (at, language) in (1..).zip(languages) {
            let row = Row {
                language,
                ..row(at, 7)
            };
            draft.push(Numbers::of(&row, 1), &row);
        }
        append(&db, &draft).unwrap();
        for (until, rest) in [(3, &languages[3..]), (4, &languages[4..])] {
            take(&db, until, 100).unwrap();
            let left = all(&db);
            let language = text_of(Dimension::Language);
            let found: Vec<&str> = (0..left.rows).map(|row| left.text(language, row)).collect();
            assert_eq!(found, rest);
        }
    }

    #[test]
    fn damaged_batches_are_set_aside_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let db = tail(&folder, &[&[1, 2], &[3, 4, 5], &[6], &[7]]);
        let damage = "UPDATE tail SET rows = zeroblob(length(rows)) WHERE n = 3 OR first_ts = 6";
        db.execute_batch(damage).unwrap();
        let lacking = || {
            let portion = read(&db, &[], (i64::MIN, i64::MAX), i64::MIN, 100).unwrap();
            let rows = portion.damaged.iter().map(|(_, rows, _)| *rows);
            (portion.draft.len(), rows.sum::<u32>())
        };
        assert_eq!(lacking(), (3, 4));
        assert_eq!(times_of(take(&db, i64::MAX, 100).unwrap()), [1, 2, 7]);
        assert_eq!((len(&db).unwrap(), lacking()), (0, (0, 4)));
        // Later batches are not hindered.
        append(&db, &take(&tail(&folder, &[&[8, 9]]), 9, 9).unwrap()).unwrap();
        assert_eq!((len(&db).unwrap(), lacking()), (2, (2, 4)));
        delete_before(&db, 6).unwrap();
        assert_eq!(lacking(), (2, 1));
    }
}
