//! The links that are watched.

use std::collections::BTreeMap;

use slugline_domain::{Destination, Finding, Link, UnixMillis};

/// The timetable, by identity of the links.
pub(crate) type Timetable = BTreeMap<String, Entry>;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) host: String,
    pub(crate) next_at: UnixMillis,
    pub(crate) claimed_until: UnixMillis,
    pub(crate) found: Option<(Destination, Finding)>,
}

impl Entry {
    /// The finding about the present destination of a link.
    pub(crate) fn finding(&self, link: &Link) -> Option<&Finding> {
        let (destination, finding) = self.found.as_ref()?;
        (*destination == link.content.destination).then_some(finding)
    }
}
