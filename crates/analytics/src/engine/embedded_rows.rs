//! Rows of the embedded engine: the tail and everything that keeps it short.

use std::error::Error as StdError;

use rusqlite::Connection;
use slugline_domain::UnixMillis;

use super::{
    block::Block, dictionaries::Dictionaries, row_table::RowTable, seal, tail, unused,
    upkeep::Upkeep,
};
use crate::{RecorderOptions, row::Row, sampling::Pressure};

/// A batch of this part of a chunk's usual rows becomes a chunk of its own.
/// Smaller ones would make scans slower than they make writing fast.
const SMALLEST_SHARE: usize = 4;

#[derive(Debug)]
pub(super) struct EmbeddedRows {
    dictionaries: Dictionaries,
    upkeep: Upkeep,
    rows_per_chunk: usize,
    /// What the dictionaries' memory was made from.
    foreign_changes: Option<i64>,
}

impl EmbeddedRows {
    pub(super) fn new(options: &RecorderOptions) -> Self {
        Self {
            dictionaries: Dictionaries::new(),
            upkeep: Upkeep::new(options.retention_days),
            rows_per_chunk: options.rows_per_chunk.max(1),
            foreign_changes: None,
        }
    }
}

impl RowTable for EmbeddedRows {
    fn begin(&mut self, db: &Connection) -> Result<(), rusqlite::Error> {
        // Another process may have deleted dictionary entries.
        let foreign_changes = Some(unused::foreign_changes(db)?);
        if self.foreign_changes != foreign_changes {
            self.dictionaries.look_again();
            self.foreign_changes = foreign_changes;
        }
        Ok(())
    }

    /// The disk decides, and that is waited for.
    fn has_room(&mut self, _: &Connection) -> Result<bool, rusqlite::Error> {
        Ok(true)
    }

    /// A large batch becomes a chunk at once: rows that pile up so fast would
    /// only cross the tail, at three times the cost.
    fn insert(
        &mut self,
        db: &Connection,
        rows: &mut dyn Iterator<Item = Row<'_>>,
    ) -> Result<(), rusqlite::Error> {
        let mut block = Block::default();
        for row in rows {
            block.push(&row, self.dictionaries.ids(db, &row)?);
        }
        if block.rows >= self.rows_per_chunk / SMALLEST_SHARE {
            seal::write(db, &block)
        } else {
            tail::insert(db, &block)
        }
    }

    fn settle(&mut self, durable: bool) {
        if durable {
            self.dictionaries.keep();
        } else {
            self.dictionaries.forget();
        }
    }

    /// Seals full tails and takes a step of the upkeep.
    fn maintain(&mut self, db: &mut Connection, now: UnixMillis) -> bool {
        if let Err(error) = seal::seal(db, self.rows_per_chunk) {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "the tail of the access log cannot be sealed yet");
        }
        match self.upkeep.step(db, now) {
            Ok(progress) => {
                if progress.forgot {
                    self.dictionaries.look_again();
                }
                progress.more
            }
            Err(error) => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(error, "the access log cannot be tidied up yet");
                false
            }
        }
    }

    fn salts_changed(&mut self) -> bool {
        false
    }

    fn pressure(&self) -> Pressure {
        Pressure::Low
    }
}
