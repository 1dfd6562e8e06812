//! Merges small chunks of a day into one.
//!
//! A flood of visits makes many small chunks, because each of its batches is a chunk; so do visits
//! that came after their day had been sealed, and imports that are not in order of time.
//!
//! Chunks with very many different texts stay apart: a merged chunk has to fit into memory several
//! times, and is read whole by the thread that counts its day.

use std::{collections::BTreeSet, error::Error as StdError, path::PathBuf};

use rusqlite::{Connection, TransactionBehavior, params};
use slugline_analytics::utc::MILLIS_PER_DAY;

use crate::{
    file::{chunk::Chunk, chunk_lock, error::EngineError, seal},
    format::{block::Block, block_builder::BlockBuilder, selection::short},
};

/// The bytes that strangers' texts in a merged chunk can have at most.
const MOST_BYTES: usize = 16 << 20;

/// Like [`merge_day`], but does nothing while an export needs the chunks as they are; the next
/// round comes in an hour.
pub(crate) fn merge_day_alone(
    db: &mut Connection,
    days: (i64, i64),
    rows_per_chunk: usize,
) -> Result<Option<i64>, EngineError> {
    let Some(path) = db.path().map(PathBuf::from) else {
        return Ok(None);
    };
    match chunk_lock::merge_chunks(&path) {
        Ok(Some(_alone)) => merge_day(db, days, rows_per_chunk),
        Ok(None) => Ok(None),
        Err(error) => {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "chunks of the access log cannot be merged yet");
            Ok(None)
        }
    }
}

/// Merges small chunks of one day in a range of days, and returns the day after which to continue.
/// A chunk is small up to half of `rows_per_chunk`, and a merged one has at most that many rows.
pub(crate) fn merge_day(
    db: &mut Connection,
    (first, last): (i64, i64),
    rows_per_chunk: usize,
) -> Result<Option<i64>, EngineError> {
    let most = u32::try_from(rows_per_chunk).unwrap_or(u32::MAX);
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let day: Option<i64> = tx
        .prepare_cached(
            "SELECT min(day) FROM (SELECT day FROM chunk WHERE day >= ?1 AND day < ?2 AND n <= ?3 \
                                   GROUP BY day HAVING count(*) > 1)",
        )?
        .query_row(params![first, last, most / 2], |row| row.get(0))?;
    let Some(day) = day else {
        return Ok(None);
    };
    if merge_some(&tx, day, most)? == 0 {
        return Ok(Some(day + 1));
    }
    tx.commit()?;
    // The day may have more small chunks than fit into one.
    Ok(Some(day))
}

/// Merges all small chunks of some days, like [`merge_day`], but many days in one transaction: an
/// import makes very many chunks of a few rows.
pub(crate) fn merge_days(
    db: &mut Connection,
    days: &BTreeSet<i64>,
    rows_per_chunk: usize,
) -> Result<(), EngineError> {
    /// The rows of a transaction, after which the service beside the import takes its turn.
    const ROWS: u32 = 1 << 16;
    let most = u32::try_from(rows_per_chunk).unwrap_or(u32::MAX);
    let mut days = days.iter().copied().peekable();
    while days.peek().is_some() {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let mut rows = 0;
        while let (true, Some(&day)) = (rows < ROWS, days.peek()) {
            match merge_some(&tx, day, most)? {
                0 => {
                    days.next();
                }
                merged => rows += merged,
            }
        }
        tx.commit()?;
    }
    Ok(())
}

/// Merges the first small chunks of a day into one, and returns its rows; 0 if there is nothing to
/// merge.
fn merge_some(db: &Connection, day: i64, most: u32) -> Result<u32, EngineError> {
    let (merged, draft) = read(db, day, most)?;
    let [_, .., newest] = merged[..] else {
        return Ok(0);
    };
    for id in &merged {
        db.prepare_cached("DELETE FROM chunk WHERE id = ?1")?
            .execute([id])?;
    }
    // The newest number keeps the merged chunk at its position in the order of arrival.
    seal::write(db, &draft, Some(newest))?;
    Ok(short(draft.len()))
}

/// The numbers and rows of the first small chunks of a day, as many as make a chunk. Damaged chunks
/// stay as they are.
fn read(db: &Connection, day: i64, most: u32) -> Result<(Vec<i64>, BlockBuilder), EngineError> {
    // The first condition is one for which there is an index.
    let sql = format!(
        "SELECT {} FROM chunk WHERE max_ts BETWEEN ?1 AND ?2 AND day = ?3 AND n <= ?4 ORDER BY id",
        Chunk::COLUMNS
    );
    let mut statement = db.prepare_cached(&sql)?;
    let start = day.saturating_mul(MILLIS_PER_DAY);
    let end = start.saturating_add(MILLIS_PER_DAY - 1);
    let mut found = statement.query(params![start, end, day, most / 2])?;
    let mut merged = Vec::new();
    let mut draft = BlockBuilder::default();
    let (mut rows, mut bytes) = (0, 0);
    while let Some(row) = found.next()? {
        let (id, count): (i64, u32) = (row.get(0)?, row.get(2)?);
        let chunk = match Chunk::read(db, row) {
            Err(error) if error.is_damage() => continue,
            read => read?,
        };
        let of_chunk = chunk.most_bytes_of_strangers();
        if of_chunk > MOST_BYTES / 2 {
            continue;
        }
        if rows + count > most || bytes + of_chunk > MOST_BYTES {
            break;
        }
        match Block::whole(&chunk) {
            Ok(block) => {
                draft.append(&block);
                merged.push(id);
                rows += count;
                bytes += of_chunk;
            }
            Err(error) if error.is_damage() => {}
            Err(error) => return Err(error),
        }
    }
    Ok((merged, draft))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{file::schema, format::block::Numbers, tests::rows::row};

    /// A log with a chunk of each list of moments.
    fn log(folder: &tempfile::TempDir, chunks: &[&[i64]]) -> Connection {
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for times in chunks {
            let mut draft = BlockBuilder::default();
            for &time in *times {
                let row = row(time, time.unsigned_abs());
                draft.push(Numbers::of(&row, 1), &row);
            }
            seal::write(&db, &draft, None).unwrap();
        }
        db
    }

    fn chunks(db: &Connection) -> Vec<(i64, Vec<i64>)> {
        let sql = format!("SELECT {} FROM chunk ORDER BY id", Chunk::COLUMNS);
        let mut statement = db.prepare(&sql).unwrap();
        let mut found = statement.query([]).unwrap();
        let mut chunks = Vec::new();
        while let Some(row) = found.next().unwrap() {
            let chunk = Chunk::read(db, row).unwrap();
            let block = Block::whole(&chunk).unwrap();
            let times = (0..block.rows).map(|row| block.time.at(row)).collect();
            chunks.push((chunk.id, times));
        }
        chunks
    }

    fn merge(db: &mut Connection, rows_per_chunk: usize) {
        let mut first = i64::MIN;
        while let Some(next) = merge_day(db, (first, 2), rows_per_chunk).unwrap() {
            first = next;
        }
    }

    #[test]
    fn small_chunks_of_one_day_become_one() {
        let folder = tempfile::tempdir().unwrap();
        let later = MILLIS_PER_DAY + 5;
        let today = 2 * MILLIS_PER_DAY;
        let mut db = log(
            &folder,
            &[
                &[1, 4],
                &[later],
                &[2],
                &[3, 5, 6, 7, 8],
                &[9],
                &[today],
                &[today],
            ],
        );
        merge(&mut db, 8);
        let expected = [
            (2, vec![later]),
            (4, vec![3, 5, 6, 7, 8]),
            (5, vec![1, 2, 4, 9]),
            (6, vec![today]),
            (7, vec![today]),
        ];
        assert_eq!(chunks(&db), expected);
    }

    #[test]
    fn more_than_fit_one_become_several() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log(&folder, &[&[1], &[2], &[3], &[4], &[5]]);
        merge(&mut db, 3);
        let rows: Vec<usize> = chunks(&db).iter().map(|(_, rows)| rows.len()).collect();
        assert_eq!(rows, [3, 2]);
    }

    #[test]
    fn a_damaged_chunk_stays_and_the_others_are_merged() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log(&folder, &[&[1], &[2], &[3]]);
        db.execute_batch("UPDATE chunk SET directory = x'00' WHERE id = 2")
            .unwrap();
        merge(&mut db, 8);
        db.execute_batch("DELETE FROM chunk WHERE id = 2").unwrap();
        assert_eq!(chunks(&db), [(3, vec![1, 3])]);
    }

    #[test]
    fn a_merge_that_fails_at_any_step_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log(&folder, &[&[1], &[2], &[3]]);
        let before = chunks(&db);
        for step in ["DELETE ON chunk", "INSERT ON chunk"] {
            db.execute_batch(&format!(
                "CREATE TEMP TRIGGER disk_full BEFORE {step} \
                 BEGIN SELECT RAISE(ABORT, 'full'); END"
            ))
            .unwrap();
            assert!(merge_day(&mut db, (0, 2), 8).is_err());
            db.execute_batch("DROP TRIGGER disk_full").unwrap();
            assert_eq!(chunks(&db), before);
        }
        merge(&mut db, 8);
        assert_eq!(chunks(&db), [(3, vec![1, 2, 3])]);
    }
}
