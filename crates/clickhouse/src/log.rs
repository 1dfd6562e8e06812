//! The read side: the domain's port on ClickHouse.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use async_trait::async_trait;
use slugline_analytics::{QueryLimits, tally::Tally};
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LinkId, LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, Report,
    SamplingInterval, SamplingNote, ViewsQuery, ViewsReport, VisitFilter, VisitRows,
    ports::{VisitLog, VisitLogError},
};

use crate::{
    access,
    answer::{WithInterval, WithTotal, beyond_limit, largest},
    client::Client,
    counters,
    error::failed,
    events, heatmap, locations, metrics,
    row_binary::{ReadRow, text},
    target::ClickHouseTarget,
    unrecorded, views, visits,
    wire::ClickHouseWire,
};

/// The time limit of each step of an answer that takes long to read.
const PATIENCE: Duration = Duration::from_mins(5);

/// Answers questions from ClickHouse.
///
/// An answer covers the visits that have arrived there. They arrive a second
/// after they happen, or once ClickHouse is back.
#[derive(Clone, Debug)]
pub struct ClickHouseLog {
    client: Client,
    deadline: Duration,
    tally: Arc<Tally>,
}

impl ClickHouseLog {
    pub(crate) fn new(client: Client, deadline: Duration, tally: Arc<Tally>) -> Self {
        Self {
            client,
            deadline,
            tally,
        }
    }

    /// A log for questions only.
    pub fn open(target: ClickHouseTarget, wire: Arc<dyn ClickHouseWire>) -> Self {
        let deadline = QueryLimits::default().deadline;
        Self::new(Client::new(target, wire), deadline, Arc::default())
    }

    /// Runs a statement and returns its rows. `action` is the rest of "failed to …".
    async fn rows<T>(
        &self,
        action: &'static str,
        sql: &str,
        read: ReadRow<T>,
    ) -> Result<Vec<T>, VisitLogError> {
        self.client
            .rows(sql, self.deadline, read)
            .await
            .map_err(|error| failed(action, error))
    }

    /// An answer without a row limit.
    fn complete<R>(
        &self,
        filter: &VisitFilter,
        rows: Vec<R>,
        interval_max: SamplingInterval,
    ) -> Report<R> {
        let all = u64::try_from(rows.len()).expect("a pointer's size fits 64 bits");
        self.report(filter, rows, all, interval_max)
    }

    /// An answer with a row limit: the rows that it shows, and the visits of the others.
    fn limited<R>(
        &self,
        filter: &VisitFilter,
        rows: Vec<WithTotal<R>>,
        is_shown: fn(&R) -> bool,
        visits_of: fn(&R) -> u64,
    ) -> Report<R> {
        let (all, visits, interval_max) = beyond_limit(&rows);
        let rows: Vec<R> = rows
            .into_iter()
            .map(|row| row.row)
            .filter(is_shown)
            .collect();
        let shown: u64 = rows.iter().map(visits_of).sum();
        Report {
            others: visits.saturating_sub(shown),
            ..self.report(filter, rows, all, interval_max)
        }
    }

    fn report<R>(
        &self,
        filter: &VisitFilter,
        rows: Vec<R>,
        rows_before_limit: u64,
        interval_max: SamplingInterval,
    ) -> Report<R> {
        Report {
            rows,
            rows_before_limit,
            others: 0,
            sampling: self.sampling(filter, interval_max),
        }
    }

    fn sampling(&self, filter: &VisitFilter, interval_max: SamplingInterval) -> SamplingNote {
        SamplingNote {
            interval_max,
            // The losses of this node. Other nodes do not report theirs.
            dropped: self.tally.losses.concerning(filter),
            // ClickHouse answers completely or not at all.
            damaged: 0,
            // ClickHouse counts visitors and referers exactly.
            sketched: false,
        }
    }
}

fn shown<R>(rows: Vec<WithInterval<R>>) -> Vec<R> {
    rows.into_iter().map(|rested| rested.row).collect()
}

#[async_trait]
impl VisitLog for ClickHouseLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let (sql, read) = counters::statement(query);
        let rows = self.rows("count visits", &sql, read).await?;
        let interval_max = largest(&rows);
        let rows = shown(rows).into_iter().flatten().collect();
        Ok(self.complete(&query.filter, rows, interval_max))
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let sql = views::statement(query);
        let rows = self
            .rows("count visits over time", &sql, views::read)
            .await?;
        let interval_max = largest(&rows);
        Ok(self.complete(&query.filter, shown(rows), interval_max))
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let sql = heatmap::statement(query);
        let action = "count visits by hour of the week";
        let rows = self.rows(action, &sql, heatmap::read).await?;
        let interval_max = largest(&rows);
        Ok(self.complete(&query.filter, shown(rows), interval_max))
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let (sql, read) = metrics::statement(query);
        let rows = self
            .rows("find the most frequent values", &sql, read)
            .await?;
        Ok(self.limited(&query.filter, rows, |_| true, |row| row.count))
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let sql = locations::statement(query);
        let action = "find the most frequent places";
        let rows = self.rows(action, &sql, locations::read).await?;
        Ok(self.limited(&query.filter, rows, locations::is_known, |row| row.count))
    }

    async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, VisitLogError> {
        let sql = events::statement(query);
        let events = self
            .rows("find the latest visits", &sql, events::read)
            .await?;
        Ok(Event::latest(events, query.limit))
    }

    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError> {
        let sql = access::statement(filter);
        let rows = self.client.stream(&sql, self.deadline, access::read).await;
        let rows = rows.map_err(|error| failed(access::ACTION, error))?;
        let sampling = self.sampling(filter, SamplingInterval::EVERY);
        Ok(Box::new(access::Rows { rows, sampling }))
    }

    async fn visits(&self, filter: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError> {
        let sql = visits::statement(filter);
        let stream = self.client.stream_at_once(&sql, PATIENCE, visits::read);
        let stream = stream
            .await
            .map_err(|error| failed(visits::ACTION, error))?;
        Ok(Box::new(visits::Rows(stream)))
    }

    async fn unrecorded(
        &self,
        filter: &VisitFilter,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, VisitLogError> {
        let sql = unrecorded::statement(filter, limit);
        let links = self.rows(unrecorded::ACTION, &sql, text).await?;
        // A link whose name was lost with a part of a file has none any more.
        let links = links.iter().filter_map(|link| LinkId::parse(link).ok());
        Ok(links.collect())
    }

    fn troubles(&self) -> Vec<LogTrouble> {
        self.tally.troubles.list()
    }
}
