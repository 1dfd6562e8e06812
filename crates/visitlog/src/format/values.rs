//! A number for each of some rows.

use super::selection::Selection;

/// The numbers of some rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Values<T> {
    /// All rows have this number.
    Same(T),
    Each(Vec<T>),
}

impl<T> Default for Values<T> {
    fn default() -> Self {
        Self::Each(Vec::new())
    }
}

impl<T: Copy> Values<T> {
    /// The number of a row.
    #[inline]
    pub(crate) fn at(&self, row: usize) -> T {
        match self {
            Self::Same(value) => *value,
            Self::Each(values) => values[row],
        }
    }

    /// Returns whether the rows exist but their values were not read.
    pub(crate) fn are_missing(&self) -> bool {
        matches!(self, Self::Each(values) if values.is_empty())
    }

    /// The rows whose number meets a condition.
    pub(crate) fn select(&self, meets: impl Fn(T) -> bool) -> Selection {
        match self {
            Self::Same(value) if meets(*value) => Selection::All,
            Self::Same(_) => Selection::Rows(Vec::new()),
            Self::Each(values) => Selection::of(values, meets),
        }
    }

    /// Keeps only some rows.
    pub(crate) fn keep(&mut self, rows: &Selection) {
        if let Self::Each(values) = self {
            rows.apply(values);
        }
    }

    /// The numbers of this many rows.
    pub(crate) fn into_list(self, rows: usize) -> Vec<T> {
        match self {
            Self::Same(value) => vec![value; rows],
            Self::Each(values) => values,
        }
    }

    pub(crate) fn map<U>(self, convert: impl Fn(T) -> U) -> Values<U> {
        match self {
            Self::Same(value) => Values::Same(convert(value)),
            Self::Each(values) => Values::Each(values.into_iter().map(convert).collect()),
        }
    }
}

impl<T: Copy + Ord> Values<T> {
    /// The largest number, if there is any row.
    pub(crate) fn largest(&self) -> Option<T> {
        match self {
            Self::Same(value) => Some(*value),
            Self::Each(values) => values.iter().max().copied(),
        }
    }
}
