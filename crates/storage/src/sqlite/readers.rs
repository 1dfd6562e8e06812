//! Connections for reading, used from any thread.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::{sync::Semaphore, time::timeout_at};

use super::{
    SqliteFile,
    statements::complete,
    transaction::{Deadline, Idle},
};
use crate::{failure::Failure, session::Read};

/// The most long reads that run at the same time.
const LONG_READS: usize = 4;

/// The most connections kept open for the next read. Only many workers that
/// read at the same moment need more.
const KEPT_OPEN: usize = 8;

/// Idle connections. Another one is opened if none is left.
#[derive(Debug)]
pub(crate) struct Readers {
    file: SqliteFile,
    idle: Mutex<Vec<Idle>>,
    long_reads: Arc<Semaphore>,
    /// The time that a long read may take.
    limit: Duration,
}

impl Readers {
    /// Opens the first connection.
    pub(super) fn open(file: SqliteFile, limit: Duration) -> Result<Self, Failure> {
        let first = Idle::new(file.open_reader()?);
        Ok(Self {
            file,
            idle: Mutex::new(vec![first]),
            long_reads: Arc::new(Semaphore::new(LONG_READS)),
            limit,
        })
    }

    /// Reads on the calling thread with a single statement that takes
    /// microseconds, less than handing it to another thread would.
    pub(crate) fn read_at_once<T>(&self, read: &impl Read<T>) -> Result<T, Failure> {
        let connection = self.take()?;
        // A connection whose read failed is not reused.
        let answer = complete(read(&connection.session()))?;
        self.keep(connection);
        Ok(answer)
    }

    /// Reads in one transaction, on a thread that may block. The read ends at its time limit, and
    /// soon after the caller has gone away; until then it keeps its turn.
    pub(crate) async fn read<T: Send + 'static>(
        self: &Arc<Self>,
        read: impl Read<T>,
    ) -> Result<T, Failure> {
        let deadline = Deadline::after(self.limit);
        let _waiting = deadline.waiting();
        let turn = Arc::clone(&self.long_reads).acquire_owned();
        let turn = timeout_at(deadline.moment().into(), turn).await;
        let turn = turn.map_err(|_| deadline.exceeded())?;
        // The semaphore is never closed.
        let turn = turn.map_err(|_| Failure::ReaderEnded)?;
        let readers = Arc::clone(self);
        let reading = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let transaction = readers.take()?.begin_to_read()?;
            transaction.limit(&deadline)?;
            let answer = complete(read(&transaction.session()));
            let answer = answer.map_err(|failure| deadline.explain(failure))?;
            transaction.lift_limit()?;
            readers.keep(transaction.commit()?);
            Ok(answer)
        });
        reading.await.map_err(|_| Failure::ReaderEnded)?
    }

    /// Checks that the file can be read.
    pub(super) fn ping(&self) -> Result<(), Failure> {
        let connection = self.take()?;
        connection.data_version()?;
        self.keep(connection);
        Ok(())
    }

    fn take(&self) -> Result<Idle, Failure> {
        let idle = self.idle().pop();
        match idle {
            Some(connection) => Ok(connection),
            None => Ok(Idle::new(self.file.open_reader()?)),
        }
    }

    fn keep(&self, connection: Idle) {
        let mut idle = self.idle();
        if idle.len() < KEPT_OPEN {
            idle.push(connection);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use sea_orm::{DbBackend, Statement};
    use tempfile::TempDir;

    use slugline_testkit::assert_matches;

    use super::*;
    use crate::session::Session;

    /// Reads numbers up to a limit.
    fn count(limit: i64) -> impl Read<Vec<i64>> {
        async move |session: &Session<'_>| {
            let count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT ?) \
                         SELECT count(*) FROM n";
            let count = Statement::from_sql_and_values(DbBackend::Sqlite, count, [limit.into()]);
            session.rows(count).await
        }
    }

    const FEW: i64 = 10;
    const ENDLESS: i64 = 1 << 60;

    fn readers(limit: Duration) -> (TempDir, Arc<Readers>) {
        let folder = tempfile::tempdir().unwrap();
        let file = SqliteFile::new(&folder.path().join("a.db"));
        drop(file.open_writer().unwrap());
        (folder, Arc::new(Readers::open(file, limit).unwrap()))
    }

    #[tokio::test]
    async fn a_read_ends_at_its_limit_and_the_next_one_is_answered() {
        let (_folder, readers) = readers(Duration::ZERO);
        for _ in 0..2 * LONG_READS {
            let read = readers.read(count(ENDLESS)).await;
            assert_matches!(read, Err(Failure::TooSlow(_)));
            // Too short for SQLite to look at the time.
            assert_eq!(readers.read(count(FEW)).await.unwrap(), [10]);
        }
        // The limit belongs to the read and not to its connection.
        let read = readers.read_at_once(&count(1_000_000)).unwrap();
        assert_eq!(read, [1_000_000]);
    }

    #[tokio::test]
    async fn waiting_for_a_turn_counts() {
        let (_folder, readers) = readers(Duration::from_millis(1));
        let turns = readers.long_reads.acquire_many(4).await.unwrap();
        assert_matches!(readers.read(count(FEW)).await, Err(Failure::TooSlow(_)));
        drop(turns);
    }

    #[tokio::test]
    async fn a_caller_who_hangs_up_frees_the_reader() {
        let (_folder, readers) = readers(Duration::from_hours(1));
        let reads: Vec<_> = (0..LONG_READS)
            .map(|_| {
                let readers = Arc::clone(&readers);
                tokio::spawn(async move { readers.read(count(ENDLESS)).await })
            })
            .collect();
        while readers.long_reads.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        for read in reads {
            read.abort();
        }
        assert_eq!(readers.read(count(FEW)).await.unwrap(), [10]);
    }
}
