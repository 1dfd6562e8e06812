//! The log as one question reads it.

use std::{cell::RefCell, collections::BTreeMap};

use rusqlite::{Connection, Transaction};
use slugline_analytics::tally::Damaged;

use super::{
    error::EngineError,
    limits::{Deadline, QuestionMemory},
};

/// The log as it is at one moment. One transaction reads everything, so rows that are sealed
/// meanwhile are neither missed nor counted twice.
#[derive(Debug)]
pub(crate) struct Snapshot<'c> {
    db: &'c Connection,
    /// The transaction, which ends with the snapshot.
    _tx: Transaction<'c>,
    pub(crate) deadline: Deadline,
    memory: QuestionMemory,
    /// The damaged chunks and batches that were left out.
    damaged: RefCell<BTreeMap<Damaged, Damage>>,
    /// Called before each chunk.
    #[cfg(test)]
    pub(crate) on_chunk: RefCell<Option<OnChunk>>,
}

#[cfg(test)]
pub(crate) struct OnChunk(pub(crate) Box<dyn Fn()>);

#[cfg(test)]
impl std::fmt::Debug for OnChunk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("OnChunk")
    }
}

/// The reason why a chunk or batch was left out.
#[derive(Debug)]
pub(crate) struct Damage {
    /// The number of rows that its record states.
    pub(crate) rows: u32,
    pub(crate) error: EngineError,
}

impl<'c> Snapshot<'c> {
    pub(crate) fn take(db: &'c mut Connection, deadline: Deadline) -> Result<Self, EngineError> {
        // The question may have waited for a thread.
        deadline.check()?;
        deadline.limit(db)?;
        let db: &Connection = db;
        Ok(Self {
            db,
            _tx: db.unchecked_transaction()?,
            deadline,
            memory: QuestionMemory::default(),
            damaged: RefCell::default(),
            #[cfg(test)]
            on_chunk: RefCell::default(),
        })
    }

    /// Sets another share of the memory.
    pub(crate) fn with_memory(self, memory: QuestionMemory) -> Self {
        Self { memory, ..self }
    }

    /// The bytes that the question may take.
    pub(crate) fn memory(&self) -> QuestionMemory {
        self.memory
    }

    pub(crate) fn deadline(&self) -> &Deadline {
        &self.deadline
    }

    pub(crate) fn db(&self) -> &Connection {
        self.db
    }

    /// Fails if the deadline has passed.
    pub(crate) fn check(&self) -> Result<(), EngineError> {
        self.deadline.check()
    }

    /// The chunks and batches that were left out so far.
    pub(crate) fn damaged(&self) -> std::cell::Ref<'_, BTreeMap<Damaged, Damage>> {
        self.damaged.borrow()
    }

    /// The rows of chunks and batches that were left out so far.
    pub(crate) fn damaged_rows(&self) -> u64 {
        let damaged = self.damaged.borrow();
        damaged.values().map(|damage| u64::from(damage.rows)).sum()
    }

    /// Leaves a chunk or batch out if it is damaged, so that the question is answered from the rest
    /// of the log.
    pub(crate) fn leave_out(
        &self,
        what: Damaged,
        rows: u32,
        error: EngineError,
    ) -> Result<(), EngineError> {
        if !error.is_damage() {
            return Err(error);
        }
        let mut damaged = self.damaged.borrow_mut();
        damaged.entry(what).or_insert(Damage { rows, error });
        Ok(())
    }
}
