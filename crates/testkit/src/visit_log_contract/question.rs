//! Any question, and its answer.

use slugline_domain::{
    AccessRow, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, MetricsQuery, MetricsReport, StoredVisit, ViewsQuery,
    ViewsReport, VisitColumn, VisitFilter,
    ports::{VisitLog, VisitLogError},
};

use super::visits;

/// Any query.
#[derive(Debug)]
pub enum Question {
    /// Counters.
    Counters(CountersQuery),
    /// Visits over time.
    Views(ViewsQuery),
    /// Visits by hour of the week.
    Heatmap(HeatmapQuery),
    /// The most frequent values.
    Metrics(MetricsQuery),
    /// The most frequent places.
    Locations(LocationsQuery),
    /// The latest visits.
    Events(EventsQuery),
    /// Counters of each slug and destination.
    Access(VisitFilter),
    /// The visits themselves.
    Visits(VisitFilter),
}

/// The answer to a question.
#[derive(Debug, PartialEq)]
pub enum Answer {
    /// Counters.
    Counters(CountersReport),
    /// Visits over time.
    Views(ViewsReport),
    /// Visits by hour of the week.
    Heatmap(HeatmapReport),
    /// The most frequent values.
    Metrics(MetricsReport),
    /// The most frequent places.
    Locations(LocationsReport),
    /// The latest visits.
    Events(Vec<Event>),
    /// Counters of each slug and destination.
    Access(Vec<AccessRow>),
    /// Moment, link, slug, destination, protection and visitor of each, in order.
    Visits(Vec<String>),
}

impl Answer {
    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Counters(report) => report.rows.iter().all(|row| row.counters.visits == 0),
            Self::Views(report) => report.rows.is_empty(),
            Self::Heatmap(report) => report.rows.is_empty(),
            Self::Metrics(report) => report.rows.is_empty(),
            Self::Locations(report) => report.rows.is_empty(),
            Self::Events(events) => events.is_empty(),
            Self::Access(rows) => rows.is_empty(),
            Self::Visits(rows) => rows.is_empty(),
        }
    }
}

/// Runs a query on an engine.
///
/// # Errors
/// The engine has no answer.
pub async fn ask(log: &dyn VisitLog, question: &Question) -> Result<Answer, VisitLogError> {
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
                all.extend(next.iter().map(|visit| written(visit, rows.columns())));
            }
        }
    })
}

fn written(visit: &StoredVisit, columns: &[VisitColumn]) -> String {
    let text = |name| {
        let position = columns.iter().position(|column| column.name == name);
        position.map_or("", |position| visit.texts.get(position))
    };
    let [slug, url, protection] = ["slug", "url", "protection"].map(text);
    let visitor = visits::token(visit.visitor);
    let (at, link) = (visit.at.get(), &visit.link);
    format!("{at} {link} {slug} {url} {protection} {visitor}")
}
