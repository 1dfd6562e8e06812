//! The read side: the domain's port on ClickHouse.

use std::{
    collections::BTreeSet,
    error::Error as StdError,
    path::PathBuf,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use async_trait::async_trait;
use slugline_analytics::{QueryLimits, tally::Tally};
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LinkId, LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, Report,
    SamplingNote, TimeUnit, ViewsQuery, ViewsReport, VisitFilter, VisitRows,
    ports::{VisitLog, VisitLogError},
};

use crate::{
    access,
    answer::{WithTotal, beyond_limit},
    client::Client,
    counters,
    days::{self, Known, Ready, Rest, Wanted},
    error::failed,
    events,
    gaps::{self, Gaps},
    heatmap, locations, metrics,
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
    /// The spool of this node, if it records visits.
    spool: Option<PathBuf>,
    days: Ready,
}

impl ClickHouseLog {
    pub(crate) fn new(client: Client, deadline: Duration, tally: Arc<Tally>) -> Self {
        Self {
            client,
            deadline,
            tally,
            spool: None,
            days: Ready::default(),
        }
    }

    /// Takes days from totals as soon as this node's upkeep says that they can be trusted.
    pub(crate) fn with_days(self, days: Ready) -> Self {
        Self { days, ..self }
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

    /// Reads an answer about visits. Returns it with how far it can be trusted.
    async fn asked<T>(
        &self,
        action: &'static str,
        filter: &VisitFilter,
        read: impl Future<Output = Result<T, VisitLogError>>,
    ) -> Result<(T, SamplingNote), VisitLogError> {
        let before = self.gaps_here(filter).await;
        let rows = read.await?;
        Ok((rows, self.sampling(action, filter, before).await?))
    }

    /// Takes the days of a question from totals, as far as there are any; see [`days::take`].
    async fn take<T>(
        &self,
        filter: &VisitFilter,
        wanted: Wanted,
        read: impl Fn(&Known) -> Option<T>,
    ) -> (Vec<T>, Rest) {
        if !self.days.load(Ordering::Acquire) {
            return (Vec::new(), Rest::default());
        }
        let taken = days::take(&self.client, (filter, wanted), self.deadline, read);
        taken.await.unwrap_or_else(|error| {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(
                error,
                "ClickHouse has no day totals for a question, which scans instead"
            );
            (Vec::new(), Rest::default())
        })
    }

    /// Runs a statement that adds values of day totals to scanned visits. If totals went meanwhile,
    /// because their day changed, a second statement scans all visits.
    async fn rows_and_totals<T>(
        &self,
        action: &'static str,
        rest: &Rest,
        statement: impl Fn(&Rest) -> (String, ReadRow<T>),
    ) -> Result<(Vec<T>, Totals), VisitLogError> {
        let (sql, read) = statement(rest);
        let rows = self.rows(action, &sql, read).await?;
        let holds = rest.holds(&self.client, self.deadline).await;
        if holds.map_err(|error| failed(action, error))? {
            return Ok((rows, Totals::Added));
        }
        let (sql, read) = statement(&Rest::default());
        Ok((self.rows(action, &sql, read).await?, Totals::Gone))
    }

    /// The accuracy of an answer, by the gaps of this node before the answer and by those of all
    /// nodes now: a gap moves from memory to the spool, and from there to ClickHouse.
    async fn sampling(
        &self,
        action: &'static str,
        filter: &VisitFilter,
        before: Gaps,
    ) -> Result<SamplingNote, VisitLogError> {
        let there = gaps::of_all_nodes(&self.client, filter).await;
        let there = there.map_err(|error| failed(action, error))?;
        let Gaps { decided, lost } = before.and(there);
        Ok(SamplingNote {
            interval_max: decided.interval_max,
            unrecorded: decided.unrecorded,
            dropped: lost,
            // ClickHouse answers completely or not at all.
            damaged: 0,
            // ClickHouse counts visitors and referers exactly.
            sketched: false,
        })
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
        let mut gaps = Gaps::NONE;
        gaps.decided.unrecorded = true;
        gaps
    }
}

/// Whether an answer has day totals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Totals {
    Added,
    Gone,
}

/// An answer without a row limit.
fn complete<R>((rows, sampling): (Vec<R>, SamplingNote)) -> Report<R> {
    Report {
        rows_before_limit: u64::try_from(rows.len()).expect("a pointer's size fits 64 bits"),
        rows,
        others: 0,
        sampling,
    }
}

/// An answer with a row limit: the rows that it shows, and the visits of the others.
fn limited<R>(
    (rows, sampling): (Vec<WithTotal<R>>, SamplingNote),
    is_shown: fn(&R) -> bool,
    visits_of: fn(&R) -> u64,
) -> Report<R> {
    let (all, visits) = beyond_limit(&rows);
    let rows = rows.into_iter().map(|row| row.row).filter(is_shown);
    let rows: Vec<R> = rows.collect();
    let shown: u64 = rows.iter().map(visits_of).sum();
    Report {
        others: visits.saturating_sub(shown),
        rows_before_limit: all,
        rows,
        sampling,
    }
}

#[async_trait]
impl VisitLog for ClickHouseLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let action = "count visits";
        let read = async {
            let (known, rest) = if query.per_link {
                (Vec::new(), Rest::default())
            } else {
                let wanted = counters::WANTED;
                self.take(&query.filter, wanted, |day| {
                    Some(day.moments.as_ref()?.whole())
                })
                .await
            };
            let statement = |rest: &Rest| counters::statement(query, rest);
            let (mut rows, totals) = self.rows_and_totals(action, &rest, statement).await?;
            if let (Totals::Added, Some(Some(row))) = (totals, rows.first_mut()) {
                counters::add(row, known);
            }
            Ok(rows.into_iter().flatten().collect())
        };
        let asked = self.asked(action, &query.filter, read);
        Ok(complete(asked.await?))
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let action = "count visits over time";
        let read = async {
            let of_day = |day: &Known| day.by_clock(&query.zone, query.unit);
            let (known, rest) = self.take(&query.filter, days::MOMENTS, of_day).await;
            let rows = if rest.is_nothing() {
                Vec::new()
            } else {
                let sql = views::statement(query, &rest);
                self.rows(action, &sql, views::read).await?
            };
            Ok(views::add(rows, known.into_iter().flatten()))
        };
        let asked = self.asked(action, &query.filter, read);
        Ok(complete(asked.await?))
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let action = "count visits by hour of the week";
        let read = async {
            let of_day = |day: &Known| day.by_clock(&query.zone, TimeUnit::Hour);
            let (known, rest) = self.take(&query.filter, days::MOMENTS, of_day).await;
            let rows = if rest.is_nothing() {
                Vec::new()
            } else {
                let sql = heatmap::statement(query, &rest);
                self.rows(action, &sql, heatmap::read).await?
            };
            Ok(heatmap::add(rows, known.into_iter().flatten()))
        };
        let asked = self.asked(action, &query.filter, read);
        Ok(complete(asked.await?))
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let action = "find the most frequent values";
        let read = async {
            let (_, rest) = self
                .take(&query.filter, metrics::wanted(query), |_| Some(()))
                .await;
            let statement = |rest: &Rest| metrics::statement(query, rest);
            let (rows, _) = self.rows_and_totals(action, &rest, statement).await?;
            Ok(rows)
        };
        let asked = self.asked(action, &query.filter, read);
        Ok(limited(asked.await?, |_| true, |row| row.count))
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let action = "find the most frequent places";
        let read = async {
            let (_, rest) = self
                .take(&query.filter, locations::WANTED, |_| Some(()))
                .await;
            let read: ReadRow<_> = locations::read;
            let statement = |rest: &Rest| (locations::statement(query, rest), read);
            let (rows, _) = self.rows_and_totals(action, &rest, statement).await?;
            Ok(rows)
        };
        let asked = self.asked(action, &query.filter, read);
        Ok(limited(asked.await?, locations::is_known, |row| row.count))
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
        let before = self.gaps_here(filter).await;
        let rows = self.client.stream(&sql, self.deadline, access::read).await;
        let rows = rows.map_err(|error| failed(access::ACTION, error))?;
        let sampling = self.sampling(access::ACTION, filter, before).await?;
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
