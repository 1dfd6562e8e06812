//! The end of a read that takes too long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};

use crate::failure::Failure;

/// The moment at which a read gives up. It also gives up as soon as no client waits for the answer.
#[derive(Clone, Debug)]
pub(super) struct Deadline {
    at: Instant,
    limit: Duration,
    abandoned: Arc<AtomicBool>,
}

/// Represents a waiting caller. The read goes on until this is dropped.
#[derive(Debug)]
pub(super) struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Deadline {
    pub(super) fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now() + limit,
            limit,
            abandoned: Arc::default(),
        }
    }

    /// Returns the handle of the caller that waits for the answer.
    pub(super) fn waiting(&self) -> Waiting {
        Waiting(Arc::clone(&self.abandoned))
    }

    pub(super) fn moment(&self) -> Instant {
        self.at
    }

    pub(super) fn exceeded(&self) -> Failure {
        Failure::TooSlow(self.limit)
    }

    /// Has SQLite give up in time whatever it does on this connection.
    pub(super) fn limit(&self, connection: &Connection) -> Result<(), rusqlite::Error> {
        /// SQLite's instructions between two looks at the time, some tenths of a millisecond.
        const INSTRUCTIONS: i32 = 10_000;
        let deadline = self.clone();
        let is_over =
            move || Instant::now() >= deadline.at || deadline.abandoned.load(Ordering::Relaxed);
        connection.progress_handler(INSTRUCTIONS, Some(is_over))
    }

    /// Removes the limit of a connection.
    pub(super) fn lift(connection: &Connection) -> Result<(), rusqlite::Error> {
        connection.progress_handler(0, None::<fn() -> bool>)
    }

    /// Returns the failure of a read that SQLite has given up, or the same failure.
    pub(super) fn explain(&self, failure: Failure) -> Failure {
        let given_up = matches!(&failure, Failure::Sqlite(cause)
            if cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted));
        if given_up { self.exceeded() } else { failure }
    }
}
