//! What the domain needs from outside. Each port has a real implementation
//! and one in memory, and both pass the same contract suite.

use std::{error::Error as StdError, fmt, net::IpAddr, time::Duration};

use async_trait::async_trait;
use thiserror::Error;

use crate::{
    AccessRows, Advance, CountersQuery, CountersReport, Country, Destination, Event, EventsQuery,
    FailedEntry, ForwardFailure, ForwardedAnswer, ForwardedRequest, HeatmapQuery, HeatmapReport,
    LanguageTag, Link, LinkFilter, LinkId, ListQuery, LocationsQuery, LocationsReport, LogTrouble,
    MetricsQuery, MetricsReport, MigrationState, MigrationStep, OldLink, OldPage, OldPlace, Place,
    ProbeOutcome, ProbeRequest, ScreenVerdict, Slug, TagCount, UnixMillis, UnixSeconds, ViewsQuery,
    ViewsReport, Visit, VisitFilter, VisitRecord,
};

/// Where links are kept. Each method is one transaction.
#[async_trait]
pub trait LinkStore: fmt::Debug + Send + Sync {
    /// Stores a new link. A link that owns the slug but is expired at `now` is
    /// replaced, tags included; nothing else is ever overwritten.
    async fn insert(&self, link: &Link, now: UnixSeconds) -> Result<Insertion, StoreError>;

    /// Stores new links as [`LinkStore::insert`] would, one after the other, but
    /// in one transaction: all outcomes hold, or nothing was stored. Outcomes
    /// are in the order of the links.
    async fn insert_many(
        &self,
        links: &[Link],
        now: UnixSeconds,
    ) -> Result<Vec<Insertion>, StoreError>;

    /// Replaces the stored version of a link, tags included, if it is still the
    /// one that `known` names.
    async fn update(&self, link: &Link, known: &Version) -> Result<Update, StoreError>;

    /// The link stored under exactly this spelling, expired or not.
    async fn find(&self, slug: &Slug) -> Result<Option<Link>, StoreError>;

    /// Links in order, with their tags sorted.
    async fn list(&self, query: &ListQuery) -> Result<Vec<Link>, StoreError>;

    /// Links that a filter lets through, by slug, at most `limit`.
    async fn search(&self, filter: &LinkFilter, limit: u32) -> Result<Vec<Link>, StoreError>;

    /// How many links a filter lets through.
    async fn count(&self, filter: &LinkFilter) -> Result<u64, StoreError>;

    /// Every tag with the number of its links, by tag.
    async fn tags(&self) -> Result<Vec<TagCount>, StoreError>;

    /// Removes the link stored under exactly this spelling, and returns it as it
    /// was.
    async fn delete(&self, slug: &Slug) -> Result<Option<Link>, StoreError>;

    /// Whether the store answers at all.
    async fn ping(&self) -> Result<(), StoreError>;

    /// How often links were changed without the caller of a method here being
    /// told: by another process, which is seen within a second or so, or for a
    /// caller who hung up. What was read while the number was the same is still
    /// true, but for changes that a caller was told of. `None` for a store that
    /// cannot count them; what was read from it may be outdated any time.
    ///
    /// Called for every redirect, so it must not wait.
    fn unnoticed_changes(&self) -> Option<u64>;
}

/// What became of a new link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Insertion {
    /// It is stored.
    Stored,
    /// An active link owns the slug.
    SlugTaken,
    /// Another link has the identifier.
    IdTaken,
}

/// The version of a link that somebody knows: its identity and last change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Version {
    /// Identity; another link may have taken the slug meanwhile.
    pub id: LinkId,
    /// Last change.
    pub updated_at: UnixSeconds,
}

impl Version {
    /// The version of this link.
    pub fn of(link: &Link) -> Self {
        Self {
            id: link.id.clone(),
            updated_at: link.updated_at,
        }
    }
}

/// What became of a changed link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Update {
    /// It is stored.
    Stored,
    /// The link was changed, replaced or deleted meanwhile.
    Outdated,
}

/// A store failed.
#[derive(Debug, Error)]
#[error("link store failed to {action}")]
pub struct StoreError {
    /// What it was doing: the rest of "failed to …".
    pub action: &'static str,
    /// Why.
    #[source]
    pub source: Box<dyn StdError + Send + Sync>,
}

/// Keeps what is known of the migration, beside the links. Each method is one
/// transaction.
#[async_trait]
pub trait MigrationStore: fmt::Debug + Send + Sync {
    /// What is known.
    async fn state(&self) -> Result<MigrationState, StoreError>;

    /// Begins the run after the latest one, if that is still the one that
    /// `after` names; `None` names no run at all. Says whether it did.
    async fn begin(&self, after: Option<u32>, now: UnixSeconds) -> Result<bool, StoreError>;

    /// Inserts the links of a page and counts it as done, both or neither, if
    /// it is the next one of the latest run. A link whose slug is in use,
    /// by an expired link too, is left out.
    async fn advance(&self, step: &MigrationStep) -> Result<Advance, StoreError>;

    /// The first entries of a run that could not be moved, in the order in
    /// which they were met.
    async fn failures(&self, run: u32) -> Result<Vec<FailedEntry>, StoreError>;
}

/// The key-value store of an older instance. Nothing in it is ever changed.
#[async_trait]
pub trait OldStore: fmt::Debug + Send + Sync {
    /// Some entries, from a place on; from the beginning without one. Whoever
    /// reads all pages has met every entry that was there all the time.
    async fn page(&self, from: Option<&OldPlace>) -> Result<OldPage, OldStoreError>;

    /// The link under exactly this spelling. One that cannot be read is none.
    async fn find(&self, slug: &Slug) -> Result<Option<OldLink>, OldStoreError>;

    /// Whether the store can be read at all.
    async fn ping(&self) -> Result<(), OldStoreError>;
}

/// The old store failed.
#[derive(Debug, Error)]
pub enum OldStoreError {
    /// The store is another one than when the place was made, or was restarted
    /// since: only from the beginning can nothing be missed.
    #[error("the old link store is not the one that the place belongs to")]
    PlaceLost,
    /// It is no store of links, and trying again will not make it one.
    #[error("the old link store cannot be used: {0}")]
    Unusable(String),
    /// It does not answer at the moment.
    #[error("the old link store failed to {action}")]
    Unavailable {
        /// What it was doing: the rest of "failed to …".
        action: &'static str,
        /// Why.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
}

/// Takes visits. Called from the redirect, so it must neither wait nor fail:
/// what cannot be taken is dropped and counted.
pub trait VisitSink: fmt::Debug + Send + Sync {
    /// Takes one visit.
    fn record(&self, visit: Visit);
}

/// Finds out where addresses are. Called from the redirect for links that lead
/// elsewhere in some countries, so it must not wait.
pub trait PlaceFinder: fmt::Debug + Send + Sync {
    /// Where an address is, as far as this is known.
    fn find(&self, address: IpAddr) -> Place;

    /// The country alone, for those who need no more.
    fn country(&self, address: IpAddr) -> Option<Country> {
        self.find(address).country
    }
}

/// Hears of each stored visit, once it is durable and only then. Called from
/// the thread that stores visits, so it must neither wait nor fail.
pub trait VisitObserver: fmt::Debug + Send + Sync {
    /// Hears of one visit, in the order in which they are stored.
    fn observe(&self, record: &VisitRecord<'_>);
}

/// Answers questions from the access log.
///
/// Visits, and counts of them, are sums of sampling intervals. Visitors are the
/// sum, over those who were seen in a coherent row, of the smallest interval of
/// their coherent rows; the same visitor counts anew in each salt period. An
/// answer reads the log as it is at one moment.
#[async_trait]
pub trait VisitLog: fmt::Debug + Send + Sync {
    /// Totals.
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

    /// Totals of every slug and destination, to be fetched bit by bit.
    async fn access(&self, filter: &VisitFilter) -> Result<Box<dyn AccessRows>, VisitLogError>;

    /// What does not work at the moment, as far as its own work has shown;
    /// empty when everything does. Called by health checks, so it asks nobody.
    fn troubles(&self) -> Vec<LogTrouble>;
}

/// The access log gave no answer.
#[derive(Debug, Error)]
pub enum VisitLogError {
    /// It failed.
    #[error("access log failed to {action}")]
    Failed {
        /// What it was doing: the rest of "failed to …".
        action: &'static str,
        /// Why.
        #[source]
        source: Box<dyn StdError + Send + Sync>,
    },
    /// It would have taken longer than questions may.
    #[error("access log could not {action} within {} ms", limit.as_millis())]
    TooSlow {
        /// What it was doing: the rest of "could not …".
        action: &'static str,
        /// How long questions may take.
        limit: Duration,
    },
}

/// Asks destinations whether they answer.
///
/// Links lead wherever their authors say, so an implementation must not go to
/// networks that only the service can reach.
#[async_trait]
pub trait LinkProber: fmt::Debug + Send + Sync {
    /// Asks one destination, once, and follows its redirects.
    async fn probe(&self, request: ProbeRequest) -> ProbeOutcome;
}

/// Knows destinations that visitors are to be warned of.
#[async_trait]
pub trait DestinationScreen: fmt::Debug + Send + Sync {
    /// Gives a verdict on each destination, in their order. The author of a link
    /// waits for it.
    async fn judge(&self, destinations: &[Destination]) -> Vec<ScreenVerdict>;
}

/// Thinks of words for destinations, as a language model does. What it says may
/// be anything, and may be what a stranger's page wants it to say.
#[async_trait]
pub trait Suggester: fmt::Debug + Send + Sync {
    /// Words to make a slug of; none when it cannot think of any.
    async fn slug(&self, destination: &Destination) -> Option<String>;

    /// A title and a text in this language; none when it cannot think of any.
    async fn preview(
        &self,
        destination: &Destination,
        language: &LanguageTag,
    ) -> Option<(String, String)>;
}

/// Passes visitors' requests on to destinations.
///
/// Links lead wherever their authors say, so an implementation must not go to
/// networks that only the service can reach.
#[async_trait]
pub trait Forwarder: fmt::Debug + Send + Sync {
    /// The destination's answer, once its head is there.
    async fn forward(&self, request: ForwardedRequest) -> Result<ForwardedAnswer, ForwardFailure>;
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
