//! Recording visits, and the log that answers questions about them.

use std::{error::Error as StdError, fmt, net::IpAddr, sync::Arc, time::Duration};

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    AccessRow, CountersQuery, CountersReport, Country, Erasure, Event, EventsQuery, HeatmapQuery,
    HeatmapReport, LinkId, LocationsQuery, LocationsReport, LogTrouble, MetricsQuery,
    MetricsReport, Place, SamplingNote, StoredVisit, ViewsQuery, ViewsReport, Visit, VisitColumn,
    VisitFilter, VisitRecord, routing::AgentFacts,
};

/// Reads `User-Agent` headers. Redirects call it, so it remembers what it read.
pub trait AgentReader: fmt::Debug + Send + Sync {
    /// Returns the facts in a header.
    fn read(&self, user_agent: &str) -> Arc<AgentFacts>;
}

/// Takes visits. The redirect calls it, so it must neither wait nor fail: it
/// drops and counts visits that it has no room for.
pub trait VisitSink: fmt::Debug + Send + Sync {
    /// Takes one visit.
    fn record(&self, visit: Visit);
}

/// Finds the places of addresses. The redirect calls it for links that lead
/// elsewhere in some countries, so it must not wait.
pub trait PlaceFinder: fmt::Debug + Send + Sync {
    /// The place of an address, as far as it is known.
    fn find(&self, address: IpAddr) -> Place;

    /// The country of an address, for callers that need no more.
    fn country(&self, address: IpAddr) -> Option<Country> {
        self.find(address).country
    }
}

/// Learns of each stored visit once it is durable. The thread that stores
/// visits calls it, so it must neither wait nor fail.
pub trait VisitObserver: fmt::Debug + Send + Sync {
    /// Learns of one visit, in the order in which they are stored.
    fn observe(&self, record: &VisitRecord<'_>);
}

/// Answers questions from the access log.
///
/// Visits, and counts of them, are sums of sampling intervals. Visitors are the
/// sum, over those who have a row sampled by visitor, of the smallest interval
/// of such rows; the same visitor counts anew in each salt period. An answer
/// reads the log as it is at one moment.
#[async_trait]
pub trait VisitLog: fmt::Debug + Send + Sync {
    /// Counters.
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError>;

    /// Visits over time.
    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError>;

    /// Visits by hour of the week.
    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError>;

    /// The most frequent values of a dimension.
    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError>;

    /// The most frequent places.
    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError>;

    /// The latest visits, in the order of [`Event::latest`].
    async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, VisitLogError>;

    /// Counters of every slug and destination, to be read in parts.
    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError>;

    /// The visits themselves, to be read in parts.
    async fn visits(&self, filter: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError>;

    /// The parts of the log that do not work at the moment, as far as its own
    /// work has shown; empty if all do. Health checks call this, so it sends no
    /// request.
    fn troubles(&self) -> Vec<LogTrouble> {
        Vec::new()
    }
}

/// Counters of links, read in parts, because there may be too many to hold at once.
/// Most visits first, then by slug and URL.
#[async_trait]
pub trait AccessRows: fmt::Debug + Send {
    /// Returns the next rows; none at the end.
    ///
    /// # Errors
    /// The access log cannot be read any further.
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError>;

    /// Returns the accuracy of all rows. It is known once the first rows were read.
    fn sampling(&self) -> SamplingNote;
}

/// Stored visits that are read in parts, in the order of storage.
///
/// Each visit that was stored when reading began, and was not deleted since, comes once.
#[async_trait]
pub trait VisitRows: fmt::Debug + Send {
    /// The columns of the visits' texts.
    fn columns(&self) -> &'static [VisitColumn];

    /// Returns the next visits; none at the end.
    ///
    /// # Errors
    /// The access log cannot be read any further.
    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError>;
}

/// Erases visits from the access log.
#[async_trait]
pub trait VisitEraser: fmt::Debug + Send + Sync {
    /// Erases every visit of a link that was recorded before the answer; visits that come later
    /// are new. A link without visits is no error. After an error, and after an answer that
    /// no caller waited for, the visits may be erased or not: ask again.
    ///
    /// An engine of several nodes goes by moments: a visit that is dated later than its clock is new
    /// to it.
    async fn erase(&self, link: &LinkId) -> Result<Erasure, VisitLogError>;
}

/// The access log gave no answer.
#[derive(Debug, Error)]
pub enum VisitLogError {
    /// The log failed.
    #[error("access log failed to {action}")]
    Failed {
        /// The action that failed: the rest of "failed to …".
        action: &'static str,
        /// The reason.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer would have taken longer than the time limit.
    #[error("access log could not {action} within {} ms", limit.as_millis())]
    TooSlow {
        /// The action that was stopped: the rest of "could not …".
        action: &'static str,
        /// The time limit.
        limit: Duration,
    },
}
