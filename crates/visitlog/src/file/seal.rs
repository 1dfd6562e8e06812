//! Moves rows into chunks.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};
use slugline_analytics::utc::{MILLIS_PER_DAY, day_of};

use super::{erasure, tail};
use crate::format::{
    block_builder::BlockBuilder,
    chunk::{self, Span, part_id},
    hash::TextKey,
};

/// Seals as long as the tail holds `rows_per_chunk` rows. The chunks appear
/// and the rows disappear in one transaction.
pub(crate) fn seal(db: &mut Connection, rows_per_chunk: usize) -> Result<(), rusqlite::Error> {
    while tail::len(db)? >= rows_per_chunk {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let draft = tail::take(&tx, i64::MAX, rows_per_chunk)?;
        write(&tx, &draft, None)?;
        tx.commit()?;
        // Another process may have done it first.
        if draft.len() == 0 {
            break;
        }
    }
    Ok(())
}

/// Seals rows of the tail from before a day, from some batches. Returns whether there were any. So
/// a day of a quiet site becomes one chunk.
pub(crate) fn seal_before(
    db: &mut Connection,
    day: i64,
    rows_per_chunk: usize,
) -> Result<bool, rusqlite::Error> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let draft = tail::take(&tx, day * MILLIS_PER_DAY - 1, rows_per_chunk)?;
    write(&tx, &draft, None)?;
    tx.commit()?;
    Ok(draft.len() > 0)
}

/// Writes rows, which may be in any order, as chunks: one for each day of UTC. The first chunk gets
/// the given number, if any. Rows of marked links are dropped.
pub(crate) fn write(
    db: &Connection,
    draft: &BlockBuilder,
    id: Option<i64>,
) -> Result<(), rusqlite::Error> {
    let key = |row: usize| {
        let numbers = draft.numbers(row);
        (day_of(numbers.time), numbers.link, numbers.time)
    };
    let erased = erasure::marked(db)?;
    let mut rows: Vec<usize> = (0..draft.len())
        .filter(|&row| !erased.contains(&draft.numbers(row).link))
        .collect();
    // Rows of the same moment stay in order of arrival.
    rows.sort_by_cached_key(|&row| key(row));
    let mut id = id;
    for day in rows.chunk_by(|&one, &next| key(one).0 == key(next).0) {
        insert(db, draft, day, id.take())?;
    }
    Ok(())
}

fn insert(
    db: &Connection,
    draft: &BlockBuilder,
    rows: &[usize],
    id: Option<i64>,
) -> Result<(), rusqlite::Error> {
    let times = || rows.iter().map(|&row| draft.numbers(row).time);
    let (Some(min_ts), Some(max_ts)) = (times().min(), times().max()) else {
        return Ok(());
    };
    let span = Span {
        rows: u32::try_from(rows.len()).expect("a chunk is far smaller than 2^32 rows"),
        min_ts,
        max_ts,
    };
    let (directory, parts) = draft.encode(span, rows, &text_key(db)?).finish();
    db.prepare_cached(
        "INSERT INTO chunk (id, format, day, min_ts, max_ts, n, directory) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        id,
        chunk::FORMAT,
        day_of(min_ts),
        min_ts,
        max_ts,
        span.rows,
        directory
    ])?;
    let id = db.last_insert_rowid();
    for (position, data) in parts {
        db.prepare_cached("INSERT INTO part (id, data) VALUES (?1, ?2)")?
            .execute(params![part_id(id, position), data])?;
    }
    Ok(())
}

/// The key of the file's fingerprints; makes one if there is none. Chunks with fingerprints of
/// another key stay readable, because their texts decide equality.
fn text_key(db: &Connection) -> Result<TextKey, rusqlite::Error> {
    let mut select = db.prepare_cached("SELECT key FROM text_key")?;
    let known = select.query_row([], |row| row.get(0)).optional()?;
    if let Some(key) = known {
        return Ok(TextKey(key));
    }
    db.execute_batch("INSERT INTO text_key (key) VALUES (randomblob(16))")?;
    select.query_row([], |row| row.get(0)).map(TextKey)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = MILLIS_PER_DAY;
    use crate::{
        file::{chunk::Chunk, schema},
        format::{block::Block, values::Values},
        tests::rows::row,
    };

    fn log_with_times(folder: &tempfile::TempDir, times: &[i64]) -> Connection {
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for (visitor, &time) in (0_u64..).zip(times) {
            let link = i64::try_from(visitor % 2).unwrap();
            tail::insert(&db, &row(time, visitor), link).unwrap();
        }
        db
    }

    /// The number of rows, and the first and the last moment, of each chunk.
    fn chunks(db: &Connection) -> Vec<(u32, i64, i64)> {
        db.prepare("SELECT n, min_ts, max_ts FROM chunk ORDER BY id")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    }

    #[test]
    fn a_tail_is_sealed_when_it_is_full_and_not_before() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log_with_times(&folder, &[10, 30, 20, 40, 50, 60, 70]);
        seal(&mut db, 8).unwrap();
        assert_eq!((chunks(&db).len(), tail::len(&db).unwrap()), (0, 7));
        seal(&mut db, 3).unwrap();
        assert_eq!(chunks(&db), [(3, 10, 30), (3, 40, 60)]);
        assert_eq!(tail::len(&db).unwrap(), 1);
    }

    #[test]
    fn rows_of_a_chunk_are_in_order_of_link_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log_with_times(&folder, &[30, 40, 20, 10, 30]);
        seal(&mut db, 5).unwrap();
        let block = db
            .query_row(
                &format!("SELECT {} FROM chunk", Chunk::COLUMNS),
                [],
                |row| Ok(Block::whole(&Chunk::read(&db, row).unwrap()).unwrap()),
            )
            .unwrap();
        let rows = (0..block.rows).map(|row| {
            let numbers = block.numbers(row);
            (numbers.link, numbers.time, numbers.visitor)
        });
        let expected = [(0, 20, 2), (0, 30, 0), (0, 30, 4), (1, 10, 3), (1, 40, 1)];
        assert_eq!(rows.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn rows_from_before_a_day_are_sealed_and_those_of_the_day_stay() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log_with_times(&folder, &[DAY, 5, DAY + 1, 3, DAY - 1, 2 * DAY]);
        assert!(seal_before(&mut db, 1, 100).unwrap());
        assert!(!seal_before(&mut db, 1, 100).unwrap());
        assert_eq!(chunks(&db), [(3, 3, DAY - 1)]);
        let left = tail::all(&db).time;
        assert_eq!(left, Values::Each(vec![DAY, DAY + 1, 2 * DAY]));
    }

    #[test]
    fn a_chunk_is_of_one_day_of_utc() {
        let folder = tempfile::tempdir().unwrap();
        let day = MILLIS_PER_DAY;
        let mut db = log_with_times(&folder, &[day, -1, day - 1, 0, 400 * day]);
        seal(&mut db, 5).unwrap();
        assert_eq!(
            chunks(&db),
            [
                (1, -1, -1),
                (2, 0, day - 1),
                (1, day, day),
                (1, 400 * day, 400 * day)
            ]
        );
        assert_eq!(tail::len(&db).unwrap(), 0);
    }
}
