//! The values that occur most.

use crate::{Dimension, Report, RowLimit, VisitFilter};

/// The question for the most frequent values of a dimension.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricsQuery {
    /// Which visits.
    pub filter: VisitFilter,
    /// The dimension.
    pub dimension: Dimension,
    /// How many values at most.
    pub limit: RowLimit,
}

/// A value and how often it occurs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricRow {
    /// The value; empty when unknown. Coordinates are written as
    /// [`Degrees`](crate::Degrees).
    pub name: String,
    /// Visits with this value.
    pub count: u64,
}

/// The answer: most visits first, values with as many visits in order of their
/// bytes.
pub type MetricsReport = Report<MetricRow>;
