//! The visits that a question covers.

use crate::{Choice, Destinations, Dimension, Event, LinkId, UnixSeconds};

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

impl VisitFilter {
    /// Returns whether an event of a link meets the conditions. An event tells
    /// nothing about its visitor, whose address counts as unknown. It was made for
    /// the same [`destinations`](Self::destinations).
    pub fn admits(&self, link: &LinkId, event: &Event) -> bool {
        let second = event.at.second();
        self.from.is_none_or(|from| second >= from)
            && self.until.is_none_or(|until| second <= until)
            && self.links.admits(link)
            && self
                .values
                .iter()
                .all(|(dimension, choice)| choice.admits(&*event.value(*dimension)))
    }
}
