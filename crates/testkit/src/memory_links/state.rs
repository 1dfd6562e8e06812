//! The links of a store, by key and by identifier.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use slugline_domain::{
    AuditNote, DomainName, Host, Link, LinkId, LinkKey, LinkStatus, Reach, Revision, StatusFilter,
    ports::{Hearing, Insertion, Taking},
};

use super::lines::MemoryLines;

/// Everything that a store holds, under one lock.
#[derive(Debug)]
pub(super) struct State {
    by_key: BTreeMap<LinkKey, Link>,
    keys: HashMap<LinkId, LinkKey>,
    pub(super) domains: BTreeSet<Host>,
    pub(super) trail: MemoryLines,
    pub(super) is_broken: bool,
    pub(super) hearing: Hearing,
}

impl Default for State {
    fn default() -> Self {
        Self {
            by_key: BTreeMap::new(),
            keys: HashMap::new(),
            domains: BTreeSet::new(),
            trail: MemoryLines::default(),
            is_broken: false,
            hearing: Hearing::Announced(0),
        }
    }
}

impl State {
    /// Every link that may have this status, by key. The store does not know which are broken.
    pub(super) fn links_with(&self, status: StatusFilter) -> impl Iterator<Item = &Link> {
        self.links().filter(move |_| status != StatusFilter::Broken)
    }

    /// Every link, by key.
    pub(super) fn links(&self) -> impl Iterator<Item = &Link> {
        self.by_key.values()
    }

    pub(super) fn get(&self, key: &LinkKey) -> Option<&Link> {
        self.by_key.get(key)
    }

    /// Returns whether links may be stored in a domain.
    pub(super) fn has_domain(&self, name: &DomainName) -> bool {
        name.host().is_none_or(|host| self.domains.contains(host))
    }

    /// Inserts a link if its key is free, or replaces an expired link within reach.
    pub(super) fn insert(&mut self, reach: &Reach, link: &Link, note: &AuditNote) -> Insertion {
        if !self.has_domain(&link.key.domain) {
            return Insertion::NoDomain;
        }
        if let Some(request) = &link.request {
            let made = self.links().filter_map(|link| link.request.as_ref());
            if made.into_iter().any(|made| made.key == request.key) {
                return Insertion::Repeated;
            }
        }
        let now = note.at.second();
        let stays =
            |owner: &Link| owner.status_at(now) != LinkStatus::Expired || !reach.holds(owner);
        if self.get(&link.key).is_some_and(stays) {
            return Insertion::SlugTaken;
        }
        let namesake = self.keys.get(&link.id);
        if namesake.is_some_and(|key| *key != link.key) {
            return Insertion::IdTaken;
        }
        self.take(&link.key);
        self.put(link.clone(), note);
        Insertion::Stored
    }

    /// Stores a link whose key is free or its own, and writes the line of the change.
    pub(super) fn put(&mut self, mut link: Link, note: &AuditNote) {
        link.content.tags = link.content.tags.sorted();
        self.trail.add(note, Some(&link.key));
        self.keys.insert(link.id.clone(), link.key.clone());
        self.by_key.insert(link.key.clone(), link);
    }

    /// Counts a visit of a link, if one is left.
    pub(super) fn take_visit(&mut self, id: &LinkId, version: Revision) -> Taking {
        let key = self.keys.get(id);
        let Some(link) = key.and_then(|key| self.by_key.get_mut(key)) else {
            return Taking::Outdated;
        };
        match link.visits_left().filter(|_| link.revision == version) {
            None => Taking::Outdated,
            Some(0) => Taking::UsedUp,
            Some(_) => {
                link.visits_used += 1;
                Taking::Taken
            }
        }
    }

    /// Removes a link, and writes the line of the change.
    pub(super) fn remove(&mut self, key: &LinkKey, note: &AuditNote) -> Option<Link> {
        let removed = self.take(key)?;
        self.trail.add(note, Some(key));
        Some(removed)
    }

    fn take(&mut self, key: &LinkKey) -> Option<Link> {
        let taken = self.by_key.remove(key)?;
        self.keys.remove(&taken.id);
        Some(taken)
    }
}
