//! Which visits become rows, and for how many visits each row stands.

use slugline_domain::SamplingInterval;

/// What was decided about one visit that becomes a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sampled {
    /// Visits that the row stands for.
    pub(crate) interval: SamplingInterval,
    /// Whether the row was kept because of who the visitor is rather than by
    /// chance. Only such rows say anything about the number of visitors.
    pub(crate) coherent: bool,
}

impl Sampled {
    /// The decision for each visit: every one is kept. This is the one place
    /// where a row gets its interval.
    pub(crate) const fn decide() -> Self {
        Self {
            interval: SamplingInterval::EVERY,
            coherent: true,
        }
    }
}
