//! Visits and visitors.

use std::ops::AddAssign;

use slugline_domain::Variance;

/// Some visits, and their distinct visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Crowd {
    pub visits: u64,
    pub visitors: u64,
    pub variance: Variance,
}

impl AddAssign for Crowd {
    /// Adds a crowd of other visitors. A sum beyond all numbers stays at the largest one: estimates
    /// may come close to it.
    fn add_assign(&mut self, other: Self) {
        self.visits = self.visits.saturating_add(other.visits);
        self.visitors = self.visitors.saturating_add(other.visitors);
        self.variance += other.variance;
    }
}
