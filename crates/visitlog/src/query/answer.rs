//! The rows of an answer, with their accuracy.

use super::frequent::First;
use crate::format::selection::number;

/// Rows, with their accuracy.
#[derive(Debug)]
pub(crate) struct Answer<R> {
    pub(crate) rows: Vec<R>,
    /// The number of rows without a limit.
    pub(crate) rows_before_limit: u64,
    /// The visits that the limit keeps out of the rows.
    pub(crate) others: u64,
    /// True if there were too many visitors or referers to count one by one, or too many values to
    /// prove that these are the first.
    pub(crate) sketched: bool,
}

impl<K> Answer<(K, u64)> {
    /// The first rows.
    pub(crate) fn of(first: First<K>) -> Self {
        Self {
            rows: first.rows,
            rows_before_limit: first.all,
            others: first.others,
            sketched: first.is_estimate,
        }
    }
}

impl<R> Answer<R> {
    /// An answer with all rows.
    pub(crate) fn complete(rows: Vec<R>, sketched: bool) -> Self {
        Self {
            rows_before_limit: number(rows.len()),
            rows,
            others: 0,
            sketched,
        }
    }

    /// Converts the rows.
    pub(crate) fn map<S>(self, convert: impl Fn(R) -> S) -> Answer<S> {
        Answer {
            rows: self.rows.into_iter().map(convert).collect(),
            rows_before_limit: self.rows_before_limit,
            others: self.others,
            sketched: self.sketched,
        }
    }
}
