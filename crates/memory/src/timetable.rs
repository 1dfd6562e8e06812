//! The links that are watched.

use std::collections::BTreeMap;

use slugline_domain::{Destination, Failing, Link, UnixMillis};

/// The timetable, by identity of the links.
pub(crate) type Timetable = BTreeMap<String, Entry>;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) host: String,
    pub(crate) next_at: UnixMillis,
    pub(crate) claimed_until: UnixMillis,
    pub(crate) failing: Option<(Destination, Failing)>,
}

impl Entry {
    /// The failures of the present destination of a link.
    pub(crate) fn failing(&self, link: &Link) -> Option<&Failing> {
        let (destination, failing) = self.failing.as_ref()?;
        (*destination == link.content.destination).then_some(failing)
    }
}
