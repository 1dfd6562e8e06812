//! The answers to questions.

pub(crate) mod counters;
pub(crate) mod events;
pub(crate) mod heatmap;
pub(crate) mod link_totals;
pub(crate) mod locations;
pub(crate) mod metrics;
pub(crate) mod views;

use std::cmp::Ordering;

use slugline_domain::{RowLimit, SamplingInterval};

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

pub(crate) fn number(length: usize) -> u64 {
    u64::try_from(length).expect("a pointer's size fits 64 bits")
}

/// Leaves the first items of an order, as many as the limit allows.
pub(crate) fn keep_first<T>(
    items: &mut Vec<T>,
    limit: RowLimit,
    compare: impl Fn(&T, &T) -> Ordering + Copy,
) {
    let limit = limit.as_usize();
    if limit < items.len() {
        items.select_nth_unstable_by(limit, compare);
        items.truncate(limit);
    }
    items.sort_unstable_by(compare);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_kept_in_order() {
        for limit in 1..7 {
            let mut items = vec![5, 1, 4, 2, 3];
            let most = RowLimit::new(limit, RowLimit::MAX).unwrap();
            keep_first(&mut items, most, i64::cmp);
            let expected: Vec<i64> = (1..=5.min(limit)).collect();
            assert_eq!(items, expected);
        }
    }
}
