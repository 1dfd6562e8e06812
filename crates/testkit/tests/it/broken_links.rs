//! Link stores that break one rule each.

use async_trait::async_trait;
use slugline_domain::{
    AuditLine, AuditNote, AuditQuery, DomainName, Host, Link, LinkFilter, LinkId, LinkKey,
    ListQuery, Reach, Revision, StatusFilter, TagCount, Tags, UnixMillis,
    ports::{AuditTrail, Deletion, Insertion, LinkStore, StoreError, Taking, Update, Version},
};
use slugline_testkit::{DeleteByKey, MemoryLinkStore, NOON, link_store_contract};

/// Defines the rules that a store may break.
macro_rules! faults {
    ($($fault:ident),+ $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        enum Fault {
            None,
            $($fault),+
        }

        const FAULTS: &[Fault] = &[$(Fault::$fault),+];
    };
}

faults! {
    DropsNotes,
    DropsNotesOfBatches,
    CountsNoExpiredLinks,
    FindsTagsUnsorted,
    ListsTagsUnsorted,
    ReportsTakenIdsFirst,
    ReportsTakenIdsFirstInBatches,
    ReplacesBeyondReach,
    DeletesAnyVersion,
    UpdatesAnyVersion,
    ListsOnePageOnly,
    FindsInTheDefaultDomain,
    ListsEveryDomain,
    TakesAnyDomain,
    CountsVisitsWithoutEnd,
    CountsVisitsOfAnyVersion,
    ForgetsRequests,
}

#[test]
fn a_store_with_the_needed_methods_alone_keeps_the_contract() {
    assert!(passes(Fault::None));
}

#[test]
fn a_store_that_breaks_one_rule_fails_the_suite() {
    for &fault in FAULTS {
        assert!(!passes(fault), "nobody noticed {fault:?}");
    }
}

fn passes(fault: Fault) -> bool {
    let suite = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build();
        let stores = || async { Store::new(fault) };
        runtime
            .expect("a runtime")
            .block_on(link_store_contract::run_suite(stores));
    };
    std::thread::spawn(suite).join().is_ok()
}

/// A store in memory that breaks a rule. It leaves the methods that have a default to it.
#[derive(Debug)]
struct Store {
    fault: Fault,
    links: MemoryLinkStore,
    /// The trail that shows no changes of links.
    other_trail: MemoryLinkStore,
}

impl Store {
    fn new(fault: Fault) -> Self {
        Self {
            fault,
            links: with_domains(),
            other_trail: with_domains(),
        }
    }

    fn trail(&self) -> &MemoryLinkStore {
        if self.fault == Fault::DropsNotes {
            &self.other_trail
        } else {
            &self.links
        }
    }

    async fn has_id(&self, id: &LinkId) -> Result<bool, StoreError> {
        let all = LinkFilter {
            status: StatusFilter::All,
            ..LinkFilter::default()
        };
        let links = self.links.search(&all, NOON, u32::MAX).await?;
        Ok(links.iter().any(|link| link.id == *id))
    }
}

#[async_trait]
impl LinkStore for Store {
    async fn insert(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError> {
        if self.fault == Fault::ReportsTakenIdsFirst && self.has_id(&link.id).await? {
            return Ok(Insertion::IdTaken);
        }
        if self.fault == Fault::TakesAnyDomain
            && let Some(host) = link.key.domain.host()
        {
            self.links.name_domain(host.clone());
        }
        if self.fault == Fault::ReplacesBeyondReach {
            return self.links.insert(&Reach::Everything, link, note).await;
        }
        if self.fault == Fault::ForgetsRequests {
            let request = None;
            let link = Link {
                request,
                ..link.clone()
            };
            return self.links.insert(reach, &link, note).await;
        }
        self.links.insert(reach, link, note).await
    }

    async fn insert_many(
        &self,
        reach: &Reach,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        let taken = match links {
            [link] => self.has_id(&link.id).await?,
            _ => false,
        };
        if self.fault == Fault::ReportsTakenIdsFirstInBatches && taken {
            return Ok(vec![Insertion::IdTaken]);
        }
        let outcomes = self.links.insert_many(reach, links, note).await?;
        if self.fault == Fault::DropsNotesOfBatches {
            let after = UnixMillis::new(note.at.get() + 1);
            self.links.remove_before(after, u32::MAX).await?;
        }
        Ok(outcomes)
    }

    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError> {
        if self.fault == Fault::UpdatesAnyVersion
            && let Some(stored) = self.links.find(&link.key).await?
        {
            return self.links.update(link, &Version::of(&stored), note).await;
        }
        self.links.update(link, known, note).await
    }

    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError> {
        let found = self.links.find(key).await?;
        if self.fault == Fault::FindsInTheDefaultDomain && found.is_none() {
            return self.links.find(&key.slug.clone().into()).await;
        }
        if self.fault == Fault::FindsTagsUnsorted {
            return Ok(found.map(with_tags_backwards));
        }
        Ok(found)
    }

    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError> {
        let taken = self.links.take_visit(id, version).await?;
        Ok(match (self.fault, taken) {
            (Fault::CountsVisitsWithoutEnd, Taking::UsedUp)
            | (Fault::CountsVisitsOfAnyVersion, Taking::Outdated) => Taking::Taken,
            _ => taken,
        })
    }

    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError> {
        if self.fault == Fault::ListsOnePageOnly && query.after.is_some() {
            return Ok(Vec::new());
        }
        let mut query = query.clone();
        if self.fault == Fault::ListsEveryDomain {
            query.filter.domain = None;
        }
        let links = self.links.list(&query).await?;
        if self.fault == Fault::ListsTagsUnsorted {
            return Ok(links.into_iter().map(with_tags_backwards).collect());
        }
        Ok(links)
    }

    /// The default cannot be called from here.
    async fn tags(
        &self,
        reach: &Reach,
        domain: Option<&DomainName>,
    ) -> Result<Vec<TagCount>, StoreError> {
        let mut counts = self.links.tags(reach, domain).await?;
        if self.fault == Fault::CountsNoExpiredLinks {
            for count in &mut counts {
                let active = LinkFilter {
                    tag: Some(count.tag.clone()),
                    reach: reach.clone(),
                    ..LinkFilter::default()
                };
                count.links = self.links.count(&active, NOON).await?;
            }
        }
        Ok(counts)
    }

    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError> {
        if self.fault == Fault::DeletesAnyVersion {
            let deleted = self.links.delete(key, note).await?;
            return Ok(deleted.map_or(Deletion::Outdated, |_| Deletion::Deleted));
        }
        self.links.delete_version(key, known, note).await
    }
}

#[async_trait]
impl AuditTrail for Store {
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError> {
        self.trail().lines(query).await
    }

    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError> {
        self.trail().add(note, key).await
    }

    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError> {
        self.trail().remove_before(moment, limit).await
    }
}

fn with_domains() -> MemoryLinkStore {
    let store = MemoryLinkStore::default();
    for host in link_store_contract::NAMED_HOSTS {
        store.name_domain(Host::parse(host).expect("a host"));
    }
    store
}

fn with_tags_backwards(mut link: Link) -> Link {
    let tags: Vec<_> = link.content.tags.iter().rev().cloned().collect();
    link.content.tags = Tags::new(tags).expect("as many as before");
    link
}
