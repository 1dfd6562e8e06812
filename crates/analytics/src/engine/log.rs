//! The read side: questions from async code, answered on blocking threads.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use rusqlite::Connection;
use slugline_domain::{
    CountersQuery, CountersReport, SamplingNote,
    ports::{VisitLog, VisitLogError},
};
use tokio::sync::Semaphore;

use super::{
    counters,
    error::EngineError,
    scan::{Deadline, Snapshot},
    schema,
};
use crate::{QueryLimits, tally::Tally};

/// Answers questions from the embedded engine.
///
/// An answer holds what is durable at that moment; visits that still wait for
/// the writer are not in it. Clones share connections and limits.
#[derive(Clone, Debug)]
pub struct EmbeddedLog {
    path: PathBuf,
    limits: QueryLimits,
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<Connection>>>,
    tally: Arc<Tally>,
}

impl EmbeddedLog {
    pub(crate) fn new(path: &Path, limits: QueryLimits, tally: Arc<Tally>) -> Self {
        Self {
            path: path.to_owned(),
            limits,
            permits: Arc::new(Semaphore::new(limits.concurrent.max(1))),
            idle: Arc::default(),
            tally,
        }
    }

    /// The same log under other limits.
    #[must_use]
    pub fn with_limits(self, limits: QueryLimits) -> Self {
        Self::new(&self.path, limits, self.tally)
    }

    /// Runs a question on a blocking thread once it is its turn. Nothing can
    /// stop it there if the one who asked goes away, but it keeps its turn
    /// until it ends, at the latest at the deadline.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Snapshot<'_>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let deadline = Deadline::after(self.limits.deadline);
        let turn = Arc::clone(&self.permits).acquire_owned();
        let turn = tokio::time::timeout_at(deadline.at.into(), turn)
            .await
            .map_err(|_| deadline.exceeded())?
            .expect("the semaphore is never closed");
        let connections = Arc::clone(&self.idle);
        let path = self.path.clone();
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let idle = locked(&connections).pop();
            let mut db = match idle {
                Some(db) => db,
                None => schema::open_reader(&path)?,
            };
            let answer = question(&Snapshot::take(&mut db, deadline)?);
            // A connection that failed is not worth keeping.
            if answer.is_ok() {
                locked(&connections).push(db);
            }
            answer
        })
        .await?
    }
}

#[async_trait]
impl VisitLog for EmbeddedLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let query = query.clone();
        let answer = self
            .ask(move |snapshot| counters::answer(snapshot, &query))
            .await
            .map_err(|error| VisitLogError {
                action: "count visits",
                source: Box::new(error),
            })?;
        Ok(CountersReport {
            rows: answer.rows,
            sampling: SamplingNote {
                interval_max: answer.interval_max,
                dropped: self.tally.dropped(),
                sketched: answer.sketched,
            },
        })
    }
}

fn locked(connections: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    connections.lock().unwrap_or_else(PoisonError::into_inner)
}
