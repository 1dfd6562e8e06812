//! A transaction that ends exactly once, or its connection is closed; and the deadline of a read.
//!
//! SQLite rolls a transaction back by itself if the disk is full or fails. If a
//! transaction ends in any other way than the commit or rollback that was asked
//! for, the connection is in an unknown state and is closed. Only SQLite knows
//! whether a transaction is open, so this module asks it.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};

use super::statements::{Statements, locked};
use crate::{failure::Failure, session::Session};

/// A connection without a transaction, in a known state.
#[derive(Debug)]
pub(super) struct Idle(Mutex<Connection>);

/// A connection in a transaction.
#[derive(Debug)]
pub(super) struct Transaction(Mutex<Connection>);

impl Idle {
    /// Takes over a connection that was just opened.
    pub(super) fn new(connection: Connection) -> Self {
        Self(Mutex::new(connection))
    }

    /// Begins a transaction that writes. It takes the file's write lock at
    /// once: a transaction that began by reading cannot get the lock if another
    /// connection writes in between.
    pub(super) fn begin_to_write(self) -> Result<Transaction, rusqlite::Error> {
        execute(&self.0, "BEGIN IMMEDIATE")?;
        Ok(Transaction(self.0))
    }

    /// Begins a transaction whose reads see the file as it is at one moment.
    pub(super) fn begin_to_read(self) -> Result<Transaction, rusqlite::Error> {
        execute(&self.0, "BEGIN")?;
        Ok(Transaction(self.0))
    }

    /// A number that changes when another connection has changed the file
    /// (<https://sqlite.org/pragma.html#pragma_data_version>).
    pub(super) fn data_version(&self) -> Result<i64, rusqlite::Error> {
        let connection = locked(&self.0);
        let mut statement = connection.prepare_cached("PRAGMA data_version")?;
        statement.query_row([], |row| row.get(0))
    }

    pub(super) fn session(&self) -> Session<'_> {
        Session::Sqlite(Statements(&self.0))
    }
}

impl Transaction {
    pub(super) fn session(&self) -> Session<'_> {
        Session::Sqlite(Statements(&self.0))
    }

    /// Calls a function with the connection.
    pub(super) fn with<T>(&self, work: impl FnOnce(&Connection) -> T) -> T {
        work(&locked(&self.0))
    }

    /// Has SQLite give up whatever it does here at the deadline.
    pub(super) fn limit(&self, deadline: &Deadline) -> Result<(), rusqlite::Error> {
        /// SQLite's instructions between two looks at the time, some tenths of a millisecond.
        const INSTRUCTIONS: i32 = 10_000;

        let deadline = deadline.clone();
        let is_over =
            move || Instant::now() >= deadline.at || deadline.abandoned.load(Ordering::Relaxed);
        locked(&self.0).progress_handler(INSTRUCTIONS, Some(is_over))
    }

    pub(super) fn lift_limit(&self) -> Result<(), rusqlite::Error> {
        locked(&self.0).progress_handler(0, None::<fn() -> bool>)
    }

    /// Makes everything durable. After an error nothing is durable yet; but if
    /// the process or the machine ends before another transaction is committed,
    /// everything may be.
    pub(super) fn commit(self) -> Result<Idle, rusqlite::Error> {
        execute(&self.0, "COMMIT")?;
        if !locked(&self.0).is_autocommit() {
            return Err(rusqlite::Error::InvalidQuery);
        }
        Ok(Idle(self.0))
    }

    /// Undoes everything. Returns `None` if SQLite had already ended the
    /// transaction, or cannot end it. Then the connection is closed, which
    /// undoes everything as well.
    pub(super) fn roll_back(self) -> Option<Idle> {
        let open = !locked(&self.0).is_autocommit();
        let ended = open && execute(&self.0, "ROLLBACK").is_ok() && locked(&self.0).is_autocommit();
        ended.then_some(Idle(self.0))
    }
}

fn execute(connection: &Mutex<Connection>, sql: &str) -> Result<(), rusqlite::Error> {
    locked(connection)
        .prepare_cached(sql)?
        .execute([])
        .map(drop)
}

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

    /// Returns the failure of a read that SQLite has given up, or the same failure.
    pub(super) fn explain(&self, failure: Failure) -> Failure {
        let given_up = matches!(&failure, Failure::Sqlite(cause)
            if cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted));
        if given_up { self.exceeded() } else { failure }
    }
}
