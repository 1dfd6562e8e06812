//! Visits and visitors.

/// Some visits, and their distinct visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crowd {
    pub(crate) visits: u64,
    pub(crate) visitors: u64,
}

impl Crowd {
    /// Adds a crowd of other visitors. A sum beyond all numbers stays at the largest one: estimates
    /// may come close to it.
    pub(crate) fn and(self, others: Self) -> Self {
        Self {
            visits: self.visits.saturating_add(others.visits),
            visitors: self.visitors.saturating_add(others.visitors),
        }
    }
}
