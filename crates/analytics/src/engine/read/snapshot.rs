//! The log as one question reads it.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction};

use super::{
    deadline::Deadline,
    memory::QuestionMemory,
    renewals::{Lease, Renewals},
};
use crate::{engine::store::error::EngineError, tally::Damaged};

/// The log as it is at one moment: everything is read in one transaction, so
/// rows that are sealed meanwhile are neither missed nor counted twice. Where the writer asks
/// for a break, a pass over the rows is of one moment all the same, but for what retention
/// deletes; several passes of a question are of several moments then.
#[derive(Debug)]
pub(crate) struct Snapshot<'c> {
    db: &'c Connection,
    /// Ends with the snapshot.
    tx: RefCell<Option<Transaction<'c>>>,
    lease: Option<RefCell<Lease>>,
    /// The last time it waited for the end of a break.
    waited: Cell<Option<Instant>>,
    pub(super) deadline: Deadline,
    memory: QuestionMemory,
    /// The chunks and batches that were left out.
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

/// Why a chunk or batch was left out.
#[derive(Debug)]
pub(crate) struct Damage {
    /// The number of rows that its record states.
    pub(crate) rows: u32,
    pub(crate) error: EngineError,
}

impl<'c> Snapshot<'c> {
    pub(crate) fn take(db: &'c Connection, deadline: Deadline) -> Result<Self, EngineError> {
        // The question may have waited for a thread.
        deadline.check()?;
        deadline.limit(db)?;
        Ok(Self {
            db,
            tx: RefCell::new(Some(db.unchecked_transaction()?)),
            lease: None,
            waited: Cell::default(),
            deadline,
            memory: QuestionMemory::default(),
            damaged: RefCell::default(),
            #[cfg(test)]
            on_chunk: RefCell::default(),
        })
    }

    /// The same, which takes a break when it is asked for one. Nothing was read yet.
    pub(crate) fn with_breaks(self, renewals: &Arc<Renewals>) -> Self {
        Self {
            lease: Some(RefCell::new(Lease::new(renewals))),
            ..self
        }
    }

    /// Takes a break if it is asked for: its transaction ends, and another one begins.
    pub(super) fn take_break(&self) -> Result<(), EngineError> {
        /// The most it waits for the end of the break, as two questions should take it at the
        /// same time, and only once a second.
        const LONGEST: Duration = Duration::from_millis(200);
        const FROM_ONE_TO_THE_NEXT: Duration = Duration::from_secs(1);
        const LOOK: Duration = Duration::from_millis(5);

        let Some(lease) = &self.lease else {
            return Ok(());
        };
        if !lease.borrow().is_break_wanted() || !lease.borrow_mut().let_go() {
            return Ok(());
        }
        drop(self.tx.borrow_mut().take());
        let begun = Instant::now();
        let waits = self
            .waited
            .get()
            .is_none_or(|at| begun - at > FROM_ONE_TO_THE_NEXT);
        if waits {
            self.waited.set(Some(begun));
        }
        while waits && lease.borrow().is_break_wanted() && begun.elapsed() < LONGEST {
            self.deadline.check()?;
            thread::sleep(LOOK);
        }
        *self.tx.borrow_mut() = Some(self.db.unchecked_transaction()?);
        Ok(())
    }

    /// True if it may have read the log as it was at several moments.
    pub(crate) fn has_taken_breaks(&self) -> bool {
        let lease = self.lease.as_ref();
        lease.is_some_and(|lease| lease.borrow().is_loose())
    }

    /// The same with another share of the memory.
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

    /// Fails when it is time to give up.
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

    /// Leaves something out if it is damaged: the rest of the log has an answer
    /// all the same.
    pub(super) fn leave_out(
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
