//! The ports: traits through which the domain and the use cases reach stores,
//! networks, the clock and the random source.
//!
//! The stores of links, of migration runs and of old links each have an
//! implementation in memory and a contract suite in `testkit`; it passes the
//! same suite as the real stores. A method that a later version adds has a default that is right
//! for every implementation, if perhaps slow. The clock, the random source, the prober, the
//! screen and the suggester have a scripted implementation there. The other
//! ports are tested with the real thing only: both engines of the access log
//! against a naive third one, the forwarder against servers, the place finder
//! against files.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    error::Error as StdError,
    fmt,
    net::IpAddr,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use thiserror::Error;

pub use crate::insertion::Insertion;
use crate::{
    AccessRow, Advance, AuditLine, AuditNote, AuditQuery, CountersQuery, CountersReport, Country,
    Destination, Domain, DomainName, DueLink, Enrolment, Erasure, Event, EventsQuery, FailedEntry,
    Failing, FollowedLink, ForwardFailure, ForwardedAnswer, ForwardedRequest, HeatmapQuery,
    HeatmapReport, Host, IdempotencyKey, KeptAnswer, KeptRequest, LanguageTag, Link, LinkFilter,
    LinkId, LinkKey, LinkOrder, ListQuery, LocationsQuery, LocationsReport, LogTrouble,
    MetricsQuery, MetricsReport, MigrationState, MigrationStep, OldCursor, OldLink, OldPage, Place,
    ProbeOutcome, ProbeRequest, Reach, RequestClaim, Revision, SamplingNote, ScreenVerdict, Slug,
    StatusFilter, StoredVisit, Tag, TagCount, TokenName, TokenRecord, UnixMillis, UnixSeconds,
    ViewsQuery, ViewsReport, Visit, VisitColumn, VisitFilter, VisitRecord, WatchClaim, WatchNews,
    Watched, routing::AgentFacts,
};

/// Stores links. Each method is one transaction.
///
/// Each link that a method stores, changes or deletes leaves one line in the [`AuditTrail`], made
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
    /// If both the key and the identifier are taken, the answer is [`Insertion::SlugTaken`].
    async fn insert_within(
        &self,
        reach: &Reach,
        link: &Link,
        note: &AuditNote,
    ) -> Result<Insertion, StoreError>;

    /// Stores new links as [`LinkStore::insert_within`] would, one after the other,
    /// but in one transaction: either all outcomes hold or nothing was stored.
    /// Outcomes are in the order of the links.
    async fn insert_many_within(
        &self,
        reach: &Reach,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError>;

    /// Stores a new link for a caller who may replace every expired link.
    async fn insert(&self, link: &Link, note: &AuditNote) -> Result<Insertion, StoreError> {
        self.insert_within(&Reach::Everything, link, note).await
    }

    /// Stores new links for a caller who may replace every expired link.
    async fn insert_many(
        &self,
        links: &[Link],
        note: &AuditNote,
    ) -> Result<Vec<Insertion>, StoreError> {
        self.insert_many_within(&Reach::Everything, links, note)
            .await
    }

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
    /// is announced to nobody: it makes no new version.
    async fn take_visit(&self, id: &LinkId, version: Revision) -> Result<Taking, StoreError>;

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
        let counted = all_within(reach).with_domain(domain.cloned());
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

    /// Returns those of these links that are stored, expired ones included, and have no password.
    async fn unprotected(&self, links: &BTreeSet<LinkId>) -> Result<BTreeSet<LinkId>, StoreError> {
        let everything = all_within(&Reach::Everything);
        let stored = self.search(&everything, EPOCH, u32::MAX).await?;
        let stored = stored.into_iter();
        let found = stored.filter(|link| links.contains(&link.id) && link.password.is_none());
        Ok(found.map(|link| link.id).collect())
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
        let alike = all_within(reach)
            .with_domain(new.key.domain.clone())
            .with_destination(new.content.destination.clone());
        let alike = self.search(&alike, now, u32::MAX).await?;
        let mut alike = alike.into_iter();
        Ok(alike.find(|link| link.may_stand_for(new, now)))
    }

    /// Removes the link stored under exactly this key, and returns it as
    /// it was.
    async fn delete(&self, key: &LinkKey, note: &AuditNote) -> Result<Option<Link>, StoreError> {
        loop {
            let Some(link) = self.find(key).await? else {
                return Ok(None);
            };
            // Another version may have replaced the one that was found.
            match self.delete_version(key, &Version::of(&link), note).await? {
                Deletion::Deleted => return Ok(Some(link)),
                Deletion::Outdated => {}
            }
        }
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
    /// The last change. Nodes of the version before revisions change this alone.
    pub updated_at: UnixSeconds,
}

impl Version {
    /// The version of this link.
    pub fn of(link: &Link) -> Self {
        Self {
            id: link.id.clone(),
            revision: link.revision,
            updated_at: link.updated_at,
        }
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
    /// Another request has the key of this one, so nothing was changed.
    #[error("another request has the key of this one")]
    KeyInUse,
    /// The answer would have taken longer than the time limit.
    #[error("link store could not {action} within {} ms", limit.as_millis())]
    TooSlow {
        /// The action that was stopped: the rest of "could not …".
        action: &'static str,
        /// The time limit.
        limit: Duration,
    },
}

/// Reads the audit trail, which the stores of links and tokens write, and shortens it. Each
/// method is one transaction.
#[async_trait]
pub trait AuditTrail: fmt::Debug + Send + Sync {
    /// Lines, the newest first: by moment, then by number.
    async fn lines(&self, query: &AuditQuery) -> Result<Vec<AuditLine>, StoreError>;

    /// Adds the line of a change that is not made in this store, about the link with this key.
    async fn add(&self, note: &AuditNote, key: Option<&LinkKey>) -> Result<(), StoreError>;

    /// Removes lines from before a moment, at most `limit` of them, the oldest first. Returns the
    /// number of removed lines. Several nodes may call it at once.
    async fn remove_before(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError>;
}

/// Keeps the answers to requests that clients may send again. Each method is one transaction.
///
/// The stores of links write most answers themselves, with the change that they answer
/// ([`AuditNote::receipt`](crate::AuditNote#structfield.receipt)).
#[async_trait]
pub trait ReceiptStore: fmt::Debug + Send + Sync {
    /// What is stored about a key of a caller, unless it is free at `now`.
    async fn kept(
        &self,
        caller: &str,
        key: &IdempotencyKey,
        now: UnixMillis,
    ) -> Result<Option<KeptRequest>, StoreError>;

    /// Takes a free key for a request that runs, until a moment. Returns whether the key was
    /// free.
    async fn take(&self, claim: &RequestClaim, until: UnixMillis) -> Result<bool, StoreError>;

    /// Stores the answer to a request, under a key that is free or that this request
    /// [took](Self::take) until `taken_until`. Returns false, and stores nothing, if another request
    /// has the key.
    async fn keep(
        &self,
        claim: &RequestClaim,
        answer: &KeptAnswer,
        taken_until: Option<UnixMillis>,
    ) -> Result<bool, StoreError>;

    /// Frees a key that this request [took](Self::take) until `taken_until`.
    async fn release(
        &self,
        claim: &RequestClaim,
        taken_until: UnixMillis,
    ) -> Result<(), StoreError>;

    /// Removes keys that are free at a moment, at most `limit` of them. Returns the number of
    /// removed ones. Several nodes may call it at once.
    async fn remove_free(&self, moment: UnixMillis, limit: u32) -> Result<u64, StoreError>;
}

/// Stores named tokens, beside the links. Each method is one transaction.
///
/// A token that is stored or removed leaves one line in the audit trail, made of the `note` and
/// the token's name, in the same transaction.
#[async_trait]
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Stores a new token. Returns false, and stores nothing, if its name or its digest is
    /// taken.
    async fn insert(&self, token: &TokenRecord, note: &AuditNote) -> Result<bool, StoreError>;

    /// Every token, by name.
    async fn list(&self) -> Result<Vec<TokenRecord>, StoreError>;

    /// Removes the token with this name. Returns whether there was one.
    async fn revoke(&self, name: &TokenName, note: &AuditNote) -> Result<bool, StoreError>;

    /// The token with this digest, expired or not.
    async fn find(&self, digest: &[u8; 32]) -> Result<Option<TokenRecord>, StoreError>;

    /// Notes that the token was used at this moment, unless a later use is noted. Does nothing
    /// if there is no such token.
    async fn touch(&self, name: &TokenName, at: UnixSeconds) -> Result<(), StoreError>;

    /// The way in which the store learns of revoked tokens. What was found stays true for as
    /// long as this is [`Hearing::Announced`] with the same number.
    ///
    /// Every request calls this, so it must not wait.
    fn hearing(&self) -> Hearing {
        Hearing::Deaf
    }
}

/// Stores the named domains, beside the links. Each method is one transaction.
///
/// Each domain that a method stores, changes or removes leaves one line in the audit trail, made of
/// the `note` and the host, in the same transaction.
#[async_trait]
pub trait DomainStore: fmt::Debug + Send + Sync {
    /// Every named domain, by host.
    async fn list(&self) -> Result<Vec<Domain>, StoreError>;

    /// Names a host. Returns false, and stores nothing, if it is named already.
    async fn insert(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError>;

    /// Replaces the record of a named host. Returns false if nobody has named the host.
    async fn update(&self, domain: &Domain, note: &AuditNote) -> Result<bool, StoreError>;

    /// Removes a domain that has no links, expired ones included. A link that is stored at the same
    /// time either keeps the domain or is answered with [`Insertion::NoDomain`].
    async fn remove(&self, host: &Host, note: &AuditNote) -> Result<DomainRemoval, StoreError>;

    /// Moves those of these links that are still there to a domain: all of them or none. They keep
    /// everything but their domain; the revision grows. Each moved link leaves two lines in the
    /// audit trail, one about its former key and one about its new key.
    async fn move_links(
        &self,
        links: &[LinkKey],
        to: &DomainName,
        note: &AuditNote,
    ) -> Result<LinkMove, StoreError>;

    /// The way in which the store learns of changes of domains by other processes. What was listed
    /// stays true for as long as this is [`Hearing::Announced`] or [`Hearing::Counted`] with the
    /// same number.
    fn hearing(&self) -> Hearing {
        Hearing::Deaf
    }
}

/// Keeps the timetable of the watch of destinations, and what it found, beside the links. Each
/// method is one transaction. None touches a link, its revision or the audit trail; what is kept of
/// a link goes with it.
#[async_trait]
pub trait WatchStore: fmt::Debug + Send + Sync {
    /// Puts links on the timetable that are not on it. Looks at links after a position, at no more
    /// than there are `moments`; each link that it puts there takes the next of these for its first
    /// request. The first position is 0; there, requests that were to come after `latest` come at
    /// the first of the moments: the time between requests was longer, or a clock was wrong.
    /// Several nodes may call it at once.
    async fn enrol(
        &self,
        after: i64,
        moments: &[UnixMillis],
        latest: UnixMillis,
    ) -> Result<Enrolment, StoreError>;

    /// Claims links that are due, at most `limit`, those that have waited longest first. Of one
    /// [host](crate::watch::host_to_ask) it claims one link, and none while anybody has a claim to
    /// another, or it [rests](Watched::rests_until). Several nodes may call it at once.
    async fn claim(
        &self,
        now: UnixMillis,
        until: UnixMillis,
        limit: usize,
    ) -> Result<Vec<DueLink>, StoreError>;

    /// Keeps what came of a claim, and gives the claim up. Returns false, and keeps nothing, if
    /// somebody else has claimed the link since, or it is gone.
    async fn record(&self, claim: &WatchClaim, found: &Watched) -> Result<bool, StoreError>;

    /// Those of these links whose destination is broken, and the failures. Failures of a
    /// destination that the link had before do not count.
    async fn broken(&self, links: &[&Link]) -> Result<HashMap<LinkId, Failing>, StoreError>;
}

/// Hears of news about destinations. It must neither wait nor fail.
pub trait WatchObserver: fmt::Debug + Send + Sync {
    /// The destination of a link broke, or answers again. The failures are those that it has, or
    /// those that it had.
    fn news(&self, news: WatchNews, link: &Link, failing: &Failing);
}

/// The outcome of removing a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainRemoval {
    /// It is gone.
    Removed,
    /// It has links.
    HasLinks,
    /// Nobody has named the host.
    NoDomain,
}

/// The outcome of moving links to another domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkMove {
    /// All of the links that were there are in the domain.
    Moved,
    /// Nothing moved, because links of the domain have some of the slugs.
    Taken,
    /// Nothing moved, because nobody has named the host of the domain.
    NoDomain,
}

/// Keeps secrets that all nodes share, beside the links. Each method is one transaction.
#[async_trait]
pub trait SecretStore: fmt::Debug + Send + Sync {
    /// Returns the secret with this name. The first caller's proposal becomes the secret.
    async fn agree(&self, name: &'static str, proposed: [u8; 32]) -> Result<[u8; 32], StoreError>;
}

/// Reads `User-Agent` headers. Redirects call it, so it remembers what it read.
pub trait AgentReader: fmt::Debug + Send + Sync {
    /// Returns the facts in a header.
    fn read(&self, user_agent: &str) -> Arc<AgentFacts>;
}

/// Stores the progress of the migration, beside the links. Each method is one
/// transaction.
#[async_trait]
pub trait MigrationStore: fmt::Debug + Send + Sync {
    /// The stored progress.
    async fn state(&self) -> Result<MigrationState, StoreError>;

    /// Starts the run after the latest one, if that is still the one that
    /// `after` names; `None` means that there is no run yet. Returns whether it
    /// did.
    async fn begin(&self, after: Option<u32>, now: UnixSeconds) -> Result<bool, StoreError>;

    /// Inserts the links of a page and counts the page as done, both or
    /// neither, if it is the next one of the latest run. It leaves out a link
    /// whose key is in use, even if only by an expired link. Each inserted link leaves a line
    /// in the audit trail.
    async fn advance(&self, step: &MigrationStep) -> Result<Advance, StoreError>;

    /// The first entries of a run that could not be moved, in the order in
    /// which they were read.
    async fn failures(&self, run: u32) -> Result<Vec<FailedEntry>, StoreError>;
}

/// The key-value store of an older instance. Slugline only reads it.
#[async_trait]
pub trait OldStore: fmt::Debug + Send + Sync {
    /// A page of entries from a position on, or from the start. Reading all
    /// pages yields every entry that was in the store throughout.
    async fn page(&self, from: Option<&OldCursor>) -> Result<OldPage, OldStoreError>;

    /// The link under exactly this spelling; `None` also if the entry cannot be
    /// read as a link.
    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError>;

    /// Checks that the store can be read.
    async fn ping(&self) -> Result<(), OldStoreError>;
}

/// The old store failed.
#[derive(Debug, Error)]
pub enum OldStoreError {
    /// The store was replaced or restarted since it gave the position. Only a
    /// run from the start is sure to miss nothing.
    #[error("the old link store was replaced or restarted since its last page")]
    CursorLost,
    /// It is not a store of links, and trying again will not change that.
    #[error("the old link store cannot be used: {0}")]
    Unusable(String),
    /// It does not answer at the moment.
    #[error("the old link store failed to {action}")]
    Unavailable {
        /// The action that failed: the rest of "failed to …".
        action: &'static str,
        /// The reason.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// Takes visits. The redirect calls it, so it must neither wait nor fail: it
/// drops and counts visits that it has no room for.
pub trait VisitSink: fmt::Debug + Send + Sync {
    /// Takes one visit.
    fn record(&self, visit: Visit);
}

/// Finds the places of addresses. The redirect calls it for links that lead
/// elsewhere in some countries, so it must not wait.
pub trait PlaceFinder: fmt::Debug + Send + Sync {
    /// The place of an address, as far as it is known.
    fn find(&self, address: IpAddr) -> Place;

    /// The country of an address, for callers that need no more.
    fn country(&self, address: IpAddr) -> Option<Country> {
        self.find(address).country
    }
}

/// Learns of each stored visit once it is durable. The thread that stores
/// visits calls it, so it must neither wait nor fail.
pub trait VisitObserver: fmt::Debug + Send + Sync {
    /// Learns of one visit, in the order in which they are stored.
    fn observe(&self, record: &VisitRecord<'_>);
}

/// Answers questions from the access log.
///
/// Visits, and counts of them, are sums of sampling intervals. Visitors are the
/// sum, over those who have a row sampled by visitor, of the smallest interval
/// of such rows; the same visitor counts anew in each salt period. An answer
/// reads the log as it is at one moment.
#[async_trait]
pub trait VisitLog: fmt::Debug + Send + Sync {
    /// Counters.
    async fn counters(&self, query: &CountersQuery) -> Result<CountersReport, VisitLogError>;

    /// Visits over time.
    async fn views(&self, query: &ViewsQuery) -> Result<ViewsReport, VisitLogError>;

    /// Visits by hour of the week.
    async fn heatmap(&self, query: &HeatmapQuery) -> Result<HeatmapReport, VisitLogError>;

    /// The most frequent values of a dimension.
    async fn metrics(&self, query: &MetricsQuery) -> Result<MetricsReport, VisitLogError>;

    /// The most frequent places.
    async fn locations(&self, query: &LocationsQuery) -> Result<LocationsReport, VisitLogError>;

    /// The latest visits, in the order of [`Event::latest`].
    async fn events(&self, query: &EventsQuery) -> Result<Vec<Event>, VisitLogError>;

    /// Counters of every slug and destination, to be read in parts.
    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError>;

    /// The visits themselves, to be read in parts.
    async fn visits(&self, filter: &VisitFilter) -> Result<Box<dyn VisitRows>, VisitLogError>;

    /// The links of visits that do not say whether there was a password; at most `limit`, and
    /// it is not said which if there are more. Conditions on texts do not count.
    async fn unrecorded(
        &self,
        filter: &VisitFilter,
        limit: u32,
    ) -> Result<BTreeSet<LinkId>, VisitLogError>;

    /// The parts of the log that do not work at the moment, as far as its own
    /// work has shown; empty if all do. Health checks call this, so it sends no
    /// request.
    fn troubles(&self) -> Vec<LogTrouble> {
        Vec::new()
    }
}

/// Counters of links, read in parts, because there may be too many to hold at once.
/// Most visits first, then by slug and URL.
#[async_trait]
pub trait AccessRows: fmt::Debug + Send {
    /// Returns the next rows; none at the end.
    ///
    /// # Errors
    /// The access log cannot be read any further.
    async fn next(&mut self) -> Result<Vec<AccessRow>, VisitLogError>;

    /// Returns the accuracy of all rows. It is known once the first rows were read.
    fn sampling(&self) -> SamplingNote;
}

/// Stored visits that are read in parts, in the order of storage.
///
/// Each visit that was stored when reading began, and was not deleted since, comes once.
#[async_trait]
pub trait VisitRows: fmt::Debug + Send {
    /// The columns of the visits' texts.
    fn columns(&self) -> &'static [VisitColumn];

    /// Returns the next visits; none at the end.
    ///
    /// # Errors
    /// The access log cannot be read any further.
    async fn next(&mut self) -> Result<Vec<StoredVisit>, VisitLogError>;
}

/// Erases visits from the access log.
#[async_trait]
pub trait VisitEraser: fmt::Debug + Send + Sync {
    /// Erases every visit of a link that was recorded before the answer; visits that come later
    /// are new. A link without visits is no error. After an error, and after an answer that
    /// nobody waited for, the visits may be erased or not: ask again.
    ///
    /// An engine of several nodes goes by moments: a visit that is dated later than its clock is new
    /// to it.
    async fn erase(&self, link: &LinkId) -> Result<Erasure, VisitLogError>;
}

/// The access log gave no answer.
#[derive(Debug, Error)]
pub enum VisitLogError {
    /// The log failed.
    #[error("access log failed to {action}")]
    Failed {
        /// The action that failed: the rest of "failed to …".
        action: &'static str,
        /// The reason.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// The answer would have taken longer than the time limit.
    #[error("access log could not {action} within {} ms", limit.as_millis())]
    TooSlow {
        /// The action that was stopped: the rest of "could not …".
        action: &'static str,
        /// The time limit.
        limit: Duration,
    },
}

/// Checks that destinations answer.
///
/// Authors choose the destinations, so an implementation must not enter networks that only the
/// service can reach.
#[async_trait]
pub trait LinkProber: fmt::Debug + Send + Sync {
    /// Requests one destination once, following its redirects.
    async fn probe(&self, request: ProbeRequest) -> ProbeOutcome;
}

/// Lists destinations that visitors must be warned of.
#[async_trait]
pub trait DestinationScreen: fmt::Debug + Send + Sync {
    /// Returns a verdict on each destination, in their order. The author of a
    /// link waits for it.
    async fn judge(&self, destinations: &[Destination]) -> Vec<ScreenVerdict>;
}

/// Suggests words for destinations, for example with a language model. Callers must not trust
/// the words: the page of a stranger may control them.
#[async_trait]
pub trait Suggester: fmt::Debug + Send + Sync {
    /// Words for a slug, if it has any.
    async fn slug(&self, destination: &Destination) -> Option<String>;

    /// A title and a text in this language, if it has any.
    async fn preview(
        &self,
        destination: &Destination,
        language: &LanguageTag,
    ) -> Option<(String, String)>;
}

/// Passes visitors' requests on to destinations.
///
/// Authors choose the destinations, so an implementation must not enter networks that only the
/// service can reach.
#[async_trait]
pub trait Forwarder: fmt::Debug + Send + Sync {
    /// The destination's answer, as soon as its headers have arrived.
    async fn forward(&self, request: ForwardedRequest) -> Result<ForwardedAnswer, ForwardFailure>;
}

/// One-time codes that stand for the site token.
#[async_trait]
pub trait SignInCodes: fmt::Debug + Send + Sync {
    /// Uses up the code with this digest and returns the site token. `None` if there is no such
    /// code, it was used before, or it is over at this moment.
    async fn redeem(
        &self,
        digest: &[u8; 32],
        now: UnixSeconds,
    ) -> Result<Option<String>, StoreError>;
}

/// Watches the links database.
pub trait LinksWatch: fmt::Debug + Send + Sync {
    /// True if a check found damage. Health checks call this, so it must be quick.
    fn is_damaged(&self) -> bool;
}

/// Watches the disk that the service writes to.
pub trait DiskWatch: fmt::Debug + Send + Sync {
    /// The trouble with the disk, if there is any. Health checks call this, so it
    /// must be quick.
    fn trouble(&self) -> Option<DiskTrouble>;
}

/// A disk that accepts no data, or soon will not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum DiskTrouble {
    /// Little space is left.
    #[error("the disk of the data folder has {} MiB left", free_bytes >> 20)]
    NearlyFull {
        /// The bytes that the service may still write.
        free_bytes: u64,
    },
    /// It is mounted for reading only.
    #[error("the disk of the data folder is mounted for reading only")]
    ReadOnly,
    /// The system does not report the state.
    #[error("the data folder cannot be examined")]
    Unknown,
}

/// Tells the time.
pub trait Clock: fmt::Debug + Send + Sync {
    /// The present moment.
    fn now(&self) -> UnixMillis;
}

/// Gives unpredictable bytes.
pub trait Random: fmt::Debug + Send + Sync {
    /// Fills the buffer.
    fn fill(&self, buffer: &mut [u8]);
}
