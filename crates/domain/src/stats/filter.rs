//! Which visits a question is about.

use crate::{Dimension, LinkId, UnixSeconds};

/// Which visits a question is about: those that meet every condition. A
/// condition is met by any of its values; an empty one is no condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// First second, inclusive.
    pub from: Option<UnixSeconds>,
    /// Last second, inclusive.
    pub until: Option<UnixSeconds>,
    /// Links by identity.
    pub links: Vec<LinkId>,
    /// Exact values of dimensions. Coordinates are compared as [`Degrees`](crate::Degrees)
    /// and written as those are shown.
    pub values: Vec<(Dimension, Vec<String>)>,
}
