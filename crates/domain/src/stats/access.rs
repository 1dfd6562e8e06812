//! Counters of each link, for an export.

/// The counters of all visits that followed one slug to one destination, or to any of those that
/// are hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRow {
    /// The text of the link's key at the time of the visits; [`split_key`](crate::split_key) tells
    /// domain and slug apart.
    pub slug: String,
    /// The link's main destination at the time; empty for those that are hidden.
    pub url: String,
    /// Distinct visitors.
    pub visitors: u64,
    /// Visits.
    pub visits: u64,
    /// Distinct referring hosts; a missing referer is not a host.
    pub referers: u64,
}
