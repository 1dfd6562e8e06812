//! Connections for reading, used from any thread.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::Semaphore;

use super::{SqliteFile, statements::complete, transaction::Idle};
use crate::{failure::Failure, session::Read};

/// The most long reads that run at the same time.
const LONG_READS: usize = 4;

/// The most connections kept open for the next read. Only many workers that
/// read at the same moment need more.
const KEPT_OPEN: usize = 8;

/// Idle connections. Another one is opened if none is left.
#[derive(Debug)]
pub(super) struct Readers {
    file: SqliteFile,
    idle: Mutex<Vec<Idle>>,
    long_reads: Semaphore,
}

impl Readers {
    /// Opens the first connection.
    pub(super) fn open(file: SqliteFile) -> Result<Self, Failure> {
        let first = Idle::new(file.open_reader()?);
        Ok(Self {
            file,
            idle: Mutex::new(vec![first]),
            long_reads: Semaphore::new(LONG_READS),
        })
    }

    /// Reads on the calling thread with a single statement that takes
    /// microseconds, less than handing it to another thread would.
    pub(super) fn read_at_once<R: Read>(&self, read: &R) -> Result<R::Answer, Failure> {
        let connection = self.take()?;
        // A connection whose read failed is not reused.
        let answer = complete(read.read(&connection.statements()))?;
        self.keep(connection);
        Ok(answer)
    }

    /// Reads in one transaction, on a thread that may block.
    pub(super) async fn read<R: Read>(readers: &Arc<Self>, read: R) -> Result<R::Answer, Failure> {
        let permit = readers.long_reads.acquire().await;
        // The semaphore is never closed.
        let _permit = permit.map_err(|_| Failure::ReaderEnded)?;
        let readers = Arc::clone(readers);
        let reading = tokio::task::spawn_blocking(move || {
            let transaction = readers.take()?.begin_to_read()?;
            let answer = complete(read.read(&transaction.statements()))?;
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
