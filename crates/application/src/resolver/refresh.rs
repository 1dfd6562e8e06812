//! An entry of the memory while its slug is read again.

use quick_cache::{
    DefaultHashBuilder,
    sync::{DefaultLifecycle, PlaceholderGuard},
};

use super::{entry::Entry, key::Key, weight::Weight};

type Guard<'a> =
    PlaceholderGuard<'a, Key, Entry, Weight, DefaultHashBuilder, DefaultLifecycle<Key, Entry>>;

/// The read of a slug, for which other requests wait. If it is dropped before the read
/// ends, because the visitor disconnected, it puts the outdated entry back: in an outage
/// that entry is the only answer.
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

    /// Remembers an entry. Returns false if the slug was forgotten meanwhile: the entry may be
    /// from before a change.
    pub(super) fn end(mut self, entry: Entry) -> bool {
        self.outdated = None;
        self.guard
            .take()
            .is_some_and(|guard| guard.insert(entry).is_ok())
    }
}

impl Drop for Refresh<'_> {
    fn drop(&mut self) {
        if let (Some(guard), Some(entry)) = (self.guard.take(), self.outdated.take()) {
            // Fails if the slug was forgotten meanwhile.
            let _ = guard.insert(entry);
        }
    }
}
