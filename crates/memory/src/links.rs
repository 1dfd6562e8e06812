//! The link store.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, Domain, DomainName, Keeping, Link, LinkFilter, LinkId, LinkKey, ListQuery, Reach,
    Revision, Tag, TagCount, UnixSeconds,
    ports::{Deletion, Hearing, Insertion, LinkStore, StoreError, Taking, Update, Version},
};

use crate::state::State;

/// Links in a map, and their audit trail.
///
/// The trail grows with each change until [`AuditTrail::remove_before`] shortens it.
///
/// The store announces nothing: every change has a caller in this process, who forgets the key in
/// the resolver that it shares. Another resolver over the same store reads a link again after a
/// minute.
///
/// [`AuditTrail::remove_before`]: slugline_domain::ports::AuditTrail::remove_before
#[derive(Debug, Default)]
pub struct MemoryLinkStore {
    state: Mutex<State>,
}

/// For tests of what a program does when its database fails.
impl MemoryLinkStore {
    /// Makes every later call fail, as if the database were down.
    pub fn break_down(&self) {
        self.state().is_broken = true;
    }

    /// Makes calls succeed again.
    pub fn recover(&self) {
        self.state().is_broken = false;
    }

    /// Keeps so much of links that are changed or deleted.
    pub fn keep(&self, keeping: Keeping) {
        self.state().versions.keeping = keeping;
    }

    /// Sets the reported way of learning of changes.
    pub fn hear(&self, hearing: Hearing) {
        self.state().hearing = hearing;
    }
}

impl MemoryLinkStore {
    /// Lets links of a named host be stored, without a line in the audit trail.
    pub fn name_domain(&self, domain: Domain) {
        self.state().domains.insert(domain.host.clone(), domain);
    }

    /// The state, unless the store is broken.
    pub(crate) fn open(&self, action: &'static str) -> Result<MutexGuard<'_, State>, StoreError> {
        let state = self.state();
        if state.is_broken {
            return Err(StoreError::Failed {
                action,
                source: "the database went away".into(),
            });
        }
        Ok(state)
    }

    pub(crate) fn keeping(&self) -> Keeping {
        self.state().versions.keeping
    }

    pub(crate) fn hearing_of_domains(&self) -> Hearing {
        let state = self.state();
        match state.hearing {
            Hearing::Announced(number) => Hearing::Announced(number + state.domain_changes),
            otherwise @ (Hearing::Counted(_) | Hearing::Deaf) => otherwise,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        let state = self.state.lock();
        state.expect("nothing panics while it holds the lock")
    }
}

#[async_trait]
impl LinkStore for MemoryLinkStore {
    async fn insert(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        let mut state = self.open("insert a link")?;
        state.receipts.check(note)?;
        let outcome = state.insert(reach, link, note);
        if outcome == Insertion::Stored {
            state.receipts.keep(note, &[outcome]);
        }
        Ok(outcome)
    }

    async fn insert_many(
        &self,
        reach: &Reach,
        new: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        let mut state = self.open("insert links")?;
        state.receipts.check(note)?;
        let outcomes: Vec<Insertion> = new
            .iter()
            .map(|link| state.insert(reach, link, note))
            .collect();
        state.receipts.keep(note, &outcomes);
        Ok(outcomes)
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let mut state = self.open("update a link")?;
        state.receipts.check(note)?;
        match state.get(&link.key) {
            Some(stored) if Version::of(stored) == *known => {
                let visits_used = stored.visits_used;
                let link = Link {
                    visits_used,
                    ..link.clone()
                };
                state.replace(&link.key.clone(), link, note);
                state.receipts.keep(note, &[Insertion::Stored]);
                Ok(Update::Stored)
            }
            Some(_) | None => Ok(Update::Outdated),
        }
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        Ok(self.open("find a link")?.get(key).cloned())
    }

    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        Ok(self.open("count a visit")?.take_visit(id, version))
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        let state = self.open("list links")?;
        Ok(query.page(state.links_with(query.filter.status)))
    }

    async fn count(&self, filter: &LinkFilter, now: UnixSeconds) -> Result<u64, StoreError> {
        let state = self.open("count links")?;
        let found = state.links_with(filter.status);
        let found = found.filter(|link| filter.admits(link, now));
        Ok(u64::try_from(found.count()).unwrap_or(u64::MAX))
    }

    async fn tags(
        &self,
        reach: &Reach,
        domain: Option<&DomainName>,
    ) -> Result<Vec<TagCount>, StoreError> {
        let mut counts: BTreeMap<Tag, u64> = BTreeMap::new();
        let state = self.open("count tags")?;
        let is_meant =
            |link: &&Link| reach.holds(link) && domain.is_none_or(|one| *one == link.key.domain);
        for link in state.links().filter(is_meant) {
            for tag in &link.content.tags {
                *counts.entry(tag.clone()).or_default() += 1;
            }
        }
        Ok(counts
            .into_iter()
            .map(|(tag, links)| TagCount { tag, links })
            .collect())
    }

    async fn tagged(
        &self,
        tags: &BTreeSet<Tag>,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, StoreError> {
        let state = self.open("find the links of a tag")?;
        let has_one = |link: &&Link| link.content.tags.iter().any(|tag| tags.contains(tag));
        Ok(state
            .links()
            .filter(has_one)
            .map(|link| link.id.clone())
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .collect())
    }

    async fn delete(&self, key: &LinkKey, note: &AuditNote) -> Result<Option<Link>, StoreError> {
        Ok(self.open("delete a link")?.remove(key, note))
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let mut state = self.open("delete a link")?;
        match state.get(key) {
            Some(stored) if Version::of(stored) == *known => {
                state.remove(key, note);
                Ok(Deletion::Deleted)
            }
            Some(_) | None => Ok(Deletion::Outdated),
        }
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.open("answer").map(drop)
    }

    fn hearing(&self) -> Hearing {
        self.state().hearing
    }
}
