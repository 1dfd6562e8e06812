//! The limits of questions: their time, their memory, the number that run at the same time, and the
//! priority of their threads.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rusqlite::{Connection, ErrorCode};
use slugline_analytics::QueryLimits;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::error::EngineError;

/// The moment at which a question gives up. It also gives up as soon as no client waits for the
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
    pub(crate) fn limit(&self, db: &mut Connection) -> Result<(), rusqlite::Error> {
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

/// The permits of one log.
#[derive(Debug)]
pub(crate) struct QueryPermits {
    free: Arc<Semaphore>,
    all: u32,
}

impl QueryPermits {
    pub(crate) fn under(limits: QueryLimits) -> Self {
        let all = u32::try_from(limits.concurrent.max(1)).unwrap_or(u32::MAX);
        let free = usize::try_from(all).unwrap_or(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(free.min(Semaphore::MAX_PERMITS))),
            all,
        }
    }

    /// Waits for a permit, which ends when the permit is dropped.
    pub(crate) async fn next(&self) -> OwnedSemaphorePermit {
        let turn = Arc::clone(&self.free).acquire_owned().await;
        turn.expect("the semaphore is never closed")
    }

    /// Waits until no question has a permit, and keeps later ones waiting.
    pub(crate) fn all(
        &self,
    ) -> impl Future<Output = Result<OwnedSemaphorePermit, AcquireError>> + Send + use<> {
        Arc::clone(&self.free).acquire_many_owned(self.all)
    }

    #[cfg(test)]
    pub(crate) fn free(&self) -> usize {
        self.free.available_permits()
    }
}

/// The bytes that one question may take for counting. Each question has a share of its own, so that
/// an answer does not depend on other questions of the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuestionMemory(usize);

impl QuestionMemory {
    /// The share of one question if all that may run at the same time do.
    pub(crate) fn under(limits: QueryLimits) -> Self {
        Self(limits.memory / limits.concurrent.max(1))
    }

    #[cfg(test)]
    pub(crate) fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    /// The bytes for visitors: 64 MiB are enough to count a million one by one.
    pub(crate) fn visitors(self) -> usize {
        self.0 / 2
    }

    /// The bytes for referers: 32 MiB are enough to count half a million one by one.
    pub(crate) fn referers(self) -> usize {
        self.0 / 4
    }

    /// The bytes for a ranking, which ends before its visitors are counted.
    pub(crate) fn ranking(self) -> usize {
        self.0 / 2
    }

    /// The bytes for groups and their shown values.
    pub(crate) fn groups(self) -> usize {
        self.0 / 4
    }
}

impl Default for QuestionMemory {
    fn default() -> Self {
        Self::under(QueryLimits::default())
    }
}

/// Lowers the priority of this thread. Elsewhere than on Linux that would be
/// the priority of the whole process (setpriority(2), "C library/kernel
/// differences").
#[cfg(target_os = "linux")]
pub(crate) fn step_back() {
    /// The kernel gives it 36 shares for 1,024 of an ordinary thread
    /// (`sched_prio_to_weight`).
    const NICE: i32 = 15;
    if let Err(error) = rustix::process::setpriority_process(None, NICE) {
        tracing::debug!(%error, "a question keeps the usual priority");
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn step_back() {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{schema, snapshot::Snapshot};

    #[test]
    fn whatever_sqlite_does_ends_at_the_deadline() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = schema::open_writer(&folder.path().join("a.db")).unwrap();
        let soon = Deadline::after(Duration::from_millis(20));
        let snapshot = Snapshot::take(&mut db, soon.clone()).unwrap();
        let endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                       SELECT count(*) FROM n";
        let result = snapshot.db().query_row(endless, [], |_| Ok(()));
        let error = soon.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "no answer within 20 ms");
        drop(snapshot);

        // The next question has a deadline of its own.
        let later = Deadline::after(Duration::from_mins(1));
        let snapshot = Snapshot::take(&mut db, later.clone()).unwrap();
        let result = snapshot
            .db()
            .query_row("SELECT x FROM tail", [], |_| Ok(()));
        let error = later.explain(result.unwrap_err().into());
        assert_eq!(error.to_string(), "database error");
    }
}
