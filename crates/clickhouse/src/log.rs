//! The read side: the domain's port on ClickHouse.

use std::{error::Error as StdError, path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use slugline_analytics::{QueryLimits, moments::Crowd, tally::Tally};
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, Report, SamplingNote,
    ViewsQuery, ViewsReport, VisitFilter, VisitRows,
    ports::{VisitLog, VisitLogError},
};

use crate::{
    client::Client,
    connection::{ClickHouseTarget, ClickHouseWire},
    counts::{self, Counted, Estimate},
    error::failed,
    gaps::{self, Gaps},
    lists,
    row_binary::ReadRow,
    visits,
};

/// The time limit of each step of an answer that takes long to read.
const STEP_TIMEOUT: Duration = Duration::from_mins(5);

/// Answers questions from ClickHouse.
///
/// An answer covers the visits that have arrived there. They arrive a second
/// after they happen, or once ClickHouse is back.
#[derive(Clone, Debug)]
pub struct ClickHouseLog {
    client: Client,
    deadline: Duration,
    tally: Arc<Tally>,
    /// The spool of this node, if it records visits.
    spool: Option<PathBuf>,
}

impl ClickHouseLog {
    pub(crate) fn new(client: Client, deadline: Duration, tally: Arc<Tally>) -> Self {
        Self {
            client,
            deadline,
            tally,
            spool: None,
        }
    }

    /// Adds the spool of this node, whose gaps may not be in ClickHouse yet.
    pub(crate) fn with_spool(self, spool: PathBuf) -> Self {
        Self {
            spool: Some(spool),
            ..self
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

    /// Runs the statement of a question about visits, and says how far the answer can be trusted.
    async fn asked<R>(
        &self,
        action: &'static str,
        filter: &VisitFilter,
        (sql, read): (String, ReadRow<R>),
    ) -> Result<(Vec<R>, SamplingNote), VisitLogError> {
        let before = self.gaps_here(filter).await;
        let rows = self.rows(action, &sql, read).await?;
        let there = gaps::of_all_nodes(&self.client, filter).await;
        let there = there.map_err(|error| failed(action, error))?;
        Ok((rows, sampling(before.and(there))))
    }

    /// Counts visits and visitors, and makes a row of each group. Visits are rarely sampled, so only a
    /// second statement expects that.
    async fn counted<K, R>(
        &self,
        action: &'static str,
        filter: &VisitFilter,
        statement: impl Fn(Estimate) -> String + Send + Sync,
        read: ReadRow<Counted<K>>,
        row: fn((K, Crowd)) -> R,
    ) -> Result<Report<R>, VisitLogError> {
        let asked = async |estimate| {
            let statement = (statement(estimate), read);
            self.asked(action, filter, statement).await
        };
        let mut answer = asked(Estimate::No).await?;
        if answer.0.iter().any(|counted| counted.needs_estimate) {
            answer = asked(Estimate::Yes).await?;
        }
        let (groups, sampling) = answer;
        let rows = groups.into_iter().map(|group| row((group.of, group.crowd)));
        Ok(complete(rows, sampling))
    }

    /// The gaps that this node has not sent yet.
    async fn gaps_here(&self, filter: &VisitFilter) -> Gaps {
        let unsaved = Gaps {
            lost: self.tally.losses.concerning(filter),
            ..Gaps::NONE
        };
        unsaved.and(self.gaps_of_spool(filter).await)
    }

    async fn gaps_of_spool(&self, filter: &VisitFilter) -> Gaps {
        let Some(spool) = self.spool.clone() else {
            return Gaps::NONE;
        };
        let filter = filter.clone();
        let read = tokio::task::spawn_blocking(move || gaps::of_spool(&spool, &filter)).await;
        let error: Box<dyn StdError + Send + Sync> = match read {
            Ok(Ok(gaps)) => return gaps,
            Ok(Err(error)) => error.into(),
            Err(error) => error.into(),
        };
        let error: &(dyn StdError + 'static) = error.as_ref();
        tracing::warn!(error, "an answer may lack visits: the spool cannot be read");
        // At least one visit may be missing, so that the answer does not count as exact.
        Gaps {
            lost: 1,
            ..Gaps::NONE
        }
    }
}

/// The accuracy of an answer with these gaps.
fn sampling(gaps: Gaps) -> SamplingNote {
    SamplingNote {
        interval_max: gaps.interval_max,
        dropped: gaps.lost,
        // ClickHouse answers completely or not at all.
        damaged: 0,
        // ClickHouse counts visitors and referers exactly.
        sketched: false,
    }
}

/// An answer without a row limit.
fn complete<R>(rows: impl IntoIterator<Item = R>, sampling: SamplingNote) -> Report<R> {
    let rows: Vec<R> = rows.into_iter().collect();
    Report {
        rows_before_limit: u64::try_from(rows.len()).expect("a pointer's size fits 64 bits"),
        rows,
        others: 0,
        sampling,
    }
}

#[async_trait]
impl VisitLog for ClickHouseLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let (action, filter) = ("count visits", &query.filter);
        if query.per_link {
            let read: ReadRow<_> = counts::read_counters_of_link;
            let statement = (counts::counters_of_links(query), read);
            let (rows, sampling) = self.asked(action, filter, statement).await?;
            return Ok(complete(rows.into_iter().flatten(), sampling));
        }
        let statement = |estimate| counts::counters(query, estimate);
        let (read, row) = (counts::read_counters, counts::counter_row);
        self.counted(action, filter, statement, read, row).await
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let (action, filter) = ("count visits over time", &query.filter);
        let statement = |estimate| counts::views(query, estimate);
        let (read, row) = (counts::read_view, counts::view_row);
        self.counted(action, filter, statement, read, row).await
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let (action, filter) = ("count visits by hour of the week", &query.filter);
        let statement = |estimate| counts::heatmap(query, estimate);
        let (read, row) = (counts::read_hour, counts::heatmap_row);
        self.counted(action, filter, statement, read, row).await
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let (action, filter) = ("find the most frequent values", &query.filter);
        let statement = lists::metrics(query);
        let (rows, sampling) = self.asked(action, filter, statement).await?;
        Ok(lists::report(rows, |_| true, |row| row.count, sampling))
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let (action, filter) = ("find the most frequent places", &query.filter);
        let read: ReadRow<_> = lists::read_location;
        let statement = (lists::locations(query), read);
        let (rows, sampling) = self.asked(action, filter, statement).await?;
        let is_shown = lists::is_known;
        Ok(lists::report(rows, is_shown, |row| row.count, sampling))
    }

    async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, VisitLogError> {
        let sql = visits::events(query);
        let read = visits::read_event;
        let events = self.rows("find the latest visits", &sql, read).await?;
        Ok(Event::latest(events, query.limit))
    }

    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError> {
        let action = visits::LIST_ACCESS;
        let sql = visits::access(filter);
        let before = self.gaps_here(filter).await;
        let rows = self.client.stream(&sql, self.deadline, visits::read_access);
        let rows = rows.await.map_err(|error| failed(action, error))?;
        let there = gaps::of_all_nodes(&self.client, filter).await;
        let there = there.map_err(|error| failed(action, error))?;
        let sampling = sampling(before.and(there));
        Ok(Box::new(visits::ArrivingAccess { rows, sampling }))
    }

    async fn visits(&self, filter: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError> {
        let sql = visits::visits(filter);
        let read = visits::read_visit;
        let stream = self.client.stream_at_once(&sql, STEP_TIMEOUT, read).await;
        let stream = stream.map_err(|error| failed(visits::READ_VISITS, error))?;
        Ok(Box::new(visits::ArrivingVisits(stream)))
    }

    fn troubles(&self) -> Vec<LogTrouble> {
        self.tally.troubles.list()
    }
}
