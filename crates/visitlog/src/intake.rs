//! The way of imported visits into an embedded log.

use std::path::Path;

use rusqlite::{Connection, Transaction, TransactionBehavior};
use slugline_analytics::{
    OpenError, RecorderOptions, TransferError,
    journal::{lock, row_table::RowTable},
    transfer::import::{ImportBatch, Intake},
};

use crate::file::{embedded_rows::EmbeddedRows, schema};

/// An embedded log that takes visits of files, also beside a running service.
#[derive(Debug)]
pub struct LogIntake {
    db: Connection,
    rows: EmbeddedRows,
}

impl LogIntake {
    /// Opens the access log at `path`, creating the file if there is none.
    ///
    /// # Errors
    /// The file cannot be opened, is not an access log, or was written by a newer version.
    pub fn open(path: &Path, options: &RecorderOptions) -> Result<Self, OpenError> {
        let lock = lock::share(path)?;
        Ok(Self {
            db: schema::open_writer(path)?,
            rows: EmbeddedRows::of_others(options).with_lock(lock),
        })
    }
}

impl Intake for LogIntake {
    fn db(&self) -> &Connection {
        &self.db
    }

    fn store(&mut self, batch: &ImportBatch<'_>) -> Result<bool, TransferError> {
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
        Ok(true)
    }

    fn finish(&self) -> Result<(), TransferError> {
        Ok(())
    }
}
