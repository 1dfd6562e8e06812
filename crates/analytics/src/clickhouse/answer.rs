//! What questions have in common.

use slugline_domain::SamplingInterval;

use super::row_binary::{Cursor, DecodeError};

/// Visits and visitors of a group, once rows are grouped by visitor too: `v`
/// adds up to visits, `u` to visitors, and `m` is the largest interval.
/// A visitor without a coherent row counts zero.
pub(super) const OF_EACH_VISITOR: &str = "sum(sampling_interval) AS v, \
    minIf(sampling_interval, coherent = 1) AS u, max(sampling_interval) AS m";

/// The hosts that a visitor came from, to be counted by `uniqExactArray(r)`.
pub(super) const REFERERS_OF_EACH_VISITOR: &str = "groupUniqArrayIf(referer, referer != '') AS r";

/// A row of numbers, and the largest sampling interval that it rests on.
#[derive(Debug)]
pub(super) struct Rested<R> {
    pub(super) row: R,
    pub(super) interval_max: u32,
}

/// The largest interval of all rows; 1 when there are none.
pub(super) fn largest<R>(rows: &[Rested<R>]) -> SamplingInterval {
    let largest = rows.iter().map(|row| row.interval_max).max();
    largest
        .and_then(SamplingInterval::new)
        .unwrap_or(SamplingInterval::EVERY)
}

/// A row of a table that is limited: behind what it shows come the number of
/// all rows and the largest interval.
#[derive(Debug)]
pub(super) struct Limited<R> {
    pub(super) row: R,
    all: u64,
    interval_max: u32,
}

impl<R> Limited<R> {
    pub(super) fn read(row: R, cursor: &mut Cursor<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            row,
            all: cursor.u64()?,
            interval_max: cursor.u32()?,
        })
    }
}

/// How many rows there are without the limit, and the largest interval.
pub(super) fn beyond_limit<R>(rows: &[Limited<R>]) -> (u64, SamplingInterval) {
    let first = rows.first();
    let interval = first.and_then(|row| SamplingInterval::new(row.interval_max));
    (
        first.map_or(0, |row| row.all),
        interval.unwrap_or(SamplingInterval::EVERY),
    )
}
