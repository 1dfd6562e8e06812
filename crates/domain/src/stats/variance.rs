//! The error of an estimate from sampled visits.

use std::ops::{Add, AddAssign};

use crate::measure::fraction;

/// The variance of estimated visits and visitors, itself estimated from the rows that were kept.
///
/// A row that stands for k visits was kept with probability 1/k. If chance decided about it, it
/// adds k(k-1) to the variance of visits. The early rows of a visitor are kept or dropped together;
/// n of them with a sum S of intervals add S(S-n). A visitor with the smallest interval u adds
/// u(u-1) to the variance of visitors. That is the estimator of Horvitz and Thompson (1952); where
/// the interval changed between rows of a visitor it is slightly too large, never too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variance {
    /// Of visits.
    pub visits: u64,
    /// Of visitors.
    pub visitors: u64,
}

impl Variance {
    /// Returns the standard error, unless it is zero.
    pub fn std_error(self) -> Option<StdError> {
        let root = |variance| fraction(variance).sqrt();
        (self != Self::default()).then(|| StdError {
            visits: root(self.visits),
            visitors: root(self.visitors),
        })
    }

    /// Returns the larger variance of each.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        Self {
            visits: self.visits.max(other.visits),
            visitors: self.visitors.max(other.visitors),
        }
    }
}

impl Add for Variance {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            visits: self.visits.saturating_add(other.visits),
            visitors: self.visitors.saturating_add(other.visitors),
        }
    }
}

impl AddAssign for Variance {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

/// The standard error of estimated visits and visitors: 19 of 20 times the true number lies within
/// 1.96 of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StdError {
    /// Of visits.
    pub visits: f64,
    /// Of visitors.
    pub visitors: f64,
}
