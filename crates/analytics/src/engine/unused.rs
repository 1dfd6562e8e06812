//! Dictionary entries that no row refers to any more.
//!
//! Rows are gone through chunk by chunk, which takes as many steps as there
//! are chunks. Rows are added meanwhile, but only behind those that were seen:
//! the last step, which deletes, sees them too, and is one transaction.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::{
    block::Block, column::Column, dimension::Table, error::EngineError, id_set::IdSet, tail,
};

/// Entries deleted at once from a dictionary.
const ENTRIES: usize = 10_000;

/// Tail rows read at once.
const TAIL_ROWS: usize = 65_536;

/// Which entries are in use, as far as is known.
#[derive(Debug)]
pub(super) struct Usage {
    used: [IdSet; Table::ALL.len()],
    /// Where a damaged chunk may refer to any entry, so that none may go.
    unclear: [bool; Table::ALL.len()],
    /// The newest chunk that was seen.
    last_chunk: i64,
    /// What the file looked like when this began.
    version: i64,
}

impl Usage {
    pub(super) fn start(db: &Connection) -> Result<Self, rusqlite::Error> {
        Ok(Self {
            used: Default::default(),
            unclear: Default::default(),
            last_chunk: i64::MIN,
            version: foreign_changes(db)?,
        })
    }

    /// Looks at the next chunk, and says whether there was one.
    pub(super) fn see_chunk(&mut self, db: &Connection) -> Result<bool, EngineError> {
        let next: Option<i64> = db
            .prepare_cached("SELECT id FROM chunk WHERE id > ?1 ORDER BY id LIMIT 1")?
            .query_row([self.last_chunk], |row| row.get(0))
            .optional()?;
        let Some(id) = next else {
            return Ok(false);
        };
        match columns(db, id, &Table::ALL.map(Table::column)) {
            Ok(block) => self.see(&block),
            Err(error) if error.is_damage() => self.see_damaged(db, id)?,
            Err(error) => return Err(error),
        }
        self.last_chunk = id;
        Ok(true)
    }

    /// Looks at those columns of a chunk that can be read.
    fn see_damaged(&mut self, db: &Connection, id: i64) -> Result<(), EngineError> {
        for (place, table) in Table::ALL.into_iter().enumerate() {
            match columns(db, id, &[table.column()]) {
                Ok(block) => self.see(&block),
                Err(error) if error.is_damage() => self.unclear[place] = true,
                Err(error) => return Err(error),
            }
        }
        Ok(())
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
        let known = Table::ALL.into_iter().zip(&self.used).zip(self.unclear);
        for ((table, used), _) in known.filter(|(_, unclear)| !unclear) {
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

fn columns(db: &Connection, id: i64, columns: &[Column]) -> Result<Block, EngineError> {
    let selection = Block::selection(columns);
    db.prepare_cached(&format!("SELECT {selection} FROM chunk WHERE id = ?1"))?
        .query_row([id], |row| Ok(Block::read(row, columns)))?
}

/// A number that changes when another connection has changed the file.
pub(super) fn foreign_changes(db: &Connection) -> Result<i64, rusqlite::Error> {
    db.prepare_cached("PRAGMA data_version")?
        .query_row([], |row| row.get(0))
}
