//! Totals of each link, for an export.

use async_trait::async_trait;

use crate::{SamplingNote, ports::VisitLogError};

/// The totals of all visits that followed one slug to one destination, or to any of those that are
/// hidden.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRow {
    /// The slug at the time of the visits.
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

/// Rows that are read in parts, because there may be too many to hold at once.
/// Most visits first, then by slug and URL.
#[async_trait]
pub trait AccessRows: std::fmt::Debug + Send {
    /// Returns the next rows; none at the end.
    ///
    /// # Errors
    /// The access log cannot be read any further.
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError>;

    /// Returns the accuracy of all rows. It is known once the first rows were read.
    fn sampling(&self) -> SamplingNote;
}
