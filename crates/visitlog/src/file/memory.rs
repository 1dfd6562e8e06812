//! The memory of questions.

use slugline_analytics::QueryLimits;

/// The bytes that one question may take for counting. Each question has a share of its own, so that
/// an answer does not depend on other questions of the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuestionMemory(usize);

impl QuestionMemory {
    /// The share of one question if all that may run at the same time do.
    pub(crate) fn under(limits: QueryLimits) -> Self {
        Self(limits.memory / limits.concurrent.max(1))
    }

    #[cfg(test)]
    pub(crate) fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    /// The bytes for visitors: 64 MiB are enough to count a million one by one.
    pub(crate) fn visitors(self) -> usize {
        self.0 / 2
    }

    /// The bytes for referers: 32 MiB are enough to count half a million one by one.
    pub(crate) fn referers(self) -> usize {
        self.0 / 4
    }

    /// The bytes for a ranking, which ends before its visitors are counted.
    pub(crate) fn ranking(self) -> usize {
        self.0 / 2
    }

    /// The bytes for groups and their shown values.
    pub(crate) fn groups(self) -> usize {
        self.0 / 4
    }
}

impl Default for QuestionMemory {
    fn default() -> Self {
        Self::under(QueryLimits::default())
    }
}
