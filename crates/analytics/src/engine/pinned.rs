//! The log as it was at one moment, for questions that follow one another.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::task::JoinHandle;

use super::error::EngineError;

/// The longest time that a reader may keep one state of the log. The write-ahead
/// log grows meanwhile, so a client that stopped reading must not hold it longer.
const KEPT_FOR: Duration = Duration::from_mins(10);

/// A connection whose transaction has begun. It ends when this goes away, or
/// after [`KEPT_FOR`].
#[derive(Debug)]
pub(super) struct Pinned {
    connection: Arc<Mutex<Option<Connection>>>,
    until: Instant,
    end: JoinHandle<()>,
}

impl Pinned {
    pub(super) fn new(db: Connection) -> Self {
        let until = Instant::now() + KEPT_FOR;
        let connection = Arc::new(Mutex::new(Some(db)));
        let kept = Arc::clone(&connection);
        let end = tokio::spawn(async move {
            tokio::time::sleep_until(until.into()).await;
            locked(&kept).take();
        });
        Self {
            connection,
            until,
            end,
        }
    }

    /// The connection, to be put back.
    pub(super) fn take(&self) -> Result<Connection, EngineError> {
        let db = locked(&self.connection).take();
        db.ok_or(EngineError::Deadline { limit: KEPT_FOR })
    }

    pub(super) fn put_back(&self, db: Connection) {
        if Instant::now() < self.until {
            *locked(&self.connection) = Some(db);
        }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        self.end.abort();
    }
}

fn locked(connection: &Mutex<Option<Connection>>) -> MutexGuard<'_, Option<Connection>> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
