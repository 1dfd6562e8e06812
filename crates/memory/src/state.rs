//! The links of a store, by key and by identifier.

use std::collections::{BTreeMap, HashMap};

use slugline_domain::{
    AuditNote, Domain, DomainName, Host, Link, LinkId, LinkKey, LinkStatus, Reach, Revision,
    StatusFilter,
    ports::{Hearing, Insertion, Taking},
};

use crate::{lines::MemoryLines, receipts::MemoryReceipts, versions::MemoryVersions};

/// Everything that a store holds, under one lock.
#[derive(Debug)]
pub(crate) struct State {
    by_key: BTreeMap<LinkKey, Link>,
    keys: HashMap<LinkId, LinkKey>,
    pub(crate) domains: BTreeMap<Host, Domain>,
    pub(crate) domain_changes: u64,
    pub(crate) trail: MemoryLines,
    pub(crate) receipts: MemoryReceipts,
    pub(crate) versions: MemoryVersions,
    pub(crate) is_broken: bool,
    pub(crate) hearing: Hearing,
}

impl Default for State {
    fn default() -> Self {
        Self {
            by_key: BTreeMap::new(),
            keys: HashMap::new(),
            domains: BTreeMap::new(),
            domain_changes: 0,
            trail: MemoryLines::default(),
            receipts: MemoryReceipts::default(),
            versions: MemoryVersions::default(),
            is_broken: false,
            hearing: Hearing::Announced(0),
        }
    }
}

impl State {
    /// Every link that may have this status, by key. Nothing tells that a destination is broken.
    pub(crate) fn links_with(&self, status: StatusFilter) -> impl Iterator<Item = &Link> {
        self.links().filter(move |_| status != StatusFilter::Broken)
    }

    /// Every link, by key.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Link> {
        self.by_key.values()
    }

    pub(crate) fn get(&self, key: &LinkKey) -> Option<&Link> {
        self.by_key.get(key)
    }

    pub(crate) fn has_id(&self, id: &LinkId) -> bool {
        self.keys.contains_key(id)
    }

    /// Returns whether links may be stored in a domain.
    pub(crate) fn has_domain(&self, name: &DomainName) -> bool {
        name.host()
            .is_none_or(|host| self.domains.contains_key(host))
    }

    /// Inserts a link if its key is free, or replaces an expired link within reach.
    pub(crate) fn insert(&mut self, reach: &Reach, link: &Link, note: &AuditNote) -> Insertion {
        if !self.has_domain(&link.key.domain) {
            return Insertion::NoDomain;
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
        if let Some(replaced) = self.take(&link.key) {
            self.versions.keep(replaced, note, true);
        }
        self.put(link.clone(), note);
        Insertion::Stored
    }

    /// Stores a link whose key is free, and writes the line of the change.
    pub(crate) fn put(&mut self, mut link: Link, note: &AuditNote) {
        link.content.tags = link.content.tags.sorted();
        self.trail.add(note, Some(&link.key));
        self.keys.insert(link.id.clone(), link.key.clone());
        self.by_key.insert(link.key.clone(), link);
    }

    /// Replaces a link by a later version of it, which may have another key.
    pub(crate) fn replace(&mut self, former: &LinkKey, link: Link, note: &AuditNote) {
        if let Some(former) = self.take(former)
            && former.revision != link.revision
        {
            self.versions.keep(former, note, false);
        }
        self.put(link, note);
    }

    /// Counts a visit of a link, if one is left.
    pub(crate) fn take_visit(&mut self, id: &LinkId, version: Revision) -> Taking {
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
    pub(crate) fn remove(&mut self, key: &LinkKey, note: &AuditNote) -> Option<Link> {
        let removed = self.take(key)?;
        self.versions.keep(removed.clone(), note, true);
        self.trail.add(note, Some(key));
        Some(removed)
    }

    /// Takes a link out, as if it had never been there.
    pub(crate) fn take(&mut self, key: &LinkKey) -> Option<Link> {
        let taken = self.by_key.remove(key)?;
        self.keys.remove(&taken.id);
        Some(taken)
    }

    /// The link with this identity.
    pub(crate) fn with_id(&self, id: &LinkId) -> Option<&Link> {
        self.keys.get(id).and_then(|key| self.by_key.get(key))
    }

    /// Stores the record of a domain, and writes the line of the change.
    pub(crate) fn put_domain(&mut self, domain: &Domain, note: &AuditNote) {
        self.trail.add_about_domain(note, &domain.host);
        self.domain_changes += 1;
        self.domains.insert(domain.host.clone(), domain.clone());
    }

    /// Removes a domain, and writes the line of the change.
    pub(crate) fn remove_domain(&mut self, host: &Host, note: &AuditNote) {
        self.trail.add_about_domain(note, host);
        self.domain_changes += 1;
        self.domains.remove(host);
    }
}
