//! Dictionary entries that no row refers to any more.
//!
//! Rows are gone through chunk by chunk, which takes as many steps as there
//! are chunks. Rows are added meanwhile, but only behind those that were seen:
//! the last step, which deletes, sees them too, and is one transaction.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::{block::Block, dimension::Table, error::EngineError, id_set::IdSet, tail};

/// Entries deleted at once from a dictionary.
const ENTRIES: usize = 10_000;

/// Tail rows read at once.
const TAIL_ROWS: usize = 65_536;

/// Which entries are in use, as far as is known.
#[derive(Debug)]
pub(super) struct Usage {
    used: [IdSet; Table::ALL.len()],
    /// The newest chunk that was seen.
    last_chunk: i64,
    /// What the file looked like when this began.
    version: i64,
}

impl Usage {
    pub(super) fn start(db: &Connection) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            used: Default::default(),
            last_chunk: i64::MIN,
            version: foreign_changes(db)?,
        })
    }

    /// Looks at the next chunk, and says whether there was one.
    pub(super) fn see_chunk(&mut self, db: &Connection) -> Result<bool, EngineError> {
        let columns = Table::ALL.map(Table::column);
        let next = db
            .prepare_cached(&format!(
                "SELECT {} FROM chunk WHERE id > ?1 ORDER BY id LIMIT 1",
                Block::selection(&columns)
            ))?
            .query_row([self.last_chunk], |row| {
                Ok((row.get(0)?, Block::read(row, &columns)))
            })
            .optional()?;
        let Some((id, block)) = next else {
            return Ok(false);
        };
        self.see(&block?);
        self.last_chunk = id;
        Ok(true)
    }

    /// Deletes some entries that are not in use, and says whether there were
    /// any. `None` when another process has changed the file since the start,
    /// and nothing is known.
    pub(super) fn delete_unused(
        &mut self,
        db: &mut Connection,
    ) -> Result<Option<bool>, EngineError> {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if foreign_changes(&tx)? != self.version {
            return Ok(None);
        }
        while self.see_chunk(&tx)? {}
        let mut after = i64::MIN;
        loop {
            let portion = tail::read(&tx, after, TAIL_ROWS)?;
            self.see(&portion.block);
            match portion.last {
                Some(last) => after = last,
                None => break,
            }
        }
        let mut deleted = false;
        for (table, used) in Table::ALL.into_iter().zip(&self.used) {
            let (entries, and) = (table.entries(), table.and());
            let ids: Vec<u32> = tx
                .prepare_cached(&format!("SELECT id FROM {entries} {and} id > ?1"))?
                .query_map([table.last_special_id()], |row| row.get(0))?
                .filter(|id| !matches!(id, Ok(id) if used.contains(*id)))
                .take(ENTRIES)
                .collect::<Result<_, _>>()?;
            let mut delete = tx.prepare_cached(&format!("DELETE FROM {entries} {and} id = ?1"))?;
            for id in ids {
                deleted |= delete.execute([id])? > 0;
            }
        }
        tx.commit()?;
        Ok(Some(deleted))
    }

    fn see(&mut self, block: &Block) {
        for (table, used) in Table::ALL.into_iter().zip(&mut self.used) {
            for &id in block.ids(table) {
                used.insert(id);
            }
        }
    }
}

/// A number that changes when another connection has changed the file.
pub(super) fn foreign_changes(db: &Connection) -> Result<i64, rusqlite::Error> {
    db.prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))
}
