//! The store of links, telling the crowd of changes.

use std::{collections::BTreeSet, sync::Arc};

use async_trait::async_trait;
use slugline_domain::{
    AuditNote, DomainName, FollowedLink, Link, LinkFilter, LinkId, LinkKey, ListQuery, Reach,
    Revision, Tag, TagCount, UnixSeconds,
    ports::{Deletion, Hearing, Insertion, LinkStore, StoreError, Taking, Update, Version},
};

use super::crowd::Crowd;

/// The same store, telling the crowd of each change that it has stored. Nobody in the crowd, and
/// it is the store itself.
pub(crate) fn observed(store: Arc<dyn LinkStore>, crowd: &Arc<Crowd>) -> Arc<dyn LinkStore> {
    if crowd.is_empty() {
        return store;
    }
    Arc::new(ObservedLinks {
        store,
        crowd: Arc::clone(crowd),
    })
}

#[derive(Debug)]
struct ObservedLinks<S: ?Sized> {
    store: Arc<S>,
    crowd: Arc<Crowd>,
}

#[async_trait]
impl<S: LinkStore + ?Sized> LinkStore for ObservedLinks<S> {
    async fn insert_within(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        let inserted = self.store.insert_within(reach, link, note).await?;
        if inserted == Insertion::Stored {
            self.crowd.hear_change(note, &link.key);
        }
        Ok(inserted)
    }

    async fn insert_many_within(
        &self,
        reach: &Reach,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        let inserted = self.store.insert_many_within(reach, links, note).await?;
        for (link, inserted) in links.iter().zip(&inserted) {
            if *inserted == Insertion::Stored {
                self.crowd.hear_change(note, &link.key);
            }
        }
        Ok(inserted)
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        let updated = self.store.update(link, known, note).await?;
        if updated == Update::Stored {
            self.crowd.hear_change(note, &link.key);
        }
        Ok(updated)
    }

    async fn delete(&self, key: &LinkKey, note: &AuditNote) -> Result<Option<Link>, StoreError> {
        let deleted = self.store.delete(key, note).await?;
        if deleted.is_some() {
            self.crowd.hear_change(note, key);
        }
        Ok(deleted)
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        let deleted = self.store.delete_version(key, known, note).await?;
        if deleted == Deletion::Deleted {
            self.crowd.hear_change(note, key);
        }
        Ok(deleted)
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        self.store.find(key).await
    }

    async fn follow(&self, key: &LinkKey) -> Result<Option<FollowedLink>, StoreError> {
        self.store.follow(key).await
    }

    async fn holders(
        &self,
        keys: &BTreeSet<LinkKey>,
        ids: &BTreeSet<LinkId>,
    ) -> Result<Vec<Link>, StoreError> {
        self.store.holders(keys, ids).await
    }

    async fn twin(
        &self,
        reach: &Reach,
        new: &Link,
        now: UnixSeconds,
    ) -> Result<Option<Link>, StoreError> {
        self.store.twin(reach, new, now).await
    }

    /// A visit is no change of the link.
    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        self.store.take_visit(id, version).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        self.store.list(query).await
    }

    async fn search(
        &self,
        filter: &LinkFilter,
        now: UnixSeconds,
        limit: u32,
    ) -> Result<Vec<Link>, StoreError> {
        self.store.search(filter, now, limit).await
    }

    async fn count(&self, filter: &LinkFilter, now: UnixSeconds) -> Result<u64, StoreError> {
        self.store.count(filter, now).await
    }

    async fn tags(
        &self,
        reach: &Reach,
        domain: Option<&DomainName>,
    ) -> Result<Vec<TagCount>, StoreError> {
        self.store.tags(reach, domain).await
    }

    async fn tagged(
        &self,
        tags: &BTreeSet<Tag>,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, StoreError> {
        self.store.tagged(tags, limit).await
    }

    async fn unprotected(&self, links: &BTreeSet<LinkId>) -> Result<BTreeSet<LinkId>, StoreError> {
        self.store.unprotected(links).await
    }

    async fn ping(&self) -> Result<(), StoreError> {
        self.store.ping().await
    }

    fn hearing(&self) -> Hearing {
        self.store.hearing()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use slugline_domain::{AuditLine, AuditQuery, Domain, UnixMillis, ports::AuditTrail};
    use slugline_testkit::{MemoryLinkStore, NOTE, key, link, link_store_contract};

    use super::*;
    use crate::observers::{ObservedChange, Observer};

    struct Tells(Sender<String>);

    impl Observer for Tells {
        fn change(&mut self, change: &ObservedChange) {
            let _ = self.0.send(change.key.to_string());
        }
    }

    fn watched() -> (
        ObservedLinks<MemoryLinkStore>,
        std::sync::mpsc::Receiver<String>,
    ) {
        let (tell, told) = channel();
        let crowd = Crowd::gather(vec![Box::new(Tells(tell))]).unwrap();
        let store = MemoryLinkStore::default();
        for host in link_store_contract::NAMED_HOSTS {
            store.name_domain(Domain::new(host.parse().unwrap()));
        }
        let links = ObservedLinks {
            store: Arc::new(store),
            crowd: Arc::new(crowd),
        };
        (links, told)
    }

    /// The suite reads the trail of the store that is observed.
    #[async_trait]
    impl AuditTrail for ObservedLinks<MemoryLinkStore> {
        async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
            self.store.lines(query).await
        }

        async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError> {
            self.store.add(note, key).await
        }

        async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
            self.store.remove_before(moment, limit).await
        }
    }

    #[tokio::test]
    async fn an_observed_store_is_still_a_store() {
        link_store_contract::run_suite(async || watched().0).await;
    }

    #[tokio::test]
    async fn every_stored_change_is_told_and_nothing_else() {
        let (links, told) = watched();
        let [one, two, three] = ["one", "two", "three"].map(|key| link(key).build());
        links.insert(&one, &NOTE).await.unwrap();
        // The slug is taken.
        links.insert(&one, &NOTE).await.unwrap();
        let many = [one.clone(), two.clone(), three.clone()];
        links.insert_many(&many, &NOTE).await.unwrap();
        let mut edited = two.clone();
        edited.revision = two.revision.next();
        let known = Version::of(&two);
        links.update(&edited, &known, &NOTE).await.unwrap();
        // Outdated.
        links.update(&edited, &known, &NOTE).await.unwrap();
        links.delete_version(&two.key, &known, &NOTE).await.unwrap();
        let known = Version::of(&edited);
        links.delete_version(&two.key, &known, &NOTE).await.unwrap();
        links.delete(&one.key, &NOTE).await.unwrap();
        links.delete(&key("nothing"), &NOTE).await.unwrap();
        links.crowd.leave().await;
        let told: Vec<String> = told.try_iter().collect();
        assert_eq!(told, ["one", "two", "three", "two", "two", "one"]);
    }
}
