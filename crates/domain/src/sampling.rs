//! Sampling: the number of real visits that a stored row stands for.

use std::num::NonZeroU32;

/// The number of real visits that one stored row stands for; 1 means that every
/// visit was stored. Counters add intervals and never count rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SamplingInterval(NonZeroU32);

impl SamplingInterval {
    /// Every visit is stored.
    pub const EVERY: Self = Self(NonZeroU32::MIN);

    /// An interval of at least 1.
    pub fn new(visits_per_row: u32) -> Option<Self> {
        NonZeroU32::new(visits_per_row).map(Self)
    }

    /// Visits per row.
    pub fn get(self) -> u32 {
        self.0.get()
    }
}

/// The accuracy of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SamplingNote {
    /// The largest interval decided about visits of the time and the links asked about, whether or
    /// not they became rows; 1 if nothing was sampled.
    pub interval_max: SamplingInterval,
    /// Visits in the time asked about that were never stored, for any link.
    pub dropped: u64,
    /// Stored rows that cannot be read because they are damaged, and that might
    /// belong to the answer.
    pub damaged: u64,
    /// `true` if there were so many visitors or referers that their number was
    /// estimated.
    pub sketched: bool,
}

impl SamplingNote {
    /// The answer counts every visit.
    pub const EXACT: Self = Self {
        interval_max: SamplingInterval::EVERY,
        dropped: 0,
        damaged: 0,
        sketched: false,
    };

    /// Returns whether the answer counts real visits rather than estimating
    /// them.
    pub fn exact(&self) -> bool {
        self.interval_max == SamplingInterval::EVERY
            && self.dropped == 0
            && self.damaged == 0
            && !self.sketched
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::with;

    #[test]
    fn an_answer_is_exact_only_if_nothing_was_left_out_anywhere() {
        let exact = SamplingNote::EXACT;
        assert!(exact.exact());
        let interval_max = SamplingInterval::new(2).unwrap();
        for estimate in [
            with(exact, |it| it.interval_max = interval_max),
            with(exact, |it| it.dropped = 1),
            with(exact, |it| it.damaged = 1),
            with(exact, |it| it.sketched = true),
        ] {
            assert!(!estimate.exact());
        }
    }
}
