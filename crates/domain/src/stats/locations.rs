//! Places of visits, as points on a map.

use crate::{Degrees, Report, RowLimit, VisitFilter};

/// The question for places.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LocationsQuery {
    /// The visits to count.
    pub filter: VisitFilter,
    /// The largest number of places.
    pub limit: RowLimit,
}

/// A place and its visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocationRow {
    /// City with its country; empty if unknown.
    pub city: String,
    /// North of the equator; never zero.
    pub latitude: Degrees,
    /// East of Greenwich; never zero.
    pub longitude: Degrees,
    /// Visits from there.
    pub count: u64,
}

/// The answer: most visits first, then by city, latitude and longitude. It
/// leaves out places with a coordinate of zero, because zero means unknown.
pub type LocationsReport = Report<LocationRow>;
