//! A link store of one's own, and the suite that it passes. A real one would send statements to
//! its database where this one locks a list.

use std::sync::{Mutex, MutexGuard};

use async_trait::async_trait;
use slugline_domain::{
    AuditLine, AuditNote, AuditQuery, Host, Link, LinkId, LinkKey, LinkStatus, ListQuery, Reach,
    Revision, UnixMillis,
    ports::{AuditTrail, Deletion, Insertion, LinkStore, StoreError, Taking, Update, Version},
};
use slugline_testkit::link_store_contract;

#[derive(Debug, Default)]
struct OwnStore(Mutex<Tables>);

#[derive(Debug, Default)]
struct Tables {
    links: Vec<Link>,
    trail: Vec<AuditLine>,
    last_number: i64,
}

impl OwnStore {
    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0
            .lock()
            .expect("nothing panics while it holds the lock")
    }
}

impl Tables {
    fn of_key(&self, key: &LinkKey) -> Option<usize> {
        self.links.iter().position(|link| link.key == *key)
    }

    fn of_version(&self, key: &LinkKey, known: &Version) -> Option<usize> {
        let found = self.of_key(key)?;
        (Version::of(&self.links[found]) == *known).then_some(found)
    }

    /// Puts a link in place of another one or of none, or nothing in place of it, with the line.
    fn change(&mut self, old: Option<usize>, new: Option<Link>, note: &AuditNote) {
        let old = old.map(|old| self.links.swap_remove(old));
        let new = new.map(|mut new| {
            new.content.tags = new.content.tags.sorted();
            new
        });
        let key = new.as_ref().or(old.as_ref()).map(|link| link.key.clone());
        self.links.extend(new);
        self.line(note, key.as_ref());
    }

    fn line(&mut self, note: &AuditNote, key: Option<&LinkKey>) {
        self.last_number += 1;
        self.trail.push(note.line(self.last_number, key));
    }

    fn insert(&mut self, reach: &Reach, link: &Link, note: &AuditNote) -> Insertion {
        let host = link.key.domain.host().map(Host::as_str);
        if host.is_some_and(|host| !link_store_contract::NAMED_HOSTS.contains(&host)) {
            return Insertion::NoDomain;
        }
        let has_request = |other: &Link| {
            let keys = [other, link].map(|one| one.request.map(|request| request.key));
            keys[0].is_some() && keys[0] == keys[1]
        };
        if self.links.iter().any(has_request) {
            return Insertion::Repeated;
        }
        let old = self.of_key(&link.key);
        let stays = |old: &Link| {
            old.status_at(note.at.second()) != LinkStatus::Expired || !reach.holds(old)
        };
        if old.is_some_and(|old| stays(&self.links[old])) {
            return Insertion::SlugTaken;
        }
        let has_id = |other: &Link| other.id == link.id && other.key != link.key;
        if self.links.iter().any(has_id) {
            return Insertion::IdTaken;
        }
        self.change(old, Some(link.clone()), note);
        Insertion::Stored
    }
}

#[async_trait]
impl LinkStore for OwnStore {
    async fn insert(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        Ok(self.tables().insert(reach, link, note))
    }

    async fn insert_many(
        &self,
        reach: &Reach,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        let mut tables = self.tables();
        let links = links.iter();
        Ok(links.map(|link| tables.insert(reach, link, note)).collect())
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let mut tables = self.tables();
        let Some(old) = tables.of_version(&link.key, known) else {
            return Ok(Update::Outdated);
        };
        let visits_used = tables.links[old].visits_used;
        let link = Link {
            visits_used,
            ..link.clone()
        };
        tables.change(Some(old), Some(link), note);
        Ok(Update::Stored)
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        let tables = self.tables();
        Ok(tables.of_key(key).map(|found| tables.links[found].clone()))
    }

    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        let mut tables = self.tables();
        let is_meant = |link: &&mut Link| link.id == *id && link.revision == version;
        let link = tables.links.iter_mut().find(is_meant);
        Ok(
            match link.map(|link| (link.visits_left(), &mut link.visits_used)) {
                None | Some((None, _)) => Taking::Outdated,
                Some((Some(0), _)) => Taking::UsedUp,
                Some((Some(_), used)) => {
                    *used += 1;
                    Taking::Taken
                }
            },
        )
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        Ok(query.page(&self.tables().links))
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let mut tables = self.tables();
        let Some(old) = tables.of_version(key, known) else {
            return Ok(Deletion::Outdated);
        };
        tables.change(Some(old), None, note);
        Ok(Deletion::Deleted)
    }
}

#[async_trait]
impl AuditTrail for OwnStore {
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        Ok(query.page(&self.tables().trail))
    }

    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError> {
        self.tables().line(note, key);
        Ok(())
    }

    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        let mut left = limit;
        let mut tables = self.tables();
        tables.trail.sort_by_key(|line| line.at);
        tables.trail.retain(|line| {
            let goes = line.at < moment && left > 0;
            left -= u32::from(goes);
            !goes
        });
        Ok((limit - left).into())
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    link_store_contract::run_suite(|| async { OwnStore::default() }).await;
}

#[test]
fn it_runs() {
    main();
}
