//! Rows of an answer, and what they rest on.

use slugline_domain::SamplingInterval;

use super::first::First;
use crate::format::selection::number;

/// Rows, and what they rest on.
#[derive(Debug)]
pub(crate) struct Answer<R> {
    pub(crate) rows: Vec<R>,
    /// The number of rows without a limit.
    pub(crate) rows_before_limit: u64,
    /// The largest interval among the rows of the log that were read.
    pub(crate) interval_max: SamplingInterval,
    /// True if visitors or referers were too many to be counted one by one, or values too
    /// many to be sure that these are the first.
    pub(crate) sketched: bool,
}

impl<K> Answer<(K, u64)> {
    /// The first rows.
    pub(crate) fn of(first: First<K>, interval_max: SamplingInterval) -> Self {
        Self {
            rows: first.rows,
            rows_before_limit: first.all,
            interval_max,
            sketched: first.is_estimate,
        }
    }
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
