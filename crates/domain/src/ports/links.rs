//! The store of links, and the observers of their changes.

use std::{
    collections::BTreeMap, collections::BTreeSet, error::Error as StdError, fmt, time::Duration,
};

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    AuditNote, DomainName, FollowedLink, Insertion, Link, LinkFilter, LinkId, LinkKey, LinkOrder,
    ListQuery, Reach, Revision, Slug, StatusFilter, Tag, TagCount, UnixMillis, UnixSeconds,
};

/// Stores links. Each method is one transaction.
///
/// Each link that a method stores, changes or deletes leaves one line in the [`AuditTrail`](super::AuditTrail), made
/// of the `note` and the key, in the same transaction. What changes nothing leaves none.
///
/// Keys are compared and ordered by code point, so `Docs` and `docs` are two slugs. Links come
/// with their [tags sorted](crate::Tags::sorted), in whatever order they were stored.
///
/// A store needs the methods without a default. The defaults of the others ask
/// [`LinkStore::list`] for every link, so a store of many links implements them itself.
#[async_trait]
pub trait LinkStore: fmt::Debug + Send + Sync {
    /// Stores a new link. It replaces a link that has the key, is expired at the moment of the
    /// note and is within `reach`, tags included; it never overwrites anything else. The
    /// identifier of the replaced link is free then.
    ///
    /// If both the key and the identifier are taken, the answer is [`Insertion::SlugTaken`]. If a
    /// request with the same digest of its key has made a link, it is [`Insertion::Repeated`] in any
    /// case.
    async fn insert(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError>;

    /// Stores new links as [`LinkStore::insert`] would, one after the other,
    /// but in one transaction: either all outcomes hold or nothing was stored.
    /// Outcomes are in the order of the links.
    async fn insert_many(
        &self,
        reach: &Reach,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError>;

    /// Replaces the stored version of a link, tags included, if it is still the
    /// one that `known` names. The key and the identifier stay the same, and so does the number of
    /// visits used, because visitors may use one meanwhile.
    async fn update(
        &self,
        link: &Link,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Update, StoreError>;

    /// The link stored under exactly this key, expired or not.
    async fn find(&self, key: &LinkKey) -> Result<Option<Link>, StoreError>;

    /// The same link with no more than a redirect needs. A store that need not read the whole
    /// link for it answers sooner.
    async fn follow(&self, key: &LinkKey) -> Result<Option<FollowedLink>, StoreError> {
        Ok(self.find(key).await?.map(FollowedLink::from))
    }

    /// Counts a visit of this version of a link, if any is left. The visit is durable when this
    /// returns; after an error it may be counted or not. It leaves no line in the audit trail and
    /// is not announced: it makes no new version.
    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError>;

    /// Counts a visit of the link with a key, if any is left, whichever version it has, and reads
    /// that version. Changes of the link wait meanwhile, where a store can make them wait.
    async fn take_visit_now(
        &self,
        key: &LinkKey,
    ) -> Result<(Taking, Option<FollowedLink>), StoreError> {
        let Some(link) = self.find(key).await? else {
            return Ok((Taking::Outdated, None));
        };
        let taking = self.take_visit(&link.id, link.revision).await?;
        Ok((taking, Some(link.into())))
    }

    /// Links in order.
    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError>;

    /// Links that meet a filter, by key, at most `limit`. `now` decides which
    /// links are expired.
    async fn search(
        &self,
        filter: &LinkFilter,
        now: UnixSeconds,
        limit: u32,
    ) -> Result<Vec<Link>, StoreError> {
        let query = ListQuery {
            now,
            order: LinkOrder::SlugAscending,
            filter: filter.clone(),
            after: None,
            limit,
        };
        self.list(&query).await
    }

    /// The number of links that meet a filter at `now`.
    async fn count(&self, filter: &LinkFilter, now: UnixSeconds) -> Result<u64, StoreError> {
        let links = self.search(filter, now, u32::MAX).await?;
        Ok(u64::try_from(links.len()).unwrap_or(u64::MAX))
    }

    /// Every tag of the links within `reach`, and of one `domain` if it is given, with the number of
    /// those links, by tag. Expired links count, too.
    async fn tags(
        &self,
        reach: &Reach,
        domain: Option<&DomainName>,
    ) -> Result<Vec<TagCount>, StoreError> {
        let mut counts: BTreeMap<Tag, u64> = BTreeMap::new();
        let counted = LinkFilter {
            domain: domain.cloned(),
            ..all_within(reach)
        };
        for link in self.search(&counted, EPOCH, u32::MAX).await? {
            for tag in &link.content.tags {
                *counts.entry(tag.clone()).or_default() += 1;
            }
        }
        let counts = counts.into_iter();
        Ok(counts.map(|(tag, links)| TagCount { tag, links }).collect())
    }

    /// The identities of the links that have any of these tags, expired links
    /// included; at most `limit`, and it is not said which if there are more.
    async fn tagged(
        &self,
        tags: &BTreeSet<Tag>,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, StoreError> {
        let everything = all_within(&Reach::Everything);
        let links = self.search(&everything, EPOCH, u32::MAX).await?;
        let links = links.into_iter();
        let found = links.filter(|link| link.content.tags.iter().any(|tag| tags.contains(tag)));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        Ok(found.map(|link| link.id).take(limit).collect())
    }

    /// The links that have any of these keys or identities, expired ones included, in no order.
    async fn holders(
        &self,
        keys: &BTreeSet<LinkKey>,
        ids: &BTreeSet<LinkId>,
    ) -> Result<Vec<Link>, StoreError> {
        let everything = all_within(&Reach::Everything);
        let stored = self.search(&everything, EPOCH, u32::MAX).await?;
        let stored = stored.into_iter();
        let is_one = |link: &Link| keys.contains(&link.key) || ids.contains(&link.id);
        Ok(stored.filter(is_one).collect())
    }

    /// A link within reach that [may stand for](Link::may_stand_for) a new one at `now`; the
    /// store chooses one of several.
    async fn twin(
        &self,
        reach: &Reach,
        new: &Link,
        now: UnixSeconds,
    ) -> Result<Option<Link>, StoreError> {
        let alike = LinkFilter {
            destination: Some(new.content.destination.clone()),
            domain: Some(new.key.domain.clone()),
            ..all_within(reach)
        };
        let alike = self.search(&alike, now, u32::MAX).await?;
        let mut alike = alike.into_iter();
        Ok(alike.find(|link| link.may_stand_for(new, now)))
    }

    /// Removes the link stored under exactly this key, if it is still the
    /// version that `known` names.
    async fn delete_version(
        &self,
        key: &LinkKey,
        known: &Version,
        note: &AuditNote,
    ) -> Result<Deletion, StoreError>;

    /// Checks that the store answers.
    async fn ping(&self) -> Result<(), StoreError> {
        let one = Slug::parse("ping").expect("it is a slug").into();
        self.find(&one).await.map(drop)
    }

    /// The way in which the store learns of changes to links that it reported to no caller:
    /// changes of other processes, and changes whose caller hung up.
    ///
    /// Every redirect calls this, so it must not wait.
    fn hearing(&self) -> Hearing {
        Hearing::Deaf
    }
}

/// A moment for questions whose answer does not depend on one.
const EPOCH: UnixSeconds = UnixMillis::new(0).second();

/// Every link within reach, expired ones included.
fn all_within(reach: &Reach) -> LinkFilter {
    LinkFilter {
        status: StatusFilter::All,
        reach: reach.clone(),
        ..LinkFilter::default()
    }
}

/// The way in which a store learns of changes to links that it reported to no caller.
///
/// A read may be outdated as soon as this value differs from its value when the read began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hearing {
    /// The store counts the changes, within a second or so. While the number stays the same,
    /// there are none.
    Counted(u64),
    /// The store reports each change to a [`LinkObserver`], usually within milliseconds. While
    /// the number stays the same, it has missed none.
    Announced(u64),
    /// The store does not learn of the changes.
    Deaf,
}

/// Learns of changes to links by any process. It must not wait.
pub trait LinkObserver: fmt::Debug + Send + Sync {
    /// A change was committed. All later reads show it.
    fn changed(&self, change: &LinkChange);
}

/// Hears of changes of links by this process. It must neither wait nor fail.
pub trait ChangeObserver: fmt::Debug + Send + Sync {
    /// A change is stored. `key` is that of the link; of a link that moves, its former key first,
    /// and then its new one.
    fn changed(&self, note: &AuditNote, key: &LinkKey);
}

/// A change to the link that has a key, or had it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// The key, as it is spelled in the store.
    pub key: LinkKey,
    /// The version of a new or edited link; `None` if the link is gone, or if the change kept
    /// the version.
    pub revision: Option<Revision>,
}

/// The version of a link that a caller has read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// The identity; another link may have taken the slug meanwhile.
    pub id: LinkId,
    /// The number of the version.
    pub revision: Revision,
}

impl Version {
    /// The version of this link.
    pub fn of(link: &Link) -> Self {
        Self {
            id: link.id.clone(),
            revision: link.revision,
        }
    }
}

/// The version as a text without blanks and quotes, such as `3.0198c0de`.
impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.revision.get(), self.id)
    }
}

/// The outcome of updating a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It is stored.
    Stored,
    /// The link was changed, replaced or deleted meanwhile.
    Outdated,
}

/// The outcome of counting a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taking {
    /// It is counted, and the visitor may go on.
    Taken,
    /// No visit is left.
    UsedUp,
    /// The link is another version, counts no visits, or is gone.
    Outdated,
}

/// The outcome of deleting a version of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deletion {
    /// It is deleted.
    Deleted,
    /// The link was changed, replaced or deleted meanwhile.
    Outdated,
}

/// A store gave no answer.
#[derive(Debug, Error)]
pub enum StoreError {
    /// The store failed.
    #[error("link store failed to {action}")]
    Failed {
        /// The action that failed: the rest of "failed to …".
        action: &'static str,
        /// The reason.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer would have taken longer than the time limit.
    #[error("link store could not {action} within {} ms", limit.as_millis())]
    TooSlow {
        /// The action that was stopped: the rest of "could not …".
        action: &'static str,
        /// The time limit.
        limit: Duration,
    },
}
