//! Questions to the access log.

use std::sync::Arc;

use slugline_domain::{CountersQuery, CountersReport, VisitFilter, ports::VisitLog};

use crate::Error;

/// Answers questions about visits.
#[derive(Clone, Debug)]
pub struct StatsService {
    log: Arc<dyn VisitLog>,
}

impl StatsService {
    /// Asks this log.
    pub fn new(log: Arc<dyn VisitLog>) -> Self {
        Self { log }
    }

    /// Totals: one row for all visits, or one per link when the filter names
    /// links.
    ///
    /// # Errors
    /// The access log cannot be read.
    pub async fn counters(&self, filter: VisitFilter) -> Result<CountersReport, Error> {
        let per_link = !filter.links.is_empty();
        Ok(self
            .log
            .counters(&CountersQuery { filter, per_link })
            .await?)
    }
}
