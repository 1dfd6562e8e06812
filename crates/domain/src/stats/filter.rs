//! The visits that a question covers.

use crate::{Dimension, LinkId, UnixSeconds};

/// The visits that meet every one of these conditions. Any of its values meets
/// a condition; a condition without values is ignored.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// The first second, inclusive.
    pub from: Option<UnixSeconds>,
    /// The last second, inclusive.
    pub until: Option<UnixSeconds>,
    /// Links by identity.
    pub links: Vec<LinkId>,
    /// Exact values of dimensions. Coordinates are written and compared as
    /// [`Degrees`](crate::Degrees).
    pub values: Vec<(Dimension, Vec<String>)>,
}
