//! The read side: the domain's port on ClickHouse.

use std::{error::Error as StdError, path::PathBuf, sync::Arc, time::Duration};

use async_trait::async_trait;
use slugline_analytics::{QueryLimits, tally::Tally};
use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, Report, SamplingNote,
    TimeUnit, ViewsQuery, ViewsReport, VisitFilter, VisitRows,
    ports::{VisitLog, VisitLogError},
};

use crate::{
    access,
    answer::{WithTotal, beyond_limit},
    client::Client,
    counters,
    days::{Age, Known, MOMENTS, Plans, Ready, Rest, Wanted},
    error::failed,
    events,
    gaps::{self, Gaps},
    heatmap, locations, metrics,
    row_binary::ReadRow,
    target::ClickHouseTarget,
    views, visits,
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
    days: Option<Arc<Plans>>,
}

impl ClickHouseLog {
    pub(crate) fn new(client: Client, deadline: Duration, tally: Arc<Tally>) -> Self {
        Self {
            client,
            deadline,
            tally,
            spool: None,
            days: None,
        }
    }

    /// Takes days from totals, as long as this node's upkeep is [`Ready`]. Their plan stays in memory
    /// for some time.
    pub(crate) fn with_days(self, ready: Ready, kept_for: Duration) -> Self {
        let plans = Plans::new(self.client.clone(), self.deadline, ready, kept_for);
        Self {
            days: Some(Arc::new(plans)),
            ..self
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

    /// Answers a question about visits, and says how far the answer can be trusted.
    ///
    /// It takes what `of_day` reads from the totals of days that have what is `wanted`; `statement`
    /// reads the rest, and is `None` if nothing is left. If the totals prove to be out of date, the
    /// question is asked again with new ones, and then without any.
    async fn asked<K: Send, R>(
        &self,
        action: &'static str,
        (filter, wanted): (&VisitFilter, Option<Wanted>),
        of_day: impl Fn(&Known) -> Option<K> + Send + Sync,
        statement: impl Fn(&Rest) -> Option<(String, ReadRow<R>)> + Send + Sync,
    ) -> Result<Asked<K, R>, VisitLogError> {
        let before = self.gaps_here(filter).await;
        let mut ages = [Age::Any, Age::New].into_iter();
        loop {
            let totals = wanted.zip(self.days.as_ref()).zip(ages.next());
            let (known, rest) = match totals {
                Some(((wanted, days), age)) => days.take((filter, wanted), age, &of_day).await,
                None => (Vec::new(), Rest::default()),
            };
            let rows = match statement(&rest) {
                Some((sql, read)) => self.rows(action, &sql, read).await?,
                None => Vec::new(),
            };
            let there = gaps::of_all_nodes(&self.client, filter, rest.proof()).await;
            let (there, holds) = there.map_err(|error| failed(action, error))?;
            if holds {
                return Ok(Asked {
                    known,
                    rows,
                    sampling: sampling(before.and(there)),
                });
            }
        }
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

/// An answer, before day totals and rows are put together.
#[derive(Debug)]
struct Asked<K, R> {
    /// What was read from the totals of days.
    known: Vec<K>,
    rows: Vec<R>,
    sampling: SamplingNote,
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

/// An answer with a row limit: the rows that it shows, and the visits of the others.
fn limited<K, R>(
    asked: Asked<K, WithTotal<R>>,
    is_shown: fn(&R) -> bool,
    visits_of: fn(&R) -> u64,
) -> Report<R> {
    let (all, visits) = beyond_limit(&asked.rows);
    let rows = asked.rows.into_iter().map(|row| row.row).filter(is_shown);
    let rows: Vec<R> = rows.collect();
    let shown: u64 = rows.iter().map(visits_of).sum();
    Report {
        others: visits.saturating_sub(shown),
        rows_before_limit: all,
        rows,
        sampling: asked.sampling,
    }
}

#[async_trait]
impl VisitLog for ClickHouseLog {
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError> {
        let statement = |rest: &Rest| Some(counters::statement(query, rest));
        let wanted = (&query.filter, counters::wanted(query));
        let whole = |day: &Known| Some(day.whole());
        let asked = self.asked("count visits", wanted, whole, statement).await?;
        let mut rows = asked.rows;
        // Only a question about all links at once takes days, and it has one row.
        if let Some(Some(row)) = rows.first_mut() {
            counters::add(row, asked.known);
        }
        Ok(complete(rows.into_iter().flatten(), asked.sampling))
    }

    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError> {
        let action = "count visits over time";
        let read: ReadRow<_> = views::read;
        let statement = |rest: &Rest| Some((views::statement(query, rest)?, read));
        let of_day = |day: &Known| day.by_clock(&query.zone, query.unit);
        let wanted = (&query.filter, Some(MOMENTS));
        let asked = self.asked(action, wanted, of_day, statement).await?;
        let crowds = asked.rows.into_iter();
        let rows = views::rows(crowds.chain(asked.known.into_iter().flatten()));
        Ok(complete(rows, asked.sampling))
    }

    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError> {
        let action = "count visits by hour of the week";
        let read: ReadRow<_> = heatmap::read;
        let statement = |rest: &Rest| Some((heatmap::statement(query, rest)?, read));
        let of_day = |day: &Known| day.by_clock(&query.zone, TimeUnit::Hour);
        let wanted = (&query.filter, Some(MOMENTS));
        let asked = self.asked(action, wanted, of_day, statement).await?;
        let known = asked.known.into_iter().flatten();
        let known = known.map(|(start, crowd)| (start.hour_of_week(), crowd));
        let rows = heatmap::rows(asked.rows.into_iter().chain(known));
        Ok(complete(rows, asked.sampling))
    }

    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError> {
        let action = "find the most frequent values";
        let statement = |rest: &Rest| Some(metrics::statement(query, rest));
        let wanted = (&query.filter, Some(metrics::wanted(query)));
        let asked = self.asked(action, wanted, |_| Some(()), statement).await?;
        Ok(limited(asked, |_| true, |row| row.count))
    }

    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError> {
        let action = "find the most frequent places";
        let read: ReadRow<_> = locations::read;
        let statement = |rest: &Rest| Some((locations::statement(query, rest), read));
        let wanted = (&query.filter, Some(locations::WANTED));
        let asked = self.asked(action, wanted, |_| Some(()), statement).await?;
        Ok(limited(asked, locations::is_known, |row| row.count))
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
        let there = gaps::of_all_nodes(&self.client, filter, None).await;
        let (there, _) = there.map_err(|error| failed(access::ACTION, error))?;
        let sampling = sampling(before.and(there));
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

    fn troubles(&self) -> Vec<LogTrouble> {
        self.tally.troubles.list()
    }
}
