//! Questions to the access log.

use std::sync::Arc;

use slugline_domain::{
    AccessRows, CountersQuery, CountersReport, Event, EventsQuery, HeatmapQuery, HeatmapReport,
    LocationsQuery, LocationsReport, LogTrouble, MetricsQuery, MetricsReport, UnixMillis,
    ViewsQuery, ViewsReport, VisitFilter,
    ports::{Clock, VisitLog},
};

use crate::Error;

/// Answers questions about visits. Each fails when the access log cannot be
/// read, or when the answer would take too long.
#[derive(Clone, Debug)]
pub struct StatsService {
    log: Arc<dyn VisitLog>,
    clock: Arc<dyn Clock>,
}

/// Totals of every slug and destination, fetched bit by bit.
#[derive(Debug)]
pub struct AccessExport {
    /// When the export began.
    pub exported_at: UnixMillis,
    /// The rows, most visits first.
    pub rows: Box<dyn AccessRows>,
}

impl StatsService {
    /// Asks this log.
    pub fn new(log: Arc<dyn VisitLog>, clock: Arc<dyn Clock>) -> Self {
        Self { log, clock }
    }

    /// Totals: one row for all visits, or one per link when the filter names
    /// links.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn counters(&self, filter: VisitFilter) -> Result<CountersReport, Error> {
        let per_link = !filter.links.is_empty();
        Ok(self
            .log
            .counters(&CountersQuery { filter, per_link })
            .await?)
    }

    /// Visits over time.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, Error> {
        Ok(self.log.views(query).await?)
    }

    /// Visits by hour of the week.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, Error> {
        Ok(self.log.heatmap(query).await?)
    }

    /// The most frequent values of a dimension.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, Error> {
        Ok(self.log.metrics(query).await?)
    }

    /// The most frequent places.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, Error> {
        Ok(self.log.locations(query).await?)
    }

    /// The latest visits.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, Error> {
        Ok(self.log.events(query).await?)
    }

    /// Totals of every slug and destination, to be fetched bit by bit.
    ///
    /// # Errors
    /// There is no answer.
    pub async fn access(&self, filter: &VisitFilter) -> Result<AccessExport, Error> {
        Ok(AccessExport {
            exported_at: self.clock.now(),
            rows: self.log.access(filter).await?,
        })
    }

    /// What does not work in the access log at the moment.
    pub fn log_troubles(&self) -> Vec<LogTrouble> {
        self.log.troubles()
    }
}
