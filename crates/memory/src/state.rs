//! The links of a store, by slug and by identifier.

use std::collections::{BTreeMap, HashMap};

use slugline_domain::{
    AuditNote, Link, LinkId, LinkStatus, Reach, Slug,
    ports::{Hearing, Insertion},
};

use crate::lines::MemoryLines;

/// Everything that a store holds, under one lock.
#[derive(Debug)]
pub(crate) struct State {
    by_slug: BTreeMap<Slug, Link>,
    slugs: HashMap<LinkId, Slug>,
    pub(crate) trail: MemoryLines,
    pub(crate) is_broken: bool,
    pub(crate) hearing: Hearing,
}

impl Default for State {
    fn default() -> Self {
        Self {
            by_slug: BTreeMap::new(),
            slugs: HashMap::new(),
            trail: MemoryLines::default(),
            is_broken: false,
            hearing: Hearing::Announced(0),
        }
    }
}

impl State {
    /// Every link, by slug.
    pub(crate) fn links(&self) -> impl Iterator<Item = &Link> {
        self.by_slug.values()
    }

    pub(crate) fn get(&self, slug: &Slug) -> Option<&Link> {
        self.by_slug.get(slug)
    }

    pub(crate) fn has_id(&self, id: &LinkId) -> bool {
        self.slugs.contains_key(id)
    }

    /// Inserts a link if its slug is free, or replaces an expired link within reach.
    pub(crate) fn insert(&mut self, reach: &Reach, link: &Link, note: &AuditNote) -> Insertion {
        let now = note.at.second();
        let stays =
            |owner: &Link| owner.status_at(now) == LinkStatus::Active || !reach.holds(owner);
        if self.get(&link.slug).is_some_and(stays) {
            return Insertion::SlugTaken;
        }
        let namesake = self.slugs.get(&link.id);
        if namesake.is_some_and(|slug| *slug != link.slug) {
            return Insertion::IdTaken;
        }
        self.put(link.clone(), note);
        Insertion::Stored
    }

    /// Stores a link in place of the one with its slug, and writes the line of the change.
    pub(crate) fn put(&mut self, mut link: Link, note: &AuditNote) {
        link.content.tags = link.content.tags.sorted();
        self.trail.add(note, Some(&link.slug));
        self.slugs.insert(link.id.clone(), link.slug.clone());
        let id = link.id.clone();
        let former = self.by_slug.insert(link.slug.clone(), link);
        if let Some(former) = former.filter(|former| former.id != id) {
            self.slugs.remove(&former.id);
        }
    }

    /// Removes a link, and writes the line of the change.
    pub(crate) fn remove(&mut self, slug: &Slug, note: &AuditNote) -> Option<Link> {
        let removed = self.by_slug.remove(slug)?;
        self.slugs.remove(&removed.id);
        self.trail.add(note, Some(slug));
        Some(removed)
    }
}
