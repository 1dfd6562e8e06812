//! The answers to questions.

pub(crate) mod counters;
pub(crate) mod events;
pub(crate) mod heatmap;
pub(crate) mod link_totals;
pub(crate) mod locations;
pub(crate) mod metrics;
pub(crate) mod views;

use slugline_domain::SamplingInterval;

use crate::engine::read::selection::number;

/// Rows, and what they rest on.
#[derive(Debug)]
pub(crate) struct Answer<R> {
    pub(crate) rows: Vec<R>,
    /// The number of rows without a limit.
    pub(crate) rows_before_limit: u64,
    /// The largest interval among the rows of the log that were read.
    pub(crate) interval_max: SamplingInterval,
    /// True if visitors or referers were too many to be counted one by one.
    pub(crate) sketched: bool,
}

impl<R> Answer<R> {
    /// All the rows there are.
    pub(crate) fn complete(rows: Vec<R>, interval_max: SamplingInterval, sketched: bool) -> Self {
        Self {
            rows_before_limit: number(rows.len()),
            rows,
            interval_max,
            sketched,
        }
    }

    /// The same with its rows in another form.
    pub(crate) fn map<S>(self, convert: impl Fn(R) -> S) -> Answer<S> {
        Answer {
            rows: self.rows.into_iter().map(convert).collect(),
            rows_before_limit: self.rows_before_limit,
            interval_max: self.interval_max,
            sketched: self.sketched,
        }
    }
}
