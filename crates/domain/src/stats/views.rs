//! Visits over time.

use crate::{LocalSeconds, Report, TimeUnit, VisitFilter, ZoneOffsets};

/// The question for visits over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewsQuery {
    /// Which visits.
    pub filter: VisitFilter,
    /// How long a row lasts.
    pub unit: TimeUnit,
    /// On whose clock.
    pub zone: ZoneOffsets,
}

/// One minute, hour or day that has visits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViewRow {
    /// Its beginning. An hour that a clock shows twice is one row.
    pub start: LocalSeconds,
    /// Visits in it.
    pub visits: u64,
    /// Distinct visitors in it.
    pub visitors: u64,
}

/// The answer: one row for each stretch that has visits, in order of time.
pub type ViewsReport = Report<ViewRow>;
