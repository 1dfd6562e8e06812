//! The way of imported visits into an embedded log.
//!
//! Each batch makes a chunk of each of its days. In a file that is in order of links, every batch has
//! visits of all days, so a year of visits would become hundreds of thousands of chunks of a few
//! rows, and questions would take too long. So the import merges them, now and then as far as keeps
//! their number bounded, and completely in the end. The upkeep merges the chunks that a killed import leaves.

use std::{
    collections::BTreeSet,
    error::Error as StdError,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use rusqlite::{Connection, Transaction, TransactionBehavior};
use slugline_analytics::{
    OpenError, RecorderOptions, TransferError,
    journal::{lock, open::give_back, row_table::RowTable},
    transfer::import::{ImportBatch, Intake},
    utc,
};

use crate::file::{
    chunk_lock,
    embedded_rows::EmbeddedRows,
    schema,
    upkeep::{MERGED, merge::merge_days},
};

/// The chunks that an import makes between two merges.
const CHUNKS: usize = 4_096;

/// The rows of a chunk that the import merges on its way: few, because each merge writes all rows of
/// smaller chunks again.
const ROWS_ON_THE_WAY: usize = 8_192;

/// The time for which the last merge waits for an export to end.
const PATIENCE: Duration = Duration::from_secs(10);

/// An embedded log that takes visits of files, also beside a running service.
#[derive(Debug)]
pub struct LogIntake {
    path: PathBuf,
    db: Connection,
    rows: EmbeddedRows,
    rows_per_chunk: usize,
    /// The days of all visits.
    days: BTreeSet<i64>,
    /// The chunks since the last merge.
    chunks: usize,
}

impl LogIntake {
    /// Opens the access log at `path`, creating the file if there is none.
    ///
    /// # Errors
    /// The file cannot be opened, is not an access log, or was written by a newer version.
    pub fn open(path: &Path, options: &RecorderOptions) -> Result<Self, OpenError> {
        let lock = lock::share(path)?;
        Ok(Self {
            path: path.to_owned(),
            db: schema::open_writer(path)?,
            rows: EmbeddedRows::of_others(options).with_lock(lock),
            rows_per_chunk: options.rows_per_chunk,
            days: BTreeSet::new(),
            chunks: 0,
        })
    }

    /// Merges small chunks, unless an export needs them as they are for longer than this.
    fn merge(
        &mut self,
        rows_per_chunk: usize,
        patience: Duration,
    ) -> Result<(), Box<dyn StdError>> {
        const PAUSE: Duration = Duration::from_millis(20);
        let until = Instant::now() + patience;
        loop {
            if let Some(_alone) = chunk_lock::merge_chunks(&self.path)? {
                merge_days(&mut self.db, &self.days, rows_per_chunk)?;
                return Ok(());
            }
            if Instant::now() >= until {
                return Ok(());
            }
            thread::sleep(PAUSE);
        }
    }

    /// Merges as [`LogIntake::merge`] does. The visits are stored whether it succeeds or not.
    fn tidy(&mut self, rows_per_chunk: usize, patience: Duration) {
        self.chunks = 0;
        if let Err(error) = self.merge(rows_per_chunk, patience) {
            let error = error.as_ref();
            tracing::warn!(error, "imported chunks are merged by the service later");
        }
    }
}

impl Intake for LogIntake {
    fn db(&self) -> &Connection {
        &self.db
    }

    fn store(&mut self, batch: &ImportBatch<'_>) -> Result<bool, TransferError> {
        // Also those of batches that an import before this one stored and did not merge.
        let days: BTreeSet<i64> = batch.rows().map(|row| utc::day_of(row.at.get())).collect();
        self.chunks += days.len();
        self.days.extend(days);
        let tx = Transaction::new_unchecked(&self.db, TransactionBehavior::Immediate)?;
        if batch.is_in(&tx)? {
            return Ok(false);
        }
        let stored = self
            .rows
            .insert(&tx, &mut batch.rows())
            .and_then(|()| batch.mark(&tx))
            .and_then(|()| tx.commit());
        self.rows.settle(stored.is_ok());
        stored?;
        if self.chunks > CHUNKS {
            self.tidy(ROWS_ON_THE_WAY.min(self.rows_per_chunk), Duration::ZERO);
        }
        Ok(true)
    }

    fn finish(&mut self) -> Result<(), TransferError> {
        self.tidy(self.rows_per_chunk.saturating_mul(MERGED), PATIENCE);
        while give_back(&self.db)? {}
        Ok(())
    }
}
