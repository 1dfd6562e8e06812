//! The read side: questions from async code, answered on threads of their own.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use rusqlite::Connection;
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, MetricsQuery, MetricsReport, Report, SamplingNote, ViewsQuery,
    ViewsReport, VisitFilter,
    ports::{VisitLog, VisitLogError},
};
use tokio::sync::Semaphore;

use super::{
    access,
    answer::Answer,
    background, counters,
    error::EngineError,
    events, heatmap, locations, metrics,
    scan::{Deadline, Snapshot},
    schema, views,
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

    /// Runs a question on a thread of its own once it is its turn. Nothing can
    /// stop it there if the one who asked goes away, but it keeps its turn
    /// until it ends, at the latest at the deadline.
    pub(super) async fn ask<T: Send + 'static>(
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
        background::run(move || {
            let _turn = turn;
            let idle = locked(&connections).pop();
            let mut db = match idle {
                Some(db) => db,
                None => schema::open_reader(&path)?,
            };
            let answer = question(&Snapshot::take(&mut db, deadline)?);
            let answer = answer.map_err(|error| deadline.explain(error));
            // A connection that failed is not worth keeping.
            if answer.is_ok() {
                locked(&connections).push(db);
            }
            answer
        })
        .await
    }
}

impl EmbeddedLog {
    /// Asks for a table of numbers. `action` is the rest of "failed to …".
    async fn report<R: Send + 'static>(
        &self,
        action: &'static str,
        question: impl FnOnce(&Snapshot<'_>) -> Result<Answer<R>, EngineError> + Send + 'static,
    ) -> Result<Report<R>, VisitLogError> {
        let answer = self
            .ask(question)
            .await
            .map_err(|error| failed(action, error))?;
        Ok(Report {
            rows: answer.rows,
            rows_before_limit: answer.rows_before_limit,
            sampling: SamplingNote {
                interval_max: answer.interval_max,
                dropped: self.tally.dropped(),
                sketched: answer.sketched,
            },
        })
    }
}

#[async_trait]
impl VisitLog for EmbeddedLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let query = query.clone();
        self.report("count visits", move |log| counters::answer(log, &query))
            .await
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let query = query.clone();
        self.report("count visits over time", move |log| {
            views::answer(log, &query)
        })
        .await
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let query = query.clone();
        self.report("count visits by hour of the week", move |log| {
            heatmap::answer(log, &query)
        })
        .await
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let query = query.clone();
        self.report("find the most frequent values", move |log| {
            metrics::answer(log, &query)
        })
        .await
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let query = query.clone();
        self.report("find the most frequent places", move |log| {
            locations::answer(log, &query)
        })
        .await
    }

    async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, VisitLogError> {
        let query = query.clone();
        self.ask(move |log| events::answer(log, &query))
            .await
            .map_err(|error| failed("find the latest visits", error))
    }

    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError> {
        Ok(Box::new(access::answer(self, filter).await?))
    }
}

/// Why there is no answer, as the port says it.
pub(super) fn failed(action: &'static str, error: EngineError) -> VisitLogError {
    match error {
        EngineError::Deadline { limit } => VisitLogError::TooSlow { action, limit },
        EngineError::Sqlite(_)
        | EngineError::Chunk { .. }
        | EngineError::Dangling { .. }
        | EngineError::Incomplete
        | EngineError::Thread(_)
        | EngineError::Panicked => VisitLogError::Failed {
            action,
            source: Box::new(error),
        },
    }
}

fn locked(connections: &Mutex<Vec<Connection>>) -> std::sync::MutexGuard<'_, Vec<Connection>> {
    connections.lock().unwrap_or_else(PoisonError::into_inner)
}
