//! Visits over time.

use crate::{LocalSeconds, Report, TimeUnit, Variance, VisitFilter, ZoneOffsets};

/// The question for visits over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewsQuery {
    /// The visits to count.
    pub filter: VisitFilter,
    /// The length of time of a row.
    pub unit: TimeUnit,
    /// The clock that defines minutes, hours and days.
    pub zone: ZoneOffsets,
}

/// One minute, hour or day that has visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// The beginning. An hour that a clock shows twice is one row.
    pub start: LocalSeconds,
    /// Visits in this time.
    pub visits: u64,
    /// Distinct visitors in this time.
    pub visitors: u64,
    /// The variance of both, if they are estimates.
    pub variance: Variance,
}

/// The answer: one row for each minute, hour or day that has visits, in order
/// of time.
pub type ViewsReport = Report<ViewRow>;
