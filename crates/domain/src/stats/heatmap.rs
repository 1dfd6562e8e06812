//! Visits by hour of the week.

use crate::{HourOfWeek, Report, Variance, VisitFilter, ZoneOffsets};

/// The question for visits by hour of the week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatmapQuery {
    /// The visits to count.
    pub filter: VisitFilter,
    /// The clock that defines the hours.
    pub zone: ZoneOffsets,
}

/// One hour of the week, over all weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatmapRow {
    /// The hour.
    pub hour: HourOfWeek,
    /// Visits in the hour.
    pub visits: u64,
    /// Distinct visitors in the hour.
    pub visitors: u64,
    /// The variance of both, if they are estimates.
    pub variance: Variance,
}

/// The answer: one row for each hour of the week that has visits, starting with
/// Monday morning.
pub type HeatmapReport = Report<HeatmapRow>;
