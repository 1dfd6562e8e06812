//! Runs questions of async code, each on a thread of its own.

use std::{
    error::Error as StdError,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
};

use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits,
    journal::open,
    tally::{Tally, Troubles},
};
use slugline_domain::ports::VisitLogError;
use tokio::sync::oneshot;

use crate::file::{
    error::EngineError,
    limits::{Deadline, QueryPermits, QuestionMemory, step_back},
    snapshot::{Damage, Snapshot},
};

/// Asks questions of the log in a file. Clones share connections and limits.
#[derive(Clone, Debug)]
pub(crate) struct Questions {
    path: PathBuf,
    limits: QueryLimits,
    permits: Arc<QueryPermits>,
    idle: Arc<Mutex<Vec<Connection>>>,
    tally: Arc<Tally>,
}

impl Questions {
    pub(crate) fn new(path: &Path, limits: QueryLimits, tally: Arc<Tally>) -> Self {
        Self {
            path: path.to_owned(),
            limits,
            permits: Arc::new(QueryPermits::under(limits)),
            idle: Arc::default(),
            tally,
        }
    }

    /// The permits of questions.
    pub(crate) fn permits(&self) -> Arc<QueryPermits> {
        Arc::clone(&self.permits)
    }

    /// The file of the log.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The state that the log shares with its recorder.
    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Sets another time limit for each question.
    pub(crate) fn with_deadline(&self, deadline: std::time::Duration) -> Self {
        let limits = QueryLimits {
            deadline,
            ..self.limits
        };
        Self {
            limits,
            ..self.clone()
        }
    }

    /// Asks a question about the log as it is now, once it is its turn.
    ///
    /// The question runs on a thread of its own. This thread, and any that it starts, get a
    /// processor when no redirect needs it, and otherwise a thirtieth of one. The question ends at
    /// the deadline, or soon after the caller has gone; until then it keeps its turn.
    pub(crate) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Snapshot<'_>) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<T, EngineError> {
        let deadline = Deadline::after(self.limits.deadline);
        let _waiting = deadline.waiting();
        let turn = tokio::time::timeout_at(deadline.at.into(), self.permits.next())
            .await
            .map_err(|_| deadline.exceeded())?;
        let log = self.clone();
        let (tell, told) = oneshot::channel();
        thread::Builder::new()
            .name("access-log-question".into())
            .spawn(move || {
                step_back();
                let answer = log.answer(question, &deadline);
                drop(turn);
                // The caller may have gone.
                let _ = tell.send(answer.map_err(|error| deadline.explain(error)));
            })
            .map_err(EngineError::Thread)?;
        told.await.map_err(|_| EngineError::Panicked)?
    }

    fn answer<T>(
        &self,
        question: impl FnOnce(&Snapshot<'_>) -> Result<T, EngineError>,
        deadline: &Deadline,
    ) -> Result<T, EngineError> {
        // Takes a connection only now, so that there are no more connections than turns.
        let idle = locked(&self.idle).pop();
        let mut db = match idle {
            Some(db) => db,
            None => open::open_reader(&self.path)?,
        };
        let memory = QuestionMemory::under(self.limits);
        let snapshot = Snapshot::take(&mut db, deadline.clone())?.with_memory(memory);
        let answer = question(&snapshot)?;
        tell_of_damage(&snapshot, &self.tally.troubles);
        drop(snapshot);
        // Only the connection of a successful question is kept.
        locked(&self.idle).push(db);
        Ok(answer)
    }
}

/// Logs each damaged chunk and batch once, because answers lack its rows.
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

/// Turns an error into the port's.
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

fn locked(connections: &Mutex<Vec<Connection>>) -> MutexGuard<'_, Vec<Connection>> {
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

    use slugline_domain::{
        CountersQuery, Dimension, HeatmapQuery, LocationsQuery, MetricsQuery, TimeUnit, VisitFilter,
    };
    use slugline_testkit::questions;

    use super::*;
    use crate::{
        file::{schema, seal, snapshot::OnChunk},
        format::{block::Numbers, block_builder::BlockBuilder},
        query::{counters, events, link_totals, metrics, views},
        tests::rows::row,
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
        let log = Questions::new(&path, limits, Arc::default());
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

    /// All questions, by name.
    fn questions() -> Vec<(&'static str, Ask)> {
        fn metrics(dimension: Dimension) -> MetricsQuery {
            questions::by_value(VisitFilter::default(), dimension)
        }
        vec![
            ("counters", |log| {
                counters::answer(log, &CountersQuery::default()).map(drop)
            }),
            ("per link", |log| {
                counters::answer(log, &questions::by_link(VisitFilter::default())).map(drop)
            }),
            ("views", |log| {
                let query = questions::by_time(VisitFilter::default(), TimeUnit::Day);
                views::answer(log, &query).map(drop)
            }),
            ("heatmap", |log| {
                views::answer_by_week(log, &HeatmapQuery::default()).map(drop)
            }),
            ("visitors", |log| {
                metrics::answer(log, &metrics(Dimension::Ip)).map(drop)
            }),
            ("programs", |log| {
                metrics::answer(log, &metrics(Dimension::UserAgent)).map(drop)
            }),
            ("locations", |log| {
                metrics::answer_places(log, &LocationsQuery::default()).map(drop)
            }),
            ("events", |log| {
                let query = questions::latest(VisitFilter::default());
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
            let mut draft = BlockBuilder::default();
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
            let log = Questions::new(&path, limits, Arc::default());
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
            // A question that waits for its turn ends without a trace.
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
            assert_eq!(log.permits.free(), 1, "{name}");
        }
    }
}
