//! Visits by hour of the week.

use crate::{HourOfWeek, Report, VisitFilter, ZoneOffsets};

/// The question for visits by hour of the week.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HeatmapQuery {
    /// Which visits.
    pub filter: VisitFilter,
    /// On whose clock.
    pub zone: ZoneOffsets,
}

/// One hour of the week, over all weeks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeatmapRow {
    /// Which hour.
    pub hour: HourOfWeek,
    /// Visits in it.
    pub visits: u64,
    /// Distinct visitors in it.
    pub visitors: u64,
}

/// The answer: one row for each hour of the week that has visits, from Monday
/// morning on.
pub type HeatmapReport = Report<HeatmapRow>;
