//! The port of the domain, on the embedded engine.

use std::{fs::File, path::Path, sync::Arc};

use async_trait::async_trait;
use slugline_analytics::{
    OpenError, QueryLimits, Recorder, RecorderOptions, RecorderPorts, journal::lock, losses,
    sampled, tally::Tally,
};
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, Report, SamplingNote,
    ViewsQuery, ViewsReport, VisitFilter, VisitRows,
    ports::{VisitLog, VisitLogError},
};

use crate::{
    file::{
        chunk_lock, embedded_rows::EmbeddedRows, error::EngineError, limits::QueryPermits, schema,
        snapshot::Snapshot,
    },
    query::{
        answer::Answer,
        counters, events, link_totals, metrics,
        questions::{Questions, failed},
        views,
        visits::{self, Visits},
    },
};

/// Answers questions from the embedded engine.
///
/// An answer contains the visits that are durable at that moment, not those that still wait for the
/// writer. Clones share connections and limits.
#[derive(Clone, Debug)]
pub struct EmbeddedLog {
    questions: Questions,
    /// Keeps the file from being replaced if there is no recorder.
    _lock: Option<Arc<File>>,
}

impl EmbeddedLog {
    pub(crate) fn new(path: &Path, limits: QueryLimits, tally: Arc<Tally>) -> Self {
        Self {
            questions: Questions::new(path, limits, tally),
            _lock: None,
        }
    }

    /// The permits of the log's questions.
    pub(crate) fn permits(&self) -> Arc<QueryPermits> {
        self.questions.permits()
    }

    /// Opens a log for questions only, also while another process writes to it.
    ///
    /// # Errors
    /// The file cannot be opened, is not an access log, or was written by a newer version.
    pub fn open(path: &Path, limits: QueryLimits) -> Result<Self, OpenError> {
        let lock = lock::share(path)?;
        schema::open_writer(path)?;
        Ok(Self {
            _lock: Some(Arc::new(lock)),
            ..Self::new(path, limits, Arc::default())
        })
    }
}

impl EmbeddedLog {
    /// Asks for a table of numbers. `action` is the end of the message "failed to …".
    async fn report<Q: Clone + Send + Sync + 'static, R: Send + 'static>(
        &self,
        action: &'static str,
        query: &Q,
        filter: &VisitFilter,
        answer: fn(&Snapshot<'_>, &Q) -> Result<Answer<R>, EngineError>,
    ) -> Result<Report<R>, VisitLogError> {
        let unsaved = self.questions.tally().losses.concerning(filter);
        let (query, filter) = (query.clone(), filter.clone());
        let asked = self.questions.ask(move |log| {
            let answer = answer(log, &query)?;
            let sampling = sampling(log, &filter, answer.sketched, unsaved)?;
            Ok((answer, sampling))
        });
        let (answer, sampling) = asked.await.map_err(|error| failed(action, error))?;
        Ok(Report {
            rows: answer.rows,
            rows_before_limit: answer.rows_before_limit,
            others: answer.others,
            sampling,
        })
    }
}

/// The accuracy of an answer, by all that the log knows about the visits that it lacks. `unsaved`
/// losses were not in the file before the question.
fn sampling(
    log: &Snapshot<'_>,
    filter: &VisitFilter,
    sketched: bool,
    unsaved: u64,
) -> Result<SamplingNote, EngineError> {
    let interval_max = sampled::table::concerning(log.db(), filter)?;
    let lost = losses::table::concerning(log.db(), filter)?;
    Ok(SamplingNote {
        interval_max,
        dropped: lost.saturating_add(unsaved),
        damaged: log.damaged_rows(),
        sketched,
    })
}

#[async_trait]
impl VisitLog for EmbeddedLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let (action, filter) = ("count visits", &query.filter);
        self.report(action, query, filter, counters::answer).await
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let (action, filter) = ("count visits over time", &query.filter);
        self.report(action, query, filter, views::answer).await
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let (action, filter) = ("count visits by hour of the week", &query.filter);
        let answer = views::answer_by_week;
        self.report(action, query, filter, answer).await
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let (action, filter) = ("find the most frequent values", &query.filter);
        self.report(action, query, filter, metrics::answer).await
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let (action, filter) = ("find the most frequent places", &query.filter);
        let answer = metrics::answer_places;
        self.report(action, query, filter, answer).await
    }

    async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, VisitLogError> {
        let query = query.clone();
        self.questions
            .ask(move |log| events::answer(log, &query))
            .await
            .map_err(|error| failed("find the latest visits", error))
    }

    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError> {
        let asked = filter.clone();
        let unsaved = self.questions.tally().losses.concerning(filter);
        let answer = self.questions.ask(move |log| {
            let answer = link_totals::answer(log, &asked)?;
            let sampling = sampling(log, &asked, answer.sketched, unsaved)?;
            Ok((answer, sampling))
        });
        let answer = answer.await;
        let (answer, sampling) = answer.map_err(|error| failed("list visits by link", error))?;
        Ok(Box::new(link_totals::Rows::new(answer.rows, sampling)))
    }

    async fn visits(&self, filter: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError> {
        let path = self.questions.path().to_owned();
        // The lock waits for a running merge, which takes a moment.
        let chunks_stay = tokio::task::spawn_blocking(move || chunk_lock::keep_chunks(&path))
            .await
            .map_err(|_| failed(visits::ACTION, EngineError::Panicked))?;
        let chunks_stay = chunks_stay.map_err(|error| VisitLogError::Failed {
            action: visits::ACTION,
            source: Box::new(error),
        })?;
        // The reader of a file can wait longer than a person waits for an answer.
        let patient = self.questions.with_deadline(visits::TIMEOUT);
        let visits = Visits::begin(patient, filter, chunks_stay).await;
        Ok(Box::new(
            visits.map_err(|error| failed(visits::ACTION, error))?,
        ))
    }

    fn troubles(&self) -> Vec<LogTrouble> {
        self.questions.tally().troubles.list()
    }
}

/// Opens the access log at `path`, creating the file if there is none, and starts the recorder.
/// The log answers questions with the default [`QueryLimits`].
///
/// # Errors
/// The file cannot be opened, is not an access log, or was written by a newer version; or no
/// thread can be started.
pub fn start(
    path: &Path,
    options: RecorderOptions,
    ports: RecorderPorts,
) -> Result<(Recorder, EmbeddedLog), OpenError> {
    let tally = Arc::new(Tally::default());
    let log = EmbeddedLog::new(path, QueryLimits::default(), Arc::clone(&tally));
    let lock = lock::share(path)?;
    let db = schema::open_writer(path)?;
    let rows = Box::new(EmbeddedRows::new(&options, log.permits()).with_lock(lock));
    let recorder = Recorder::over((path, db), rows, options, ports, tally)?;
    Ok((recorder, log))
}
