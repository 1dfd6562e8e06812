//! Counters: visits, visitors and referers.

use crate::{LinkId, Report, Variance, VisitFilter};

/// The question for counters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountersQuery {
    /// The visits to count.
    pub filter: VisitFilter,
    /// One row per link instead of one for all.
    pub per_link: bool,
}

/// The counters of some visits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Visits: the sum of sampling intervals.
    pub visits: u64,
    /// Distinct visitors per salt period, estimated from the rows that were
    /// sampled by visitor.
    pub visitors: u64,
    /// Distinct referring hosts among the stored rows; a lower bound if
    /// sampled. A missing referer is not a host.
    pub referers: u64,
}

/// One row of counters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CounterRow {
    /// The link, if the query asked per link.
    pub link: Option<LinkId>,
    /// Its counters.
    pub counters: Counters,
    /// The variance of visits and visitors, if they are estimates. Referers have none: the log does not know
    /// the hosts of visits that were left out.
    pub variance: Variance,
}

/// The answer: one row for all visits, or one per link that has visits,
/// ordered by link.
pub type CountersReport = Report<CounterRow>;
