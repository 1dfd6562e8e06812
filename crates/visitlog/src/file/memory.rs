//! The memory of questions.

use slugline_analytics::QueryLimits;

/// The bytes that one question may take for what it counts. Each question has a share
/// of its own, so that an answer does not depend on what else is asked meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct QuestionMemory(usize);

impl QuestionMemory {
    /// The share of one of the questions that are answered at the same time.
    pub(crate) fn under(limits: QueryLimits) -> Self {
        Self(limits.memory / limits.concurrent.max(1))
    }

    #[cfg(test)]
    pub(crate) fn of(bytes: usize) -> Self {
        Self(bytes)
    }

    /// Bytes for visitors: a million are counted one by one in 64 MiB.
    pub(crate) fn visitors(self) -> usize {
        self.0 / 2
    }

    /// Bytes for referers: half a million are counted one by one in 32 MiB.
    pub(crate) fn referers(self) -> usize {
        self.0 / 4
    }

    /// Bytes for a ranking, which is over before its visitors are counted.
    pub(crate) fn ranking(self) -> usize {
        self.0 / 2
    }

    /// Bytes for groups and what is shown of them.
    pub(crate) fn groups(self) -> usize {
        self.0 / 4
    }
}

impl Default for QuestionMemory {
    fn default() -> Self {
        Self::under(QueryLimits::default())
    }
}
