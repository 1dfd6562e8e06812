//! The link store in memory.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, Comment, Destination, Link, LinkFilter, LinkId, LinkOrder, LinkStatus, ListQuery,
    Position, Reach, SearchText, Slug, StatusFilter, Tag, TagCount, UnixSeconds,
    ports::{Deletion, Hearing, Insertion, LinkStore, StoreError, Update, Version},
};

use crate::memory_lines::MemoryLines;

/// Links in a map, and their audit trail. It passes the same contract suite as the SQL store.
#[derive(Debug)]
pub struct MemoryLinkStore {
    links: Mutex<BTreeMap<Slug, Link>>,
    trail: Mutex<MemoryLines>,
    broken: Mutex<bool>,
    hearing: Mutex<Hearing>,
}

/// A store that reports changes as announced.
impl Default for MemoryLinkStore {
    fn default() -> Self {
        Self {
            links: Mutex::default(),
            trail: Mutex::default(),
            broken: Mutex::default(),
            hearing: Mutex::new(Hearing::Announced(0)),
        }
    }
}

impl MemoryLinkStore {
    /// Sets the reported way of learning of changes.
    pub fn hear(&self, hearing: Hearing) {
        *self
            .hearing
            .lock()
            .expect("no test panics while holding the lock") = hearing;
    }

    /// Makes every later call fail, as if the database were down.
    pub fn break_down(&self) {
        self.set_broken(true);
    }

    /// Makes calls succeed again.
    pub fn recover(&self) {
        self.set_broken(false);
    }

    fn set_broken(&self, broken: bool) {
        *self
            .broken
            .lock()
            .expect("no test panics while holding the lock") = broken;
    }

    /// The audit trail. Who writes a line holds the lock of the links.
    pub(crate) fn trail(&self) -> MutexGuard<'_, MemoryLines> {
        self.trail
            .lock()
            .expect("no test panics while holding the lock")
    }

    fn insert_with_line(
        &self,
        links: &mut BTreeMap<Slug, Link>,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Insertion {
        let outcome = insert(links, reach, link, note.at.second());
        if outcome == Insertion::Stored {
            self.trail().write(note, &link.slug);
        }
        outcome
    }

    pub(crate) fn open(
        &self,
        action: &'static str,
    ) -> Result<MutexGuard<'_, BTreeMap<Slug, Link>>, StoreError> {
        if *self
            .broken
            .lock()
            .expect("no test panics while holding the lock")
        {
            return Err(StoreError::Failed {
                action,
                source: "the database went away".into(),
            });
        }
        Ok(self
            .links
            .lock()
            .expect("no test panics while holding the lock"))
    }
}

#[async_trait]
impl LinkStore for MemoryLinkStore {
    async fn insert_within(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        let mut links = self.open("insert a link")?;
        Ok(self.insert_with_line(&mut links, reach, link, note))
    }

    async fn insert_many_within(
        &self,
        reach: &Reach,
        new: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        let mut links = self.open("insert links")?;
        Ok(new
            .iter()
            .map(|link| self.insert_with_line(&mut links, reach, link, note))
            .collect())
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let mut links = self.open("update a link")?;
        match links.get_mut(&link.slug) {
            Some(stored) if Version::of(stored) == *known => {
                *stored = link.clone();
                self.trail().write(note, &link.slug);
                Ok(Update::Stored)
            }
            Some(_) | None => Ok(Update::Outdated),
        }
    }

    async fn find(&self, slug: &Slug) -> Result<Option<Link>, StoreError> {
        Ok(self
            .open("find a link")?
            .get(slug)
            .cloned()
            .map(with_sorted_tags))
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        let links = self.open("list links")?;
        let mut chosen: Vec<Link> = links
            .values()
            .filter(|link| passes(&query.filter, query.now, link))
            .filter(|link| {
                query
                    .after
                    .as_ref()
                    .is_none_or(|position| is_after(query.order, link, position))
            })
            .cloned()
            .map(with_sorted_tags)
            .collect();
        chosen.sort_by(|a, b| compare(query.order, &Position::after(a), &Position::after(b)));
        chosen.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
        Ok(chosen)
    }

    async fn search(
        &self,
        filter: &LinkFilter,
        now: UnixSeconds,
        limit: u32,
    ) -> Result<Vec<Link>, StoreError> {
        let links = self.open("search links")?;
        let found = links
            .values()
            .filter(|link| passes(filter, now, link))
            .cloned();
        Ok(found
            .map(with_sorted_tags)
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .collect())
    }

    async fn count(&self, filter: &LinkFilter, now: UnixSeconds) -> Result<u64, StoreError> {
        let links = self.open("count links")?;
        let found = links
            .values()
            .filter(|link| passes(filter, now, link))
            .count();
        Ok(u64::try_from(found).unwrap_or(u64::MAX))
    }

    async fn tags(&self, reach: &Reach) -> Result<Vec<TagCount>, StoreError> {
        let mut counts: BTreeMap<Tag, u64> = BTreeMap::new();
        let links = self.open("count tags")?;
        for link in links.values().filter(|link| reach.holds(link)) {
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
        let links = self.open("find the links of a tag")?;
        let has_one = |link: &&Link| link.content.tags.iter().any(|tag| tags.contains(tag));
        Ok(links
            .values()
            .filter(has_one)
            .map(|link| link.id.clone())
            .take(usize::try_from(limit).unwrap_or(usize::MAX))
            .collect())
    }

    async fn unprotected(&self, links: &BTreeSet<LinkId>) -> Result<BTreeSet<LinkId>, StoreError> {
        let stored = self.open("find links without a password")?;
        let is_meant = |link: &&Link| links.contains(&link.id) && link.password.is_none();
        let found = stored.values().filter(is_meant);
        Ok(found.map(|link| link.id.clone()).collect())
    }

    async fn delete(&self, slug: &Slug, note: &AuditNote) -> Result<Option<Link>, StoreError> {
        let mut links = self.open("delete a link")?;
        let deleted = links.remove(slug);
        if deleted.is_some() {
            self.trail().write(note, slug);
        }
        Ok(deleted)
    }

    async fn delete_version(
        &self,
        slug: &Slug,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let mut links = self.open("delete a link")?;
        match links.get(slug) {
            Some(stored) if Version::of(stored) == *known => {
                links.remove(slug);
                self.trail().write(note, slug);
                Ok(Deletion::Deleted)
            }
            Some(_) | None => Ok(Deletion::Outdated),
        }
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.open("answer").map(drop)
    }

    fn hearing(&self) -> Hearing {
        *self
            .hearing
            .lock()
            .expect("no test panics while holding the lock")
    }
}

fn insert(
    links: &mut BTreeMap<Slug, Link>,
    reach: &Reach,
    link: &Link,
    now: UnixSeconds,
) -> Insertion {
    let owner = links.get(&link.slug);
    let stays = |owner: &Link| owner.status_at(now) == LinkStatus::Active || !reach.holds(owner);
    if owner.is_some_and(stays) {
        return Insertion::SlugTaken;
    }
    if links
        .values()
        .any(|other| other.id == link.id && other.slug != link.slug)
    {
        return Insertion::IdTaken;
    }
    links.insert(link.slug.clone(), link.clone());
    Insertion::Stored
}

fn passes(filter: &LinkFilter, now: UnixSeconds, link: &Link) -> bool {
    let content = &link.content;
    let holds = |text: &str| {
        let wanted = |wanted: &SearchText| text.to_lowercase().contains(wanted.as_str());
        filter.text.as_ref().is_none_or(wanted)
    };
    let texts = [
        Some(link.slug.as_str()),
        Some(content.destination.as_str()),
        content.comment.as_ref().map(Comment::as_str),
    ];
    let same_target = |to: &Destination| content.destination.without_query() == to.without_query();
    (texts.into_iter().flatten().any(holds) || content.tags.iter().any(|tag| holds(tag.as_str())))
        && filter.destination.as_ref().is_none_or(same_target)
        && filter
            .tag
            .as_ref()
            .is_none_or(|tag| content.tags.contains(tag))
        && filter
            .slugs
            .as_ref()
            .is_none_or(|slugs| slugs.contains(&link.slug))
        && has_status(filter.status, link, now)
        && filter.reach.holds(link)
}

fn has_status(status: StatusFilter, link: &Link, now: UnixSeconds) -> bool {
    match status {
        StatusFilter::Active => link.status_at(now) == LinkStatus::Active,
        StatusFilter::Expired => link.status_at(now) == LinkStatus::Expired,
        StatusFilter::All => true,
    }
}

fn with_sorted_tags(mut link: Link) -> Link {
    link.content.tags = link.content.tags.sorted();
    link
}

fn is_after(order: LinkOrder, link: &Link, position: &Position) -> bool {
    compare(order, &Position::after(link), position).is_gt()
}

fn compare(order: LinkOrder, a: &Position, b: &Position) -> std::cmp::Ordering {
    let by_slug = a.slug.cmp(&b.slug);
    match order {
        LinkOrder::Newest => b.created_at.cmp(&a.created_at).then(by_slug),
        LinkOrder::Oldest => a.created_at.cmp(&b.created_at).then(by_slug),
        LinkOrder::SlugAscending => by_slug,
        LinkOrder::SlugDescending => by_slug.reverse(),
    }
}
