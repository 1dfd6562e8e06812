//! The common form of all answers with rows.

use thiserror::Error;

use crate::SamplingNote;

/// The answer to a question: rows, and their accuracy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report<R> {
    /// The rows, in the order that the question defines.
    pub rows: Vec<R>,
    /// The number of rows that there would be without a limit.
    pub rows_before_limit: u64,
    /// Visits that meet the filter, and that the limit or an unknown place keeps out of the rows.
    pub others: u64,
    /// The accuracy of the rows.
    pub sampling: SamplingNote,
}

impl<R> Report<R> {
    /// Converts the rows.
    pub fn map<S>(self, convert: impl FnMut(R) -> S) -> Report<S> {
        Report {
            rows: self.rows.into_iter().map(convert).collect(),
            rows_before_limit: self.rows_before_limit,
            others: self.others,
            sampling: self.sampling,
        }
    }
}

/// The largest number of rows in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowLimit(u32);

impl RowLimit {
    /// The limit if the operator sets none; Sink's.
    pub const DEFAULT: Self = Self(500);

    /// The largest limit. Answers are held in memory as a whole.
    pub const MAX: Self = Self(100_000);

    /// Checks the bounds.
    ///
    /// # Errors
    /// The number is outside `1..=max`.
    pub fn new(rows: i64, max: Self) -> Result<Self, RowLimitError> {
        match u32::try_from(rows) {
            Ok(rows) if (1..=max.0).contains(&rows) => Ok(Self(rows)),
            Ok(_) | Err(_) => Err(RowLimitError { rows, max: max.0 }),
        }
    }

    /// The number of rows.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The limit as a number of entries in memory.
    pub fn as_usize(self) -> usize {
        usize::try_from(self.0).unwrap_or(usize::MAX)
    }
}

impl Default for RowLimit {
    fn default() -> Self {
        Self::DEFAULT
    }
}

/// A limit is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{rows} is not a number of rows from 1 to {max}")]
pub struct RowLimitError {
    /// The number.
    pub rows: i64,
    /// The largest number allowed.
    pub max: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_lies_between_one_and_the_most_allowed() {
        let max = RowLimit::new(500, RowLimit::MAX).unwrap();
        assert_eq!(RowLimit::new(1, max).unwrap().get(), 1);
        assert_eq!(RowLimit::new(500, max), Ok(max));
        for wrong in [0, -1, 501, i64::MAX] {
            assert_eq!(
                RowLimit::new(wrong, max),
                Err(RowLimitError {
                    rows: wrong,
                    max: 500
                })
            );
        }
    }
}
