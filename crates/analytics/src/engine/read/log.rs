//! The read side: questions from async code, answered on threads of their own.

use std::{
    collections::BTreeSet,
    error::Error as StdError,
    fs::File,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use async_trait::async_trait;
use rusqlite::Connection;
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LinkId, LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, Report,
    SamplingNote, ViewsQuery, ViewsReport, VisitFilter, VisitRows,
    ports::{VisitLog, VisitLogError},
};

use super::{
    background,
    deadline::Deadline,
    memory::QuestionMemory,
    snapshot::{Damage, Snapshot},
    turns::Turns,
    visits::{self, Visits},
};
use crate::engine::{
    answer::Answer,
    answer::{counters, events, heatmap, link_totals, locations, metrics, unrecorded, views},
    store::{
        error::{EngineError, OpenError},
        lock, schema,
    },
};
use crate::{
    QueryLimits,
    tally::{Tally, Troubles},
};

/// Answers questions from the embedded engine.
///
/// An answer holds what is durable at that moment; visits that still wait for
/// the writer are not in it. Clones share connections and limits.
#[derive(Clone, Debug)]
pub struct EmbeddedLog {
    path: PathBuf,
    limits: QueryLimits,
    turns: Arc<Turns>,
    idle: Arc<Mutex<Vec<Connection>>>,
    tally: Arc<Tally>,
    /// Keeps the file from being replaced, where no recorder does.
    _lock: Option<Arc<File>>,
}

impl EmbeddedLog {
    pub(crate) fn new(path: &Path, limits: QueryLimits, tally: Arc<Tally>) -> Self {
        Self {
            path: path.to_owned(),
            limits,
            turns: Arc::new(Turns::under(limits)),
            idle: Arc::default(),
            tally,
            _lock: None,
        }
    }

    /// The turns that its questions take.
    pub(crate) fn turns(&self) -> Arc<Turns> {
        Arc::clone(&self.turns)
    }

    /// Opens a log for questions only, also while another process writes to it. Creates what an
    /// older version lacks.
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

    /// Asks a question about the log as it is now.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Snapshot<'_>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let (connections, tally) = (Arc::clone(&self.idle), Arc::clone(&self.tally));
        let memory = QuestionMemory::under(self.limits);
        self.run(move |db, deadline| {
            let snapshot = Snapshot::take(&db, deadline)?.with_memory(memory);
            let answer = question(&snapshot)?;
            tell_of_damage(&snapshot, &tally.troubles);
            drop(snapshot);
            // One that failed is not worth keeping.
            locked(&connections).push(db);
            Ok(answer)
        })
        .await
    }

    /// Runs a question on a thread of its own once it is its turn. It ends at the
    /// deadline, and soon after the one who asked has gone away; until then it
    /// keeps its turn.
    async fn run<T: Send + 'static>(
        &self,
        question: impl FnOnce(Connection, Deadline) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let deadline = Deadline::after(self.limits.deadline);
        let _waiting = deadline.waiting();
        let turn = tokio::time::timeout_at(deadline.at.into(), self.turns.next())
            .await
            .map_err(|_| deadline.exceeded())?;
        let connections = Arc::clone(&self.idle);
        let path = self.path.clone();
        background::run(move || {
            let _turn = turn;
            // Only now, so that there are no more of them than turns.
            let idle = locked(&connections).pop();
            let db = match idle {
                Some(db) => db,
                None => schema::open_reader(&path)?,
            };
            question(db, deadline.clone()).map_err(|error| deadline.explain(error))
        })
        .await
    }
}

impl EmbeddedLog {
    /// Asks for a table of numbers. `action` is the rest of "failed to …".
    async fn report<R: Send + 'static>(
        &self,
        action: &'static str,
        filter: &VisitFilter,
        question: impl FnOnce(&Snapshot<'_>) -> Result<Answer<R>, EngineError> + Send + 'static,
    ) -> Result<Report<R>, VisitLogError> {
        let asked = self.ask(|log| Ok((question(log)?, log.damaged_rows())));
        let (answer, damaged) = asked.await.map_err(|error| failed(action, error))?;
        Ok(Report {
            rows: answer.rows,
            rows_before_limit: answer.rows_before_limit,
            sampling: SamplingNote {
                interval_max: answer.interval_max,
                dropped: self.tally.losses.concerning(filter),
                damaged,
                sketched: answer.sketched,
            },
        })
    }
}

#[async_trait]
impl VisitLog for EmbeddedLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let asked = query.clone();
        self.report("count visits", &query.filter, move |log| {
            counters::answer(log, &asked)
        })
        .await
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let asked = query.clone();
        self.report("count visits over time", &query.filter, move |log| {
            views::answer(log, &asked)
        })
        .await
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let asked = query.clone();
        self.report(
            "count visits by hour of the week",
            &query.filter,
            move |log| heatmap::answer(log, &asked),
        )
        .await
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let asked = query.clone();
        self.report("find the most frequent values", &query.filter, move |log| {
            metrics::answer(log, &asked)
        })
        .await
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let asked = query.clone();
        self.report("find the most frequent places", &query.filter, move |log| {
            locations::answer(log, &asked)
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
        let asked = filter.clone();
        let answer = self.ask(move |log| {
            let answer = link_totals::answer(log, &asked)?;
            Ok((answer, log.damaged_rows()))
        });
        let answer = answer.await;
        let (answer, damaged) = answer.map_err(|error| failed("list visits by link", error))?;
        let sampling = SamplingNote {
            interval_max: answer.interval_max,
            dropped: self.tally.losses.concerning(filter),
            damaged,
            sketched: answer.sketched,
        };
        Ok(Box::new(link_totals::Rows::new(answer.rows, sampling)))
    }

    async fn visits(&self, filter: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError> {
        let path = self.path.clone();
        let chunks_stay = background::run(move || Ok(lock::keep_chunks(&path))).await;
        let chunks_stay = chunks_stay.map_err(|error| failed(visits::ACTION, error))?;
        let chunks_stay = chunks_stay.map_err(|error| VisitLogError::Failed {
            action: visits::ACTION,
            source: Box::new(error),
        })?;
        // The reader of a file waits for it longer than a person for an answer.
        let patient = Self {
            limits: QueryLimits {
                deadline: visits::PATIENCE,
                ..self.limits
            },
            ..self.clone()
        };
        let visits = Visits::begin(patient, filter, chunks_stay).await;
        Ok(Box::new(
            visits.map_err(|error| failed(visits::ACTION, error))?,
        ))
    }

    async fn unrecorded(
        &self,
        filter: &VisitFilter,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, VisitLogError> {
        let filter = filter.clone();
        self.ask(move |log| unrecorded::answer(log, filter, limit))
            .await
            .map_err(|error| failed("find the links of older visits", error))
    }

    fn troubles(&self) -> Vec<LogTrouble> {
        self.tally.troubles.list()
    }
}

/// Says once of each damaged chunk and batch that answers lack it.
fn tell_of_damage(snapshot: &Snapshot<'_>, troubles: &Troubles) {
    for (&what, Damage { rows, error }) in snapshot.damaged().iter() {
        if troubles.note_damage(what) {
            let error: &(dyn StdError + 'static) = error;
            tracing::warn!(
                error,
                rows,
                "answers lack damaged visits; `slugline doctor` examines the access log"
            );
        }
    }
}

/// Why there is no answer, as the port says it.
pub(crate) fn failed(action: &'static str, error: EngineError) -> VisitLogError {
    match error {
        EngineError::Deadline { limit } => VisitLogError::TooSlow { action, limit },
        EngineError::Sqlite(_)
        | EngineError::Chunk { .. }
        | EngineError::Batch { .. }
        | EngineError::Totals { .. }
        | EngineError::Dangling { .. }
        | EngineError::Spill(_)
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

#[cfg(test)]
mod tests {
    use std::{
        sync::{
            atomic::{AtomicU32, Ordering},
            mpsc,
        },
        time::Duration,
    };

    use slugline_domain::{Dimension, RowLimit, TimeUnit, UtcOffset, ZoneOffsets};

    use super::*;
    use crate::engine::{
        read::snapshot::OnChunk,
        tests::row,
        write::{
            draft::{Draft, Numbers},
            seal,
        },
    };

    #[tokio::test]
    async fn a_question_that_nobody_waits_for_gives_its_turn_away() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let _writer = schema::open_writer(&path).unwrap();
        let limits = QueryLimits {
            concurrent: 1,
            deadline: Duration::from_hours(1),
            ..QueryLimits::default()
        };
        let log = EmbeddedLog::new(&path, limits, Arc::default());
        let (begin, has_begun) = mpsc::channel();
        let asking = log.clone();
        let asked = tokio::spawn(async move {
            let endless = move |log: &Snapshot<'_>| {
                begin.send(()).unwrap();
                let sql = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) \
                           SELECT count(*) FROM n";
                Ok(log.db().query_row(sql, [], |_| Ok(()))?)
            };
            asking.ask(endless).await
        });
        tokio::task::spawn_blocking(move || has_begun.recv())
            .await
            .unwrap()
            .unwrap();
        asked.abort();
        assert_eq!(log.ask(|_| Ok(7)).await.unwrap(), 7);
    }

    type Ask = fn(&Snapshot<'_>) -> Result<(), EngineError>;

    /// Questions, each by a name.
    fn questions() -> Vec<(&'static str, Ask)> {
        const LIMIT: RowLimit = RowLimit::DEFAULT;
        fn utc() -> ZoneOffsets {
            ZoneOffsets::fixed(UtcOffset::from_seconds(0).unwrap())
        }
        fn metrics(dimension: Dimension) -> MetricsQuery {
            MetricsQuery {
                filter: VisitFilter::default(),
                dimension,
                limit: LIMIT,
                visitors: true,
            }
        }
        fn counters(per_link: bool) -> CountersQuery {
            CountersQuery {
                per_link,
                ..CountersQuery::default()
            }
        }
        vec![
            ("counters", |log| {
                counters::answer(log, &counters(false)).map(drop)
            }),
            ("per link", |log| {
                counters::answer(log, &counters(true)).map(drop)
            }),
            ("views", |log| {
                let query = ViewsQuery {
                    filter: VisitFilter::default(),
                    unit: TimeUnit::Day,
                    zone: utc(),
                };
                views::answer(log, &query).map(drop)
            }),
            ("heatmap", |log| {
                let query = HeatmapQuery {
                    filter: VisitFilter::default(),
                    zone: utc(),
                };
                heatmap::answer(log, &query).map(drop)
            }),
            ("visitors", |log| {
                metrics::answer(log, &metrics(Dimension::Ip)).map(drop)
            }),
            ("programs", |log| {
                metrics::answer(log, &metrics(Dimension::UserAgent)).map(drop)
            }),
            ("locations", |log| {
                let query = LocationsQuery {
                    filter: VisitFilter::default(),
                    limit: LIMIT,
                };
                locations::answer(log, &query).map(drop)
            }),
            ("events", |log| {
                let query = EventsQuery {
                    filter: VisitFilter::default(),
                    limit: RowLimit::MAX,
                };
                events::answer(log, &query).map(drop)
            }),
            ("list by link", |log| {
                link_totals::answer(log, &VisitFilter::default()).map(drop)
            }),
        ]
    }

    #[tokio::test]
    async fn each_question_ends_with_the_chunk_at_which_nobody_waits_any_more() {
        const CHUNKS: i64 = 50;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let writer = schema::open_writer(&path).unwrap();
        for day in 0..CHUNKS {
            let mut draft = Draft::default();
            let row = row(day * 86_400_000, 1);
            draft.push(Numbers::of(&row, 1), &row);
            seal::write(&writer, &draft, None).unwrap();
        }
        let limits = QueryLimits {
            concurrent: 1,
            deadline: Duration::from_hours(1),
            ..QueryLimits::default()
        };
        for (name, question) in questions() {
            let log = EmbeddedLog::new(&path, limits, Arc::default());
            let chunks = Arc::new(AtomicU32::new(0));
            let (at_third, is_at_third) = mpsc::channel();
            let (go_on, goes_on) = mpsc::channel::<()>();
            let (asking, seen) = (log.clone(), Arc::clone(&chunks));
            let asked = tokio::spawn(async move {
                let question = move |snapshot: &Snapshot<'_>| {
                    *snapshot.on_chunk.borrow_mut() = Some(OnChunk(Box::new(move || {
                        if seen.fetch_add(1, Ordering::Relaxed) == 2 {
                            at_third.send(()).unwrap();
                            goes_on.recv().unwrap();
                        }
                    })));
                    question(snapshot)
                };
                asking.ask(question).await
            });
            tokio::task::spawn_blocking(move || is_at_third.recv().unwrap())
                .await
                .unwrap();
            // One that waits for its turn goes without a trace.
            let waiting = log.clone();
            let waiting = tokio::spawn(async move { waiting.ask(|_| Ok(())).await });
            tokio::task::yield_now().await;
            waiting.abort();
            asked.abort();
            assert!(asked.await.unwrap_err().is_cancelled());
            assert!(waiting.await.is_err());
            go_on.send(()).unwrap();
            assert_eq!(log.ask(|_| Ok(7)).await.unwrap(), 7, "{name}");
            assert_eq!(chunks.load(Ordering::Relaxed), 3, "{name}");
            assert_eq!(log.turns.free(), 1, "{name}");
        }
    }
}
