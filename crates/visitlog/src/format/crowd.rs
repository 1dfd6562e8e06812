//! Visits and visitors.

/// Some visits, and their distinct visitors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Crowd {
    pub(crate) visits: u64,
    pub(crate) visitors: u64,
}
