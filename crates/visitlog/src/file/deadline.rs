//! The end of a question that takes too long.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};

use super::error::EngineError;

/// When to give up: at a moment, or as soon as nobody waits for the answer.
#[derive(Clone, Debug)]
pub(crate) struct Deadline {
    pub(crate) at: Instant,
    limit: Duration,
    abandoned: Arc<AtomicBool>,
}

/// Somebody waits for an answer, as long as this is there.
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

    /// Belongs to who waits for the answer.
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

    /// Has SQLite give up in time whatever it is doing.
    pub(crate) fn limit(&self, db: &Connection) -> Result<(), rusqlite::Error> {
        /// SQLite's instructions from one look at the time to the next, some
        /// tenths of a millisecond.
        const INSTRUCTIONS: i32 = 10_000;
        let deadline = self.clone();
        db.progress_handler(INSTRUCTIONS, Some(move || deadline.check().is_err()))
    }

    /// The error to return if SQLite has given up.
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

        // The next question has a time of its own.
        let later = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&db, later.clone()).unwrap();
        let result = snapshot
            .db()
            .query_row("SELECT x FROM tail", [], |_| Ok(()));
        let error = later.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "database error");
    }
}
