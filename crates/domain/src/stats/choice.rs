//! Values to include or to exclude.

use std::{borrow::Borrow, collections::BTreeSet};

/// A set of values: a visit must have one of them, or none of them.
///
/// Every choice is meaningful: [`Choice::AnyOf`] without values meets nothing,
/// [`Choice::NoneOf`] without values meets everything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice<T> {
    /// One of these.
    AnyOf(BTreeSet<T>),
    /// None of these.
    NoneOf(BTreeSet<T>),
}

/// Everything.
impl<T> Default for Choice<T> {
    fn default() -> Self {
        Self::NoneOf(BTreeSet::new())
    }
}

impl<T> Choice<T> {
    /// Returns whether every value meets it.
    pub fn is_everything(&self) -> bool {
        matches!(self, Self::NoneOf(values) if values.is_empty())
    }
}

impl<T: Ord> Choice<T> {
    /// Includes these values.
    pub fn any_of(values: impl IntoIterator<Item = T>) -> Self {
        Self::AnyOf(values.into_iter().collect())
    }

    /// Excludes these values.
    pub fn none_of(values: impl IntoIterator<Item = T>) -> Self {
        Self::NoneOf(values.into_iter().collect())
    }

    /// Returns whether a value meets it.
    pub fn admits<Q>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        match self {
            Self::AnyOf(values) => values.contains(value),
            Self::NoneOf(values) => !values.contains(value),
        }
    }

    /// The choice that requires both choices.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::AnyOf(mut values), Self::AnyOf(others)) => {
                values.retain(|value| others.contains(value));
                Self::AnyOf(values)
            }
            (Self::AnyOf(mut values), Self::NoneOf(excluded))
            | (Self::NoneOf(excluded), Self::AnyOf(mut values)) => {
                values.retain(|value| !excluded.contains(value));
                Self::AnyOf(values)
            }
            (Self::NoneOf(mut excluded), Self::NoneOf(others)) => {
                excluded.extend(others);
                Self::NoneOf(excluded)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every choice among the numbers 0 to 3.
    fn choices() -> Vec<Choice<u8>> {
        let sets = (0..16).map(|bits: u8| (0..4).filter(move |n| bits >> n & 1 == 1));
        sets.flat_map(|set| [Choice::any_of(set.clone()), Choice::none_of(set)])
            .collect()
    }

    #[test]
    fn both_choices_together_admit_what_each_admits() {
        for one in choices() {
            for other in choices() {
                let both = one.clone().and(other.clone());
                // 4 stands for a value that no set has.
                for value in 0..=4 {
                    let expected = one.admits(&value) && other.admits(&value);
                    assert_eq!(both.admits(&value), expected, "{one:?} {other:?} {value}");
                }
            }
        }
    }

    #[test]
    fn no_values_include_nothing_and_exclude_nothing() {
        assert!(!Choice::<u8>::any_of([]).admits(&1));
        assert!(Choice::<u8>::none_of([]).admits(&1));
        assert!(Choice::<u8>::default().is_everything());
        assert!(!Choice::<u8>::any_of([]).is_everything());
        assert!(!Choice::none_of([1]).is_everything());
    }
}
