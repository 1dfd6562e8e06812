//! The visits that a question covers.

use crate::{Choice, Destinations, Dimension, LinkId, UnixSeconds};

/// The visits that meet every one of these conditions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VisitFilter {
    /// The first second, inclusive.
    pub from: Option<UnixSeconds>,
    /// The last second, inclusive.
    pub until: Option<UnixSeconds>,
    /// Links by identity.
    pub links: Choice<LinkId>,
    /// Exact values of dimensions; an empty text stands for "unknown".
    /// Coordinates are written and compared as [`Degrees`](crate::Degrees). A
    /// dimension may occur more than once.
    pub values: Vec<(Dimension, Choice<String>)>,
    /// The destinations that are not hidden. A hidden one meets what the empty text meets.
    pub destinations: Destinations,
}
