//! Moving full tails into chunks.

use rusqlite::{Connection, ToSql, TransactionBehavior};

use super::{
    block::{Block, ChunkHead},
    chunk::{self, Span},
    chunk_targets,
    column::Column,
    tail,
};

/// Seals as long as the tail holds `rows_per_chunk` rows. The chunk appears
/// and the rows disappear in one transaction.
pub(super) fn seal(db: &mut Connection, rows_per_chunk: usize) -> Result<(), rusqlite::Error> {
    while tail::len(db)? >= rows_per_chunk {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let portion = tail::read(&tx, i64::MIN, rows_per_chunk)?;
        // Another process may have been faster.
        let Some(last) = portion.last else {
            return Ok(());
        };
        write(&tx, &portion.block)?;
        tx.execute("DELETE FROM tail WHERE seq <= ?1", [last])?;
        tx.commit()?;
    }
    Ok(())
}

/// Writes rows, which may be in any order, as a new chunk, or as several where
/// they span too much.
pub(super) fn write(db: &Connection, block: &Block) -> Result<(), rusqlite::Error> {
    for rows in split(block) {
        insert(db, None, block, &rows)?;
    }
    Ok(())
}

/// The rows in order of time, cut where a chunk would span more than its
/// format can hold. Rows of the same moment stay in order of arrival.
fn split(block: &Block) -> Vec<Vec<usize>> {
    let mut rows: Vec<usize> = (0..block.rows).collect();
    rows.sort_by_key(|&row| block.time[row]);
    let mut parts = Vec::new();
    let mut rest = rows.as_slice();
    while let Some(&first) = rest.first() {
        let start = block.time[first];
        let end =
            rest.partition_point(|&row| block.time[row].abs_diff(start) <= chunk::SPAN_MAX_MS);
        let (part, later) = rest.split_at(end);
        parts.push(part.to_vec());
        rest = later;
    }
    parts
}

/// Writes rows, which are in order of time, as a chunk: a new one, unless it
/// takes the place of a number.
pub(super) fn insert(
    db: &Connection,
    id: Option<i64>,
    block: &Block,
    rows: &[usize],
) -> Result<(), rusqlite::Error> {
    let (Some(&first), Some(&last)) = (rows.first(), rows.last()) else {
        return Ok(());
    };
    let span = Span {
        rows: u32::try_from(rows.len()).expect("a chunk is far smaller than 2^32 rows"),
        min_ts: block.time[first],
        max_ts: block.time[last],
    };
    let blobs = Column::ALL
        .map(|column| chunk::encode(span, column, &block.values(column, rows, span.min_ts)));
    let names = Column::ALL.map(Column::name).join(", ");
    let mut values: Vec<&dyn ToSql> =
        vec![&id, &chunk::FORMAT, &span.min_ts, &span.max_ts, &span.rows];
    values.extend(blobs.iter().map(|blob| -> &dyn ToSql { blob }));
    db.execute(
        &format!(
            "INSERT INTO chunk (id, format, min_ts, max_ts, n, {names}) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
        ),
        values.as_slice(),
    )?;
    let id = db.last_insert_rowid();
    chunk_targets::insert(db, ChunkHead { id, span }, block, rows)
}

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::*;
    use crate::engine::{schema, selection::Selection};

    const DAY_MS: i64 = 86_400_000;

    fn log_with_times(folder: &tempfile::TempDir, times: &[i64]) -> Connection {
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for (ip, time) in (0_i64..).zip(times) {
            db.execute(
                "INSERT INTO tail (ts_ms, target_id, client_id, place_id, ref_id, lang_id, ip, si, coh) \
                 VALUES (?1, 70000, 300, 2, 1, 1, ?2, 1, 1)",
                params![time, ip],
            )
            .unwrap();
        }
        db
    }

    /// Of each chunk: rows, first and last moment.
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
    fn rows_of_a_chunk_are_in_order_of_time() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = log_with_times(&folder, &[30, -10, 20, 30]);
        seal(&mut db, 4).unwrap();
        let (ts, ip): (Vec<u8>, Vec<u8>) = db
            .query_row("SELECT ts, ip FROM chunk", [], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })
            .unwrap();
        let span = Span {
            rows: 4,
            min_ts: -10,
            max_ts: 30,
        };
        let mut block = Block::default();
        block
            .load(span, Column::Time, &ts, &Selection::All)
            .unwrap();
        block
            .load(span, Column::Visitor, &ip, &Selection::All)
            .unwrap();
        assert_eq!(block.time, [-10, 20, 30, 30]);
        assert_eq!(block.visitor, [1, 2, 0, 3]);
    }

    #[test]
    fn a_chunk_spans_49_days_at_most() {
        let folder = tempfile::tempdir().unwrap();
        let limit = i64::try_from(chunk::SPAN_MAX_MS).unwrap();
        let mut db = log_with_times(&folder, &[0, limit, limit + 1, 400 * DAY_MS]);
        seal(&mut db, 4).unwrap();
        assert_eq!(
            chunks(&db),
            [
                (2, 0, limit),
                (1, limit + 1, limit + 1),
                (1, 400 * DAY_MS, 400 * DAY_MS)
            ]
        );
        assert_eq!(tail::len(&db).unwrap(), 0);
    }
}
