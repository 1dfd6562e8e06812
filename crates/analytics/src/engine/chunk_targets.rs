//! Which targets have rows in a chunk, so that a question about some links
//! passes over the chunks that have none of them.
//!
//! It can only spare work: a chunk whose list is missing, because it is older
//! than these lists, or cannot be read is looked at as a whole.

use rusqlite::{Connection, OptionalExtension, params};

use super::{
    block::{Block, ChunkHead},
    chunk::{self, ChunkError, Span},
    column::Column,
    id_set::IdSet,
    selection::Selection,
};

/// Lists the targets of some rows, which have become a chunk.
pub(super) fn insert(
    db: &Connection,
    head: ChunkHead,
    block: &Block,
    rows: &[usize],
) -> Result<(), rusqlite::Error> {
    let ids = distinct(rows.iter().map(|&row| block.target[row]));
    let span = of_list(head, ids.len());
    let values: Vec<u64> = ids.into_iter().map(u64::from).collect();
    db.prepare_cached("INSERT INTO chunk_target (chunk, n, ids) VALUES (?1, ?2, ?3)")?
        .execute(params![
            head.id,
            span.rows,
            chunk::encode(span, Column::Target, &values)
        ])?;
    Ok(())
}

/// Whether a chunk certainly has no row of these targets.
pub(super) fn lack(
    db: &Connection,
    head: ChunkHead,
    wanted: &IdSet,
) -> Result<bool, rusqlite::Error> {
    Ok(match list(db, head)? {
        Some(Ok(ids)) => !ids.into_iter().any(|id| wanted.contains(id)),
        Some(Err(_)) | None => false,
    })
}

/// Whether a chunk's list, if it has one, says what its rows say.
pub(super) fn agree(
    db: &Connection,
    head: ChunkHead,
    block: &Block,
) -> Result<bool, rusqlite::Error> {
    Ok(match list(db, head)? {
        Some(Ok(ids)) => ids == distinct(block.target.iter().copied()),
        Some(Err(_)) => false,
        None => true,
    })
}

type List = Result<Vec<u32>, ChunkError>;

fn list(db: &Connection, head: ChunkHead) -> Result<Option<List>, rusqlite::Error> {
    db.prepare_cached("SELECT n, ids FROM chunk_target WHERE chunk = ?1")?
        .query_row([head.id], |row| {
            let span = Span {
                rows: row.get(0)?,
                ..head.span
            };
            let blob = row.get_ref(1)?.as_blob()?;
            Ok(chunk::decode_rows(
                span,
                Column::Target,
                blob,
                &Selection::All,
            ))
        })
        .optional()
}

fn of_list(head: ChunkHead, length: usize) -> Span {
    Span {
        rows: u32::try_from(length).expect("there are no more targets than rows"),
        ..head.span
    }
}

fn distinct(ids: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut ids: Vec<u32> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{schema, seal};

    fn ids(ids: &[u32]) -> IdSet {
        let mut set = IdSet::default();
        for &id in ids {
            set.insert(id);
        }
        set
    }

    /// A log with a chunk of each list of targets, and the chunks' heads.
    fn log(folder: &tempfile::TempDir, chunks: &[&[u32]]) -> (Connection, Vec<ChunkHead>) {
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        for targets in chunks {
            let rows = targets.len();
            let block = Block {
                rows,
                time: (0..).take(rows).collect(),
                interval: vec![1; rows],
                coherent: vec![1; rows],
                target: targets.to_vec(),
                visitor: vec![7; rows],
                referer: vec![1; rows],
                place: vec![1; rows],
                client: vec![1; rows],
                language: vec![1; rows],
            };
            seal::write(&db, &block).unwrap();
        }
        let sql = format!("SELECT {} FROM chunk ORDER BY id", ChunkHead::COLUMNS);
        let mut statement = db.prepare(&sql).unwrap();
        let heads = statement
            .query_map([], |row| Ok(ChunkHead::read(row).unwrap()))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        drop(statement);
        (db, heads)
    }

    #[test]
    fn a_chunk_lacks_targets_that_none_of_its_rows_has() {
        let folder = tempfile::tempdir().unwrap();
        let (db, heads) = log(&folder, &[&[5, 900, 5, 7], &[1]]);
        let lacks = |chunk: usize, targets: &[u32]| lack(&db, heads[chunk], &ids(targets)).unwrap();
        assert!(!lacks(0, &[5]) && !lacks(0, &[6, 900]));
        assert!(lacks(0, &[]) && lacks(0, &[1, 6, 8, 899, 901]));
        assert!(!lacks(1, &[1]) && lacks(1, &[5]));
    }

    #[test]
    fn a_chunk_without_a_list_or_with_a_damaged_one_may_have_everything() {
        let folder = tempfile::tempdir().unwrap();
        let (db, heads) = log(&folder, &[&[5], &[5]]);
        db.execute_batch(
            "DELETE FROM chunk_target WHERE chunk = 1;
             UPDATE chunk_target SET ids = x'00' WHERE chunk = 2",
        )
        .unwrap();
        for head in heads {
            assert!(!lack(&db, head, &ids(&[1])).unwrap());
        }
    }

    #[test]
    fn a_list_ends_with_its_chunk() {
        let folder = tempfile::tempdir().unwrap();
        let (db, _) = log(&folder, &[&[5], &[6]]);
        db.execute_batch("DELETE FROM chunk WHERE id = 1").unwrap();
        let left: Vec<i64> = db
            .prepare("SELECT chunk FROM chunk_target")
            .unwrap()
            .query_map([], |row| row.get(0))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(left, [2]);
    }
}
