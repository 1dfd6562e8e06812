//! Parts that several questions share.

use slugline_domain::SamplingInterval;

use crate::row_binary::{Cursor, DecodeError};

/// Visits and visitors of a group, once rows are grouped by visitor too: `v`
/// adds up to visits, `u` to visitors, and `m` is the largest interval. A
/// visitor without a coherent row counts zero.
pub(crate) const OF_EACH_VISITOR: &str = "sum(sampling_interval) AS v, \
    minIf(sampling_interval, coherent = 1) AS u, max(sampling_interval) AS m";

/// The referring hosts of a visitor, for `uniqExactArray(r)` to count.
pub(crate) const REFERERS_OF_EACH_VISITOR: &str = "groupUniqArrayIf(referer, referer != '') AS r";

/// A row of numbers, and the largest sampling interval among the rows behind
/// it.
#[derive(Debug)]
pub(crate) struct WithInterval<R> {
    pub(crate) row: R,
    pub(crate) interval_max: u32,
}

/// The largest interval of all rows; 1 when there are none.
pub(crate) fn largest<R>(rows: &[WithInterval<R>]) -> SamplingInterval {
    let largest = rows.iter().map(|row| row.interval_max).max();
    largest
        .and_then(SamplingInterval::new)
        .unwrap_or(SamplingInterval::EVERY)
}

/// A row of a limited table, with the number of all rows, their visits and the largest interval.
#[derive(Debug)]
pub(crate) struct WithTotal<R> {
    pub(crate) row: R,
    all: u64,
    visits: u64,
    interval_max: u32,
}

impl<R> WithTotal<R> {
    pub(crate) fn read(row: R, cursor: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            row,
            all: cursor.u64()?,
            visits: cursor.u64()?,
            interval_max: cursor.u32()?,
        })
    }
}

/// The number of rows without the limit, their visits, and the largest interval.
pub(crate) fn beyond_limit<R>(rows: &[WithTotal<R>]) -> (u64, u64, SamplingInterval) {
    let first = rows.first();
    let interval = first.and_then(|row| SamplingInterval::new(row.interval_max));
    (
        first.map_or(0, |row| row.all),
        first.map_or(0, |row| row.visits),
        interval.unwrap_or(SamplingInterval::EVERY),
    )
}
