//! An entry of the memory: its key, its answer, the memory that it takes, and its state while its slug
//! is read again.

use std::{
    hash::{BuildHasher, Hash, RandomState},
    sync::Arc,
};

use quick_cache::{
    DefaultHashBuilder, Weighter,
    sync::{DefaultLifecycle, PlaceholderGuard},
};
use siphasher::sip128::{Hasher128, SipHasher13};
use slugline_domain::{FollowedLink, LinkKey};

use super::freshness::Fresh;

/// The remembered answer for a slug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// This link has the slug.
    Link(Arc<FollowedLink>),
    /// No link has the slug.
    NoLink,
    /// Nothing is remembered: the store has to be asked.
    Nothing,
}

/// A slug's entry of the memory.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) link: Option<Arc<FollowedLink>>,
    pub(super) fresh: Fresh,
}

impl Entry {
    /// The answer of an entry that is not over: `Nothing` if the store failed.
    pub(super) fn recalled(self) -> Recalled {
        match (self.link, self.fresh) {
            (Some(link), _) => Recalled::Link(link),
            (None, Fresh::Stale { .. }) => Recalled::Nothing,
            (None, Fresh::While { .. }) => Recalled::NoLink,
        }
    }
}

/// A digest of a slug, which takes less memory than the slug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 2]);

/// Makes keys with a secret of this process. An attacker cannot find slugs that share a key, and the
/// chance that any two of a billion slugs do is less than one in 10²⁰.
#[derive(Debug)]
pub(super) struct Keys(SipHasher13);

impl Keys {
    pub(super) fn of(&self, key: &LinkKey) -> Key {
        let mut hasher = self.0;
        key.hash(&mut hasher);
        let digest = hasher.finish128();
        Key([digest.h1, digest.h2])
    }
}

impl Default for Keys {
    fn default() -> Self {
        let drawn = |part: u8| RandomState::new().hash_one(part);
        Self(SipHasher13::new_with_keys(drawn(0), drawn(1)))
    }
}

/// Weighs entries by their size in bytes.
#[derive(Clone, Debug)]
pub(super) struct Weight;

impl Weighter<Key, Entry> for Weight {
    fn weight(&self, _: &Key, entry: &Entry) -> u64 {
        /// The map's own share of an entry.
        const IN_MAP: usize = size_of::<(Key, Entry)>() + 48;
        /// The counters of an `Arc`.
        const COUNTERS: usize = 16;
        let link = entry.link.as_deref().map_or(0, |link| {
            allocated(COUNTERS + size_of::<FollowedLink>()) + parts_bytes(link)
        });
        u64::try_from(IN_MAP + link).unwrap_or(u64::MAX)
    }
}

/// Returns the size of an allocation in bytes: an allocator rounds up and adds a header.
fn allocated(bytes: usize) -> usize {
    const HEADER: usize = 8;
    const UNIT: usize = 16;
    if bytes == 0 {
        0
    } else {
        (bytes + HEADER).next_multiple_of(UNIT).max(2 * UNIT)
    }
}

fn parts_bytes(link: &FollowedLink) -> usize {
    /// The size of a map's entry without its text.
    const IN_MAP: usize = 48;
    let terms = link.terms();
    let texts = terms.texts().map(str::len);
    let allocations = link.allocations().into_iter().chain(texts);
    let routing = &terms.routing;
    let shares = routing
        .split
        .as_ref()
        .map_or(0, |split| size_of_val(split.shares()));
    let others = [routing.rules.bytes(), shares]
        .map(allocated)
        .iter()
        .sum::<usize>();
    allocations.map(allocated).sum::<usize>() + IN_MAP * routing.geo.len() + others
}

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
