//! The import of visits from a file into an engine.

use std::{collections::BTreeSet, fmt, time::Duration};

use rusqlite::{Connection, OptionalExtension, Transaction, params};
use slugline_domain::{SamplingInterval, StoredVisit};

use super::{
    TransferError,
    plan::{BATCH, ImportPlan, Running},
};
use crate::{
    journal::remains::copy_table,
    row::Row,
    sampled::{self, Span},
};

/// The engine that takes imported visits, also beside a running service.
pub trait Intake: fmt::Debug + Send {
    /// The file that takes the rows, and the marks of imported visits.
    fn db(&self) -> &Connection;

    /// Stores a batch and its mark in one transaction, unless the engine already has the batch.
    /// Returns whether it is new.
    ///
    /// # Errors
    /// Nothing of the batch is stored.
    fn store(&mut self, batch: &ImportBatch<'_>) -> Result<bool, TransferError>;

    /// Waits until the engine has everything, in good order.
    ///
    /// # Errors
    /// The engine behind a spool accepts nothing.
    fn finish(&mut self) -> Result<(), TransferError>;
}

/// Visits of a file that become durable together.
#[derive(Clone, Copy, Debug)]
pub struct ImportBatch<'b> {
    digest: &'b [u8; 32],
    /// The number of visits in the file before the batch, and up to its end.
    span: (u64, u64),
    visits: &'b [StoredVisit],
}

impl<'b> ImportBatch<'b> {
    /// The rows to store.
    pub fn rows(&self) -> impl Iterator<Item = Row<'b>> + use<'b> {
        self.visits.iter().map(Row::of)
    }

    /// Returns whether an earlier import, or one that runs beside this one, has stored the batch.
    ///
    /// # Errors
    /// The file cannot be read; or another process began to import it once more meanwhile.
    pub fn is_in(&self, tx: &Transaction<'_>) -> Result<bool, TransferError> {
        let (start, end) = self.span;
        let before = visits_in(tx, self.digest)?;
        if before < end && before != start {
            return Err(TransferError::Changed);
        }
        Ok(before >= end)
    }

    /// Marks the batch as stored, and the days of its sampled visits.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn mark(&self, tx: &Transaction<'_>) -> Result<(), rusqlite::Error> {
        let sampled = self
            .visits
            .iter()
            .filter(|visit| visit.interval > SamplingInterval::EVERY);
        let days: BTreeSet<Span> = sampled
            .map(|visit| Span::day_of(visit.at, visit.interval))
            .collect();
        sampled::table::save(tx, days.iter())?;
        mark(tx, self.digest, self.span.1)
    }
}

/// The outcome of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Visits that are new.
    pub new: u64,
    /// Visits that an earlier import had stored.
    pub before: u64,
}

/// The import of one file. The caller reads the file a second time, after the plan was made of it.
#[derive(Debug)]
pub struct VisitImport {
    into: Box<dyn Intake>,
    plan: ImportPlan,
    digest: [u8; 32],
    running: Running,
    /// The index, in the plan, of the batch that is being gathered.
    gathering: usize,
    batch: Vec<StoredVisit>,
    done: Imported,
}

/// The time that a batch waits for the service beside it.
const TIMEOUT: Duration = Duration::from_secs(30);

impl VisitImport {
    /// Begins an import. `again` imports a file once more, even if it was imported before.
    ///
    /// # Errors
    /// The engine's file cannot be written.
    pub fn begin(
        into: Box<dyn Intake>,
        plan: ImportPlan,
        again: bool,
    ) -> Result<Self, TransferError> {
        let digest = plan.digest();
        let db = into.db();
        db.busy_timeout(TIMEOUT)?;
        db.execute_batch(TABLE)?;
        if again {
            forget(db, &digest)?;
        }
        Ok(Self {
            into,
            plan,
            digest,
            running: Running::default(),
            gathering: 0,
            batch: Vec::new(),
            done: Imported { new: 0, before: 0 },
        })
    }

    /// Adds the next visit of the file.
    ///
    /// # Errors
    /// A batch cannot be stored, or the plan was made of another file. Earlier batches are stored.
    pub fn add(&mut self, visit: StoredVisit) -> Result<(), TransferError> {
        self.running.add(&visit);
        self.batch.push(visit);
        if self.running.rows.is_multiple_of(BATCH) {
            self.store()?;
        }
        Ok(())
    }

    /// Stores the rest, and waits until the engine has everything.
    ///
    /// # Errors
    /// As with [`VisitImport::add`]; or everything is in a spool, and the engine behind it does not
    /// accept it.
    pub fn finish(mut self) -> Result<Imported, TransferError> {
        if !self.batch.is_empty() {
            self.store()?;
        }
        if self.running.rows != self.plan.rows() {
            return Err(TransferError::Changed);
        }
        self.into.finish()?;
        Ok(self.done)
    }

    /// The numbers of visits that are stored so far.
    pub fn done(&self) -> Imported {
        self.done
    }

    fn store(&mut self) -> Result<(), TransferError> {
        let batch = std::mem::take(&mut self.batch);
        if self.plan.batches.get(self.gathering) != Some(&self.running.so_far()) {
            return Err(TransferError::Changed);
        }
        self.gathering += 1;
        let length = u64::try_from(batch.len()).unwrap_or(u64::MAX);
        let end = self.running.rows;
        let stored = self.into.store(&ImportBatch {
            digest: &self.digest,
            span: (end - length, end),
            visits: &batch,
        })?;
        if stored {
            self.done.new += length;
        } else {
            self.done.before += length;
        }
        Ok(())
    }
}

/// The digest of a file, and the number of its rows that are stored.
pub const TABLE: &str = "CREATE TABLE IF NOT EXISTS imported (
    digest BLOB PRIMARY KEY, visits INTEGER NOT NULL
) STRICT, WITHOUT ROWID;";

/// The number of visits of a file that are stored.
pub fn visits_in(db: &Connection, digest: &[u8; 32]) -> Result<u64, rusqlite::Error> {
    let visits: Option<i64> = db
        .prepare_cached("SELECT visits FROM imported WHERE digest = ?1")?
        .query_row([digest], |row| row.get(0))
        .optional()?;
    Ok(visits.unwrap_or(0).unsigned_abs())
}

/// Notes that this many visits of a file are stored.
pub fn mark(db: &Connection, digest: &[u8; 32], visits: u64) -> Result<(), rusqlite::Error> {
    let visits = i64::try_from(visits).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT OR REPLACE INTO imported (digest, visits) VALUES (?1, ?2)")?
        .execute(params![digest, visits])?;
    Ok(())
}

/// Forgets that a file was imported.
pub fn forget(db: &Connection, digest: &[u8; 32]) -> Result<(), rusqlite::Error> {
    db.execute("DELETE FROM imported WHERE digest = ?1", [digest])?;
    Ok(())
}

/// Copies the marks of a damaged file to a new one. Returns a description of the loss if some
/// cannot be read.
pub fn copy_marks(old: &Connection, new: &Connection) -> Result<Option<String>, rusqlite::Error> {
    let complete = copy_table(old, new, "imported", TABLE)?;
    Ok((!complete).then(|| "which files were imported; importing one again doubles it".into()))
}
