//! What questions have to say.

use slugline_domain::SamplingInterval;

/// Rows, and what they rest on.
#[derive(Debug)]
pub(super) struct Answer<R> {
    pub(super) rows: Vec<R>,
    /// How many there would be without a limit.
    pub(super) rows_before_limit: u64,
    /// The largest interval among the rows of the log that were read.
    pub(super) interval_max: SamplingInterval,
    /// Whether visitors or referers were too many to be counted one by one.
    pub(super) sketched: bool,
}

impl<R> Answer<R> {
    /// All the rows there are.
    pub(super) fn complete(rows: Vec<R>, interval_max: SamplingInterval, sketched: bool) -> Self {
        Self {
            rows_before_limit: number(rows.len()),
            rows,
            interval_max,
            sketched,
        }
    }
}

pub(super) fn number(length: usize) -> u64 {
    u64::try_from(length).expect("a pointer's size fits 64 bits")
}
