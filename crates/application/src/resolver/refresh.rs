//! An entry of the memory while its slug is read again.

use quick_cache::{
    DefaultHashBuilder,
    sync::{DefaultLifecycle, PlaceholderGuard},
};
use slugline_domain::Slug;

use super::{Entry, Weight};

type Guard<'a> =
    PlaceholderGuard<'a, Slug, Entry, Weight, DefaultHashBuilder, DefaultLifecycle<Slug, Entry>>;

/// The duty to read a slug, on which others wait. Dropped without an end, it
/// puts the outdated entry back: the visitor hung up, and in an outage that
/// entry is all there is.
pub(super) struct Refresh<'a> {
    guard: Option<Guard<'a>>,
    outdated: Option<Entry>,
}

impl<'a> Refresh<'a> {
    pub(super) fn new(guard: Guard<'a>, outdated: Option<Entry>) -> Self {
        Self {
            guard: Some(guard),
            outdated,
        }
    }

    pub(super) fn outdated(&self) -> Option<&Entry> {
        self.outdated.as_ref()
    }

    /// Remembers an entry, unless the slug was forgotten meanwhile.
    pub(super) fn end(mut self, entry: Entry) {
        self.outdated = Some(entry);
    }
}

impl Drop for Refresh<'_> {
    fn drop(&mut self) {
        if let (Some(guard), Some(entry)) = (self.guard.take(), self.outdated.take()) {
            // Refused when the slug was forgotten meanwhile.
            let _ = guard.insert(entry);
        }
    }
}
