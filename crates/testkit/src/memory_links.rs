//! The link store in memory.

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard},
};

use async_trait::async_trait;
use slugline_domain::{
    Link, LinkId, LinkOrder, LinkStatus, ListQuery, Position, Slug, StatusFilter, UnixSeconds,
    ports::{Insertion, LinkStore, StoreError, Update, Version},
};

/// Links in a map. Passes the same contract suite as the SQL store.
#[derive(Debug, Default)]
pub struct MemoryLinkStore {
    links: Mutex<BTreeMap<Slug, Link>>,
    broken: Mutex<bool>,
}

impl MemoryLinkStore {
    /// Makes every later call fail, as a database that went away would.
    pub fn break_down(&self) {
        *self
            .broken
            .lock()
            .expect("no test panics while holding the lock") = true;
    }

    fn open(
        &self,
        action: &'static str,
    ) -> Result<MutexGuard<'_, BTreeMap<Slug, Link>>, StoreError> {
        if *self
            .broken
            .lock()
            .expect("no test panics while holding the lock")
        {
            return Err(StoreError {
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
    async fn insert(&self, link: &Link, now: UnixSeconds) -> Result<Insertion, StoreError> {
        let mut links = self.open("insert a link")?;
        let owner = links.get(&link.slug);
        if owner.is_some_and(|owner| owner.status_at(now) == LinkStatus::Active) {
            return Ok(Insertion::SlugTaken);
        }
        if links
            .values()
            .any(|other| other.id == link.id && other.slug != link.slug)
        {
            return Ok(Insertion::IdTaken);
        }
        links.insert(link.slug.clone(), link.clone());
        Ok(Insertion::Stored)
    }

    async fn update(&self, link: &Link, known: &Version) -> Result<Update, StoreError> {
        let mut links = self.open("update a link")?;
        match links.get_mut(&link.slug) {
            Some(stored) if Version::of(stored) == *known => {
                *stored = link.clone();
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
            .filter(|link| {
                query
                    .tag
                    .as_ref()
                    .is_none_or(|tag| link.content.tags.contains(tag))
            })
            .filter(|link| match query.status {
                StatusFilter::Active => link.status_at(query.now) == LinkStatus::Active,
                StatusFilter::Expired => link.status_at(query.now) == LinkStatus::Expired,
                StatusFilter::All => true,
            })
            .filter(|link| {
                query
                    .after
                    .as_ref()
                    .is_none_or(|place| is_after(query.order, link, place))
            })
            .cloned()
            .map(with_sorted_tags)
            .collect();
        chosen.sort_by(|a, b| compare(query.order, &Position::after(a), &Position::after(b)));
        chosen.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
        Ok(chosen)
    }

    async fn delete(&self, slug: &Slug) -> Result<Option<LinkId>, StoreError> {
        Ok(self.open("delete a link")?.remove(slug).map(|link| link.id))
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.open("answer").map(drop)
    }
}

fn with_sorted_tags(mut link: Link) -> Link {
    link.content.tags = link.content.tags.sorted();
    link
}

fn is_after(order: LinkOrder, link: &Link, place: &Position) -> bool {
    compare(order, &Position::after(link), place).is_gt()
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
