//! The bound on the length of SQLite's write-ahead log.
//!
//! SQLite reuses the write-ahead log once no reader needs its content. Questions that overlap
//! without end would let the write-ahead log grow as long as visits come. So when it is long, the
//! writer takes all permits: new questions wait until the running ones have ended; then the writer
//! empties the write-ahead log and returns the permits.

use std::{
    error::Error as StdError,
    fmt, fs,
    path::PathBuf,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, Waker},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use slugline_analytics::journal::{lock::beside, open::empty_write_ahead_log};
use tokio::sync::{AcquireError, OwnedSemaphorePermit};

use super::limits::QueryPermits;

/// The length above which questions have to wait. Without questions the length stays below some 8
/// MB: SQLite reuses the write-ahead log after it has moved a thousand pages into the database.
const LONG: u64 = 32 << 20;

/// The time for which the writer waits for readers that take no turn, such as a backup. Visits wait
/// in the queue meanwhile.
const TIMEOUT: Duration = Duration::from_millis(100);

/// The pause after an attempt that failed because of such a reader.
const PAUSE: Duration = Duration::from_secs(10);

/// Bounds the length of the write-ahead log.
pub(crate) struct WalLength {
    permits: Arc<QueryPermits>,
    waiting: Option<Pin<Box<dyn Future<Output = AllTurns> + Send>>>,
    failed_at: Option<Instant>,
}

type AllTurns = Result<OwnedSemaphorePermit, AcquireError>;

impl WalLength {
    /// Bounds the log whose questions take these permits.
    pub(crate) fn new(permits: Arc<QueryPermits>) -> Self {
        Self {
            permits,
            waiting: None,
            failed_at: None,
        }
    }

    /// Empties the write-ahead log if it is long and all permits are free. Returns whether it still
    /// waits for permits; the next call tries again.
    pub(crate) fn bound(&mut self, db: &Connection) -> bool {
        if self.waiting.is_none() {
            let failed_lately = self.failed_at.is_some_and(|at| at.elapsed() < PAUSE);
            if failed_lately || length(db) <= LONG {
                return false;
            }
        }
        let permits = &self.permits;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(permits.all()));
        // The semaphore is fair: after the first poll, later questions queue behind the writer.
        let taken = waiting
            .as_mut()
            .poll(&mut Context::from_waker(Waker::noop()));
        let Poll::Ready(permits) = taken else {
            return true;
        };
        self.waiting = None;
        self.failed_at = match empty_write_ahead_log(db, TIMEOUT) {
            Ok(true) => None,
            Ok(false) => Some(Instant::now()),
            Err(error) => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(error, "the write-ahead log cannot be shortened yet");
                Some(Instant::now())
            }
        };
        drop(permits);
        false
    }
}

impl fmt::Debug for WalLength {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WalLength")
            .field("waits", &self.waiting.is_some())
            .finish_non_exhaustive()
    }
}

/// The length in bytes; 0 if it is unknown.
fn length(db: &Connection) -> u64 {
    let wal = db.path().map(|path| beside(&PathBuf::from(path), "-wal"));
    let length = wal.and_then(|wal| fs::metadata(wal).ok());
    length.map_or(0, |wal| wal.len())
}

#[cfg(test)]
mod tests {
    use rusqlite::params;
    use slugline_analytics::{QueryLimits, journal::open::open_reader};

    use super::*;
    use crate::file::schema;

    fn limits(concurrent: usize) -> QueryLimits {
        QueryLimits {
            concurrent,
            ..QueryLimits::default()
        }
    }

    /// Makes the write-ahead log longer by some two mebibytes.
    fn write(db: &Connection) {
        db.execute_batch("CREATE TABLE IF NOT EXISTS filler (bytes BLOB)")
            .unwrap();
        db.execute(
            "INSERT INTO filler VALUES (?1)",
            params![vec![7_u8; 2 << 20]],
        )
        .unwrap();
    }

    #[tokio::test]
    async fn new_questions_wait_until_the_log_is_short_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = schema::open_writer(&path).unwrap();
        let permits = Arc::new(QueryPermits::under(limits(2)));
        let mut wal_length = WalLength::new(Arc::clone(&permits));
        write(&db);
        assert!(!wal_length.bound(&db));

        let reader = open_reader(&path).unwrap();
        let running = permits.next().await;
        let question = reader.unchecked_transaction().unwrap();
        question
            .query_row("SELECT count(*) FROM filler", [], |_| Ok(()))
            .unwrap();
        while length(&db) <= LONG {
            write(&db);
        }
        assert!(wal_length.bound(&db));
        let later = tokio::spawn({
            let permits = Arc::clone(&permits);
            async move { drop(permits.next().await) }
        });
        tokio::task::yield_now().await;
        assert!(!later.is_finished());
        assert!(wal_length.bound(&db) && length(&db) > LONG);

        drop(question);
        drop(running);
        assert!(!wal_length.bound(&db));
        assert_eq!(length(&db), 0);
        later.await.unwrap();
    }

    #[tokio::test]
    async fn questions_go_on_beside_a_backup_that_keeps_the_log() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = schema::open_writer(&path).unwrap();
        let permits = Arc::new(QueryPermits::under(limits(1)));
        let mut wal_length = WalLength::new(Arc::clone(&permits));
        write(&db);
        let backup = open_reader(&path).unwrap();
        let reading = backup.unchecked_transaction().unwrap();
        reading
            .query_row("SELECT count(*) FROM filler", [], |_| Ok(()))
            .unwrap();
        while length(&db) <= LONG {
            write(&db);
        }
        assert!(!wal_length.bound(&db));
        assert!(length(&db) > LONG);
        drop(permits.next().await);
        // It does not try again at once.
        assert!(wal_length.failed_at.is_some() && !wal_length.bound(&db));
    }
}
