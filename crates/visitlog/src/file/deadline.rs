//! Ends questions that take too long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};

use super::error::EngineError;

/// The moment at which a question gives up. It also gives up as soon as nobody waits for the
/// answer.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    limit: Duration,
    abandoned: Arc<AtomicBool>,
}

/// Represents a waiting caller. The question goes on until this is dropped.
#[derive(Debug)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        Self {
            at: Instant::now() + limit,
            limit,
            abandoned: Arc::default(),
        }
    }

    /// Returns the handle of the caller that waits for the answer.
    pub(crate) fn waiting(&self) -> Waiting {
        Waiting(Arc::clone(&self.abandoned))
    }

    pub(crate) fn check(&self) -> Result<(), EngineError> {
        if Instant::now() < self.at && !self.abandoned.load(Ordering::Relaxed) {
            Ok(())
        } else {
            Err(self.exceeded())
        }
    }

    pub(crate) fn exceeded(&self) -> EngineError {
        EngineError::Deadline { limit: self.limit }
    }

    /// Makes SQLite give up in time during any statement.
    pub(crate) fn limit(&self, db: &Connection) -> Result<(), rusqlite::Error> {
        /// The number of SQLite's instructions between two checks of the time; they take some
        /// tenths of a millisecond.
        const INSTRUCTIONS: i32 = 10_000;
        let deadline = self.clone();
        db.progress_handler(INSTRUCTIONS, Some(move || deadline.check().is_err()))
    }

    /// Replaces the error by a timeout if SQLite has given up.
    pub(crate) fn explain(&self, error: EngineError) -> EngineError {
        if let EngineError::Sqlite(cause) = &error
            && cause.sqlite_error_code() == Some(ErrorCode::OperationInterrupted)
        {
            return self.exceeded();
        }
        error
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{schema, snapshot::Snapshot};

    #[test]
    fn whatever_sqlite_does_ends_at_the_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let soon = Deadline::after(Duration::from_millis(20));
        let snapshot = Snapshot::take(&db, soon.clone()).unwrap();
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       SELECT count(*) FROM n";
        let result = snapshot.db().query_row(endless, [], |_| Ok(()));
        let error = soon.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "no answer within 20 ms");
        drop(snapshot);

        // The next question has a deadline of its own.
        let later = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&db, later.clone()).unwrap();
        let result = snapshot
            .db()
            .query_row("SELECT x FROM tail", [], |_| Ok(()));
        let error = later.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "database error");
    }
}
