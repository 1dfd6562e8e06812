//! Tests an engine's answers: asks every question at random and compares with
//! plain SQL over the same rows.
//!
//! An engine takes part as a [`Party`] and is put to the test by
//! [`agrees_with_sql`]. The numbers must be the same to the last digit, which
//! they can be because there are few enough visitors to count.
//!
//! | module | holds |
//! |---|---|
//! | `dice` | chance that repeats with its seed |
//! | `rows` | random rows, sampled and not |
//! | `questions` | random questions, zones among them |
//! | `sql` | the answers, by SQLite over one plain table |

mod dice;
mod questions;
mod rows;
mod sql;

use slugline_domain::{
    AccessRow, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, MetricsQuery, MetricsReport, ViewsQuery, ViewsReport,
    VisitFilter,
    ports::{VisitLog, VisitLogError},
};

use crate::row::Row;
use dice::Dice;
use sql::Oracle;

/// An engine under test.
pub(crate) trait Party {
    /// Stores rows so that later questions see them.
    async fn store(&mut self, rows: &[Row<'_>]);

    /// The log to ask.
    fn log(&self) -> &dyn VisitLog;

    /// Returns whether the engine can answer this question.
    fn can_answer(&self, _: &Question) -> bool {
        true
    }
}

/// Stores random rows and asks random questions, round after round, so that an
/// engine is tested in every state that it passes through.
pub(crate) async fn agrees_with_sql(party: &mut impl Party, seed: u64) {
    const ROUNDS: usize = 8;
    const QUESTIONS: usize = 60;

    let dice = Dice::new(seed);
    let oracle = Oracle::new();
    let (mut asked, mut answered) = (0, 0);
    for round in 0..ROUNDS {
        let rows = rows::random(&dice);
        oracle.store(&rows);
        party.store(&rows).await;
        for number in 0..QUESTIONS {
            let question = questions::random(&dice, number);
            if !party.can_answer(&question) {
                continue;
            }
            let expected = oracle.answer(&question);
            let found = ask(party.log(), &question)
                .await
                .unwrap_or_else(|error| panic!("{round} {question:?}: {error:?}"));
            assert_eq!(found, expected, "seed {seed}, round {round}: {question:?}");
            asked += 1;
            answered += usize::from(!found.is_empty());
        }
    }
    // Questions that match nothing prove nothing.
    assert!(answered > asked / 2, "{answered} of {asked} have an answer");
}

/// Any question.
#[derive(Debug)]
pub(crate) enum Question {
    Counters(CountersQuery),
    Views(ViewsQuery),
    Heatmap(HeatmapQuery),
    Metrics(MetricsQuery),
    Locations(LocationsQuery),
    Events(EventsQuery),
    Access(VisitFilter),
}

/// Its answer.
#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Counters(CountersReport),
    Views(ViewsReport),
    Heatmap(HeatmapReport),
    Metrics(MetricsReport),
    Locations(LocationsReport),
    Events(Vec<Event>),
    Access(Vec<AccessRow>),
}

impl Answer {
    fn is_empty(&self) -> bool {
        match self {
            Self::Counters(report) => report.rows.iter().all(|row| row.counters.visits == 0),
            Self::Views(report) => report.rows.is_empty(),
            Self::Heatmap(report) => report.rows.is_empty(),
            Self::Metrics(report) => report.rows.is_empty(),
            Self::Locations(report) => report.rows.is_empty(),
            Self::Events(events) => events.is_empty(),
            Self::Access(rows) => rows.is_empty(),
        }
    }
}

/// Asks an engine.
pub(crate) async fn ask(log: &dyn VisitLog, question: &Question) -> Result<Answer, VisitLogError> {
    Ok(match question {
        Question::Counters(query) => Answer::Counters(log.counters(query).await?),
        Question::Views(query) => Answer::Views(log.views(query).await?),
        Question::Heatmap(query) => Answer::Heatmap(log.heatmap(query).await?),
        Question::Metrics(query) => Answer::Metrics(log.metrics(query).await?),
        Question::Locations(query) => Answer::Locations(log.locations(query).await?),
        Question::Events(query) => Answer::Events(log.events(query).await?),
        Question::Access(filter) => {
            let mut rows = log.access(filter).await?;
            let mut all = Vec::new();
            loop {
                let next = rows.next().await?;
                if next.is_empty() {
                    break Answer::Access(all);
                }
                all.extend(next);
            }
        }
    })
}
