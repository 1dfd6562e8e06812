//! The most frequent values of a dimension.

use crate::{Dimension, Report, RowLimit, VisitFilter};

/// The question for the most frequent values of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsQuery {
    /// The visits to count.
    pub filter: VisitFilter,
    /// The dimension.
    pub dimension: Dimension,
    /// The largest number of values.
    pub limit: RowLimit,
    /// Also count the visitors of each value. That takes as long as counters do, several
    /// times as long as visits alone.
    pub visitors: bool,
}

/// A value and its number of visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricRow {
    /// The value; empty if unknown. Coordinates are written as
    /// [`Degrees`](crate::Degrees).
    pub name: String,
    /// Visits with this value.
    pub count: u64,
    /// Distinct visitors with this value, counted as [`Counters`](crate::Counters) counts
    /// them; none if the query did not ask for them.
    pub visitors: Option<u64>,
}

/// The answer: most visits first; values with the same number are ordered by
/// their bytes.
pub type MetricsReport = Report<MetricRow>;
