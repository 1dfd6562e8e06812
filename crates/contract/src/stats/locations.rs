//! The places that visits came from.

use schemars::JsonSchema;
use serde::Serialize;
use slugline_domain::LocationRow;

use super::answer::Varies;

/// A place and its visits.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LocationView {
    /// City with its country; empty when unknown.
    pub city: String,
    /// Degrees north of the equator, to two decimals.
    pub latitude: f64,
    /// Degrees east of Greenwich, to two decimals.
    pub longitude: f64,
    /// Visits from there.
    pub count: u64,
}

/// Like values, places are ranked by their estimates.
impl Varies for LocationRow {}

impl From<LocationRow> for LocationView {
    fn from(row: LocationRow) -> Self {
        Self {
            city: row.city,
            latitude: row.latitude.into(),
            longitude: row.longitude.into(),
            count: row.count,
        }
    }
}
