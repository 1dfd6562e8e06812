//! Visits of a file, into an embedded log or through a spool into ClickHouse.

use std::{fs::File, path::PathBuf, sync::Arc, time::Duration};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use slugline_domain::{StoredVisit, ports::Random};

use super::{
    TransferError, marks,
    plan::{BATCH, ImportPlan, Running},
};
use crate::{
    ClickHouseOptions, RecorderOptions,
    clickhouse::History,
    engine::{EmbeddedRows, RowTable, open_writer, share},
    row::Row,
};

/// The log that imported visits go to.
#[derive(Debug)]
pub enum ImportTarget {
    /// An embedded log, also beside a running service.
    Log {
        /// Its file.
        path: PathBuf,
        /// The options of its recorder.
        options: RecorderOptions,
    },
    /// ClickHouse, through the spool of this node, also beside a running service.
    ClickHouse {
        /// ClickHouse and the spool.
        options: ClickHouseOptions,
        /// Makes the tokens of shipments.
        random: Arc<dyn Random>,
    },
}

/// The outcome of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Imported {
    /// Visits that are new.
    pub new: u64,
    /// Visits that an earlier import had brought.
    pub before: u64,
}

/// The import of one file. Its visits come a second time, after the plan was made of them.
#[derive(Debug)]
pub struct VisitImport {
    into: Into,
    plan: ImportPlan,
    digest: [u8; 32],
    running: Running,
    /// The batch that is being gathered, by its place in the plan.
    gathering: usize,
    batch: Vec<StoredVisit>,
    done: Imported,
}

#[derive(Debug)]
enum Into {
    Log(Box<Log>),
    Spool(Box<History>),
}

#[derive(Debug)]
struct Log {
    db: Connection,
    rows: EmbeddedRows,
    _lock: File,
}

/// The time that a batch waits for the service beside it.
const PATIENCE: Duration = Duration::from_secs(30);

impl VisitImport {
    /// Opens the target, and creates what is missing. `again` imports a file once more that is
    /// in already.
    ///
    /// # Errors
    /// The target cannot be used.
    pub async fn open(
        target: ImportTarget,
        plan: ImportPlan,
        again: bool,
    ) -> Result<Self, TransferError> {
        let into = match target {
            ImportTarget::Log { path, options } => {
                let lock = share(&path)?;
                Into::Log(Box::new(Log {
                    db: open_writer(&path)?,
                    rows: EmbeddedRows::of_others(&options),
                    _lock: lock,
                }))
            }
            ImportTarget::ClickHouse { options, random } => {
                Into::Spool(Box::new(History::open(options, random).await?))
            }
        };
        let digest = plan.digest();
        let db = into.db();
        db.busy_timeout(PATIENCE)?;
        db.execute_batch(marks::TABLE)?;
        if again {
            marks::forget(db, &digest)?;
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
    /// A batch cannot be stored, or the file is another one than the plan was made of. Batches
    /// before it are in.
    pub fn add(&mut self, visit: StoredVisit) -> Result<(), TransferError> {
        self.running.add(&visit);
        self.batch.push(visit);
        if self.running.rows.is_multiple_of(BATCH) {
            self.store()?;
        }
        Ok(())
    }

    /// Stores the rest and, with ClickHouse, waits until it has everything.
    ///
    /// # Errors
    /// As with [`VisitImport::add`]; or everything is in the spool, and ClickHouse does not take
    /// it.
    pub fn finish(mut self) -> Result<Imported, TransferError> {
        if !self.batch.is_empty() {
            self.store()?;
        }
        if self.running.rows != self.plan.rows() {
            return Err(TransferError::Changed);
        }
        if let Into::Spool(history) = &self.into {
            history.wait_until_shipped()?;
        }
        Ok(self.done)
    }

    /// The visits that are in so far.
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
        let stored = self.into.store(&self.digest, (end - length, end), &batch)?;
        if stored {
            self.done.new += length;
        } else {
            self.done.before += length;
        }
        Ok(())
    }
}

impl Into {
    fn db(&self) -> &Connection {
        match self {
            Self::Log(log) => &log.db,
            Self::Spool(history) => &history.spool,
        }
    }

    /// Stores the visits from one to before another place of a file. `false` if they are in.
    fn store(
        &mut self,
        digest: &[u8; 32],
        span: (u64, u64),
        batch: &[StoredVisit],
    ) -> Result<bool, TransferError> {
        let mut rows = batch.iter().map(Row::of);
        match self {
            Self::Log(log) => {
                let Log {
                    db, rows: table, ..
                } = log.as_mut();
                let tx = begin(db)?;
                if are_in(&tx, digest, span)? {
                    return Ok(false);
                }
                let stored = table
                    .insert(&tx, &mut rows)
                    .and_then(|()| marks::mark(&tx, digest, span.1))
                    .and_then(|()| tx.commit());
                table.settle(stored.is_ok());
                stored?;
            }
            Self::Spool(history) => {
                history.wait_for_room()?;
                let tx = begin(&history.spool)?;
                if are_in(&tx, digest, span)? {
                    return Ok(false);
                }
                history.insert(rows)?;
                marks::mark(&tx, digest, span.1)?;
                tx.commit()?;
            }
        }
        Ok(true)
    }
}

fn begin(db: &Connection) -> Result<Transaction<'_>, rusqlite::Error> {
    Transaction::new_unchecked(db, TransactionBehavior::Immediate)
}

/// True if the visits from one to before another place of a file are in: an earlier import, or
/// one that runs beside this one, has brought them.
fn are_in(
    db: &Connection,
    digest: &[u8; 32],
    (start, end): (u64, u64),
) -> Result<bool, TransferError> {
    let before = marks::visits_in(db, digest)?;
    if before < end && before != start {
        // Somebody began it once more meanwhile.
        return Err(TransferError::Changed);
    }
    Ok(before >= end)
}
