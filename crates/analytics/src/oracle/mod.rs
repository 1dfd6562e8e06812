//! Tests an engine's answers: runs random queries of every kind and compares the
//! answers with plain SQL over the same rows.
//!
//! An engine implements [`Party`], and [`agrees_with_sql`] tests it. The numbers
//! must be equal to the last digit: there are few enough visitors to count exactly.
//!
//! | module | holds |
//! |---|---|
//! | `dice` | random numbers that repeat with the seed |
//! | `rows` | random rows, sampled and not |
//! | `questions` | random questions, zones among them |
//! | `sql` | the answers, by SQLite over one plain table |

mod dice;
mod questions;
mod rows;
mod sql;

use std::collections::BTreeSet;

use slugline_domain::{
    AccessRow, CountersQuery, CountersReport, Dimension, Event, EventsQuery, HeatmapQuery,
    HeatmapReport, LinkId, LocationsQuery, LocationsReport, MetricsQuery, MetricsReport,
    StoredVisit, ViewsQuery, ViewsReport, VisitFilter,
    ports::{VisitLog, VisitLogError},
};

use crate::{engine::text_of, row::Row, visitor::VisitorHash};
use dice::Dice;
use sql::Oracle;

/// An engine under test.
pub(crate) trait Party {
    /// Stores rows so that later questions see them.
    async fn store(&mut self, rows: &[Row<'_>]);

    /// Changes rows before they are stored, here and in the plain table.
    fn prepare(&self, _: &mut [Row<'_>]) {}

    /// The log to query.
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
        let mut rows = rows::random(&dice);
        party.prepare(&mut rows);
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
    // Queries that match nothing prove nothing.
    assert!(answered > asked / 2, "{answered} of {asked} have an answer");
}

/// Any query.
#[derive(Debug)]
pub(crate) enum Question {
    Counters(CountersQuery),
    Views(ViewsQuery),
    Heatmap(HeatmapQuery),
    Metrics(MetricsQuery),
    Locations(LocationsQuery),
    Events(EventsQuery),
    Access(VisitFilter),
    Visits(VisitFilter),
    Unrecorded(VisitFilter),
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
    /// Moment, link, slug, destination, protection and visitor of each, in order.
    Visits(Vec<String>),
    Unrecorded(BTreeSet<LinkId>),
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
            Self::Visits(rows) => rows.is_empty(),
            Self::Unrecorded(links) => links.is_empty(),
        }
    }
}

/// Runs a query on an engine.
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
        Question::Visits(filter) => {
            let mut rows = log.visits(filter).await?;
            let mut all = Vec::new();
            loop {
                let next = rows.next().await?;
                if next.is_empty() {
                    all.sort();
                    break Answer::Visits(all);
                }
                all.extend(next.iter().map(written));
            }
        }
        Question::Unrecorded(filter) => Answer::Unrecorded(log.unrecorded(filter, u32::MAX).await?),
    })
}

fn written(visit: &StoredVisit) -> String {
    let texts = [Dimension::Slug, Dimension::Url, Dimension::Protection];
    let [slug, url, protection] = texts.map(|dimension| visit.texts.get(text_of(dimension)));
    let visitor = VisitorHash(visit.visitor);
    let (at, link) = (visit.at.get(), &visit.link);
    format!("{at} {link} {slug} {url} {protection} {visitor}")
}
