//! Slug → link on the redirect path: look-up, cache, invalidation, outages.

mod freshness;
mod outage;
mod refresh;

use std::{sync::Arc, time::Duration};

use quick_cache::{
    Weighter,
    sync::{Cache, EntryAction, EntryResult},
};
use slugline_domain::{
    Link, PasswordHash, Slug, SlugCase, UnixMillis,
    measure::Counter,
    ports::{Clock, Hearing, LinkChange, LinkObserver, LinkStore},
};

use self::{
    freshness::{Fresh, Subject},
    outage::Outage,
    refresh::Refresh,
};
use crate::{Error, OldLinks};

/// Finds the link for a visitor's slug, from memory if possible.
///
/// A hit takes one look-up in a sharded map and one reference count. It waits for
/// nothing, and it allocates nothing for a slug in lower case. Unknown slugs are
/// remembered briefly, too, so that guessing costs the store little.
///
/// A change through this process takes effect at once. A change by another process takes
/// effect when the store announces it: the resolver is the store's [`LinkObserver`]. If
/// announcements may have been missed, every link that was read before is read again when
/// a visitor next requests its slug.
///
/// While the store does not answer, links are served as they were last read, up to
/// [`ResolverOptions::stale_for`]. A failure is remembered for a second for all visitors
/// of the slug. While the store is silent, only one miss at a time sends a request to it.
#[derive(Debug)]
pub struct Resolver {
    store: Arc<dyn LinkStore>,
    clock: Arc<dyn Clock>,
    case: SlugCase,
    options: ResolverOptions,
    cache: Cache<Slug, Entry, Weight>,
    outage: Outage,
    old_links: Option<Arc<OldLinks>>,
    hits: Counter,
    misses: Counter,
}

/// The contents of the resolver's memory, and its hits and misses since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolverNumbers {
    /// Look-ups that memory answered, with a link or with "no link".
    pub hits: u64,
    /// Look-ups that went to the store.
    pub misses: u64,
    /// Slugs in memory.
    pub entries: usize,
    /// The approximate size of these slugs' entries in bytes.
    pub bytes: u64,
}

/// Limits of the resolver's memory.
#[derive(Clone, Copy, Debug)]
pub struct ResolverOptions {
    /// The approximate limit for links in memory, in bytes.
    pub capacity_bytes: u64,
    /// The time for which a link is served from memory before it is read again, if the
    /// store does not count changes by other processes. The store announces them; this
    /// limits the delay of a change whose announcement was lost unnoticed.
    pub fresh_for: Duration,
    /// The same for slugs that no link has.
    pub unknown_for: Duration,
    /// The maximum of both while the store does not hear of changes by other processes.
    pub deaf_for: Duration,
    /// The time after that for which a link is still served while the store fails.
    pub stale_for: Duration,
    /// The timeout for a read of the store.
    pub patience: Duration,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self {
            capacity_bytes: 16 << 20,
            fresh_for: Duration::from_mins(1),
            unknown_for: Duration::from_secs(5),
            deaf_for: Duration::from_secs(1),
            stale_for: Duration::from_hours(24),
            patience: Duration::from_secs(2),
        }
    }
}

/// The remembered answer for a slug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// This link has the slug.
    Link(Arc<Link>),
    /// No link has the slug.
    NoLink,
    /// Nothing is remembered: the store has to be asked.
    Nothing,
}

#[derive(Clone, Debug)]
struct Entry {
    link: Option<Arc<Link>>,
    fresh: Fresh,
}

impl Entry {
    /// The answer of an entry that is not over: `Nothing` if the store failed.
    fn recalled(self) -> Recalled {
        match (self.link, self.fresh) {
            (Some(link), _) => Recalled::Link(link),
            (None, Fresh::Stale { .. }) => Recalled::Nothing,
            (None, Fresh::While { .. }) => Recalled::NoLink,
        }
    }
}

impl Resolver {
    /// Creates a resolver with an empty memory.
    pub fn new(
        store: Arc<dyn LinkStore>,
        clock: Arc<dyn Clock>,
        case: SlugCase,
        options: ResolverOptions,
    ) -> Self {
        /// The size of a typical link, to size the map.
        const TYPICAL_BYTES: u64 = 700;
        let items = usize::try_from(options.capacity_bytes / TYPICAL_BYTES).unwrap_or(usize::MAX);
        let cache = Cache::with_weighter(items, options.capacity_bytes, Weight);
        Self {
            store,
            clock,
            case,
            options,
            cache,
            outage: Outage::default(),
            old_links: None,
            hits: Counter::default(),
            misses: Counter::default(),
        }
    }

    /// Returns the contents of the memory, and the hits and misses since the start.
    pub fn numbers(&self) -> ResolverNumbers {
        ResolverNumbers {
            hits: self.hits.get(),
            misses: self.misses.get(),
            entries: self.cache.len(),
            bytes: self.cache.weight(),
        }
    }

    /// Also reads the old store while links are being moved from there.
    #[must_use]
    pub fn with_old_links(mut self, old_links: Option<Arc<OldLinks>>) -> Self {
        self.old_links = old_links;
        self
    }

    /// Finds the link that a visitor means by this slug, expired or not: the link under
    /// the canonical spelling, else the link under the exact spelling (made while slugs
    /// were case-sensitive).
    ///
    /// # Errors
    /// The store or the old store failed, and nothing usable is remembered.
    pub async fn find(&self, slug: &Slug) -> Result<Option<Arc<Link>>, Error> {
        let canonical = self.case.canonical(slug);
        let found = self.find_spelled(&canonical).await;
        if matches!(found, Ok(Some(_))) || canonical.as_ref() == slug {
            return found;
        }
        match (self.find_spelled(slug).await, found) {
            // No link has this spelling, but one may have the canonical spelling: its
            // read failed.
            (Ok(None), Err(error)) => Err(error),
            (spelled, _) => spelled,
        }
    }

    /// Returns the answer that [`Resolver::find`] would give, if it is remembered. Never
    /// waits.
    pub fn recall(&self, slug: &Slug, now: UnixMillis) -> Recalled {
        let hearing = self.store.hearing();
        let canonical = self.case.canonical(slug);
        let recalled = match self.recall_spelled(&canonical, now, hearing) {
            Recalled::NoLink if canonical.as_ref() != slug => {
                self.recall_spelled(slug, now, hearing)
            }
            recalled @ (Recalled::Link(_) | Recalled::NoLink | Recalled::Nothing) => recalled,
        };
        match &recalled {
            Recalled::Link(_) | Recalled::NoLink => self.hits.count(),
            Recalled::Nothing => self.misses.count(),
        }
        recalled
    }

    /// Forgets the entry of a spelling. Called after every change to it.
    pub fn forget(&self, slug: &Slug) {
        // Removing also voids a read of the store that is under way, so an answer from
        // before the change cannot enter the memory after it.
        self.cache.remove(slug);
    }

    /// Reads again if a change overtook the read: the visitor gets the changed link, and it is
    /// in memory if the store fails next. Only once, because a link may change all the time.
    async fn find_spelled(&self, slug: &Slug) -> Result<Option<Arc<Link>>, Error> {
        match self.find_once(slug).await? {
            Found::Current(link) => Ok(link),
            Found::Overtaken(link) => Ok(match self.find_once(slug).await {
                Ok(Found::Current(later) | Found::Overtaken(later)) => later,
                Err(_) => link,
            }),
        }
    }

    async fn find_once(&self, slug: &Slug) -> Result<Found, Error> {
        let now = self.clock.now();
        // Taken before the read, so that a change during the read is not missed.
        let hearing = self.store.hearing();
        // When many visitors miss at once, one reads and the others wait.
        let entry = self.cache.entry_async(slug, |_, entry| {
            if entry.fresh.is_over(now, hearing) {
                EntryAction::ReplaceWithGuard
            } else {
                EntryAction::Retain(entry.clone())
            }
        });
        let refresh = match entry.await {
            EntryResult::Retained(entry) => {
                return match entry.recalled() {
                    Recalled::Link(link) => Ok(Found::Current(Some(link))),
                    Recalled::NoLink => Ok(Found::Current(None)),
                    Recalled::Nothing => Err(outage::failed_a_moment_ago()),
                };
            }
            EntryResult::Vacant(guard) => Refresh::new(guard, None),
            EntryResult::Replaced(guard, outdated) => Refresh::new(guard, Some(outdated)),
            EntryResult::Removed(..) | EntryResult::Timeout => {
                unreachable!("nothing is removed, and nobody set a timeout")
            }
        };
        let found = match self.outage.ask(self.look_up(slug), self).await {
            Ok(found) => found,
            Err(error) => return self.serve_stale(refresh, error).map(Found::Current),
        };
        let subject = Subject {
            is_known: found.link.is_some(),
            may_change_unheard: found.may_change_unheard,
        };
        let fresh = Fresh::read(now, hearing, subject, &self.options);
        let link = found.link.map(Arc::new);
        let is_remembered = refresh.end(Entry {
            link: link.clone(),
            fresh,
        });
        Ok(if is_remembered {
            Found::Current(link)
        } else {
            Found::Overtaken(link)
        })
    }

    /// Returns the answer after the store failed. All visitors who wait for the slug get
    /// it, and all who request the slug within a second.
    fn serve_stale(&self, refresh: Refresh<'_>, error: Error) -> Result<Option<Arc<Link>>, Error> {
        let now = self.clock.now();
        let retry = later(now, Outage::RETRY);
        let outdated = refresh.outdated().and_then(|entry| {
            let useless = entry.fresh.useless_at(now, self.options.stale_for);
            let link = entry.link.clone().filter(|_| now < useless)?;
            Some((link, useless))
        });
        let (link, useless) = outdated.map_or((None, retry), |(link, end)| (Some(link), end));
        let fresh = Fresh::Stale { retry, useless };
        refresh.end(Entry {
            link: link.clone(),
            fresh,
        });
        link.map(Some).ok_or(error)
    }

    fn recall_spelled(&self, slug: &Slug, now: UnixMillis, hearing: Hearing) -> Recalled {
        match self.cache.get(slug) {
            Some(entry) if !entry.fresh.is_over(now, hearing) => entry.recalled(),
            // An outdated entry is kept, to be served if the store fails.
            Some(_) | None => Recalled::Nothing,
        }
    }

    /// For one spelling, the link here takes precedence over the one in the old store.
    async fn look_up(&self, slug: &Slug) -> Result<Stored, Error> {
        let old_links = self.old_links.as_ref().filter(|old| old.may_hold());
        let here = self.store.find(slug).await?;
        match (here, old_links) {
            (None, Some(old_links)) => Ok(Stored {
                link: old_links.find(slug).await?,
                may_change_unheard: true,
            }),
            (link, _) => Ok(Stored {
                link,
                may_change_unheard: false,
            }),
        }
    }
}

impl LinkObserver for Resolver {
    /// Forgets the slug, unless memory has this version or a later one. Announcements
    /// come in the order of the changes, so a later version was read from the store
    /// since.
    fn changed(&self, change: &LinkChange) {
        let remembered = self.cache.peek(&change.slug).and_then(|entry| entry.link);
        let is_known = remembered
            .zip(change.revision)
            .is_some_and(|(link, revision)| link.revision >= revision);
        if !is_known {
            self.forget(&change.slug);
        }
    }
}

fn later(moment: UnixMillis, by: Duration) -> UnixMillis {
    let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
    UnixMillis::new(moment.get().saturating_add(by))
}

/// The link that memory or the store has under a spelling.
enum Found {
    Current(Option<Arc<Link>>),
    /// The slug was forgotten during the read, so this may be from before a change.
    Overtaken(Option<Arc<Link>>),
}

/// The answer of the stores about a spelling.
struct Stored {
    link: Option<Link>,
    /// The store announces no changes of the old store.
    may_change_unheard: bool,
}

/// Weighs entries by their size in bytes.
#[derive(Clone, Debug)]
struct Weight;

impl Weighter<Slug, Entry> for Weight {
    fn weight(&self, slug: &Slug, entry: &Entry) -> u64 {
        /// The map's own share of an entry.
        const IN_MAP: usize = size_of::<(Slug, Entry)>() + 48;
        /// The counters of an `Arc`.
        const COUNTERS: usize = 16;
        let link = entry.link.as_deref().map_or(0, |link| {
            allocated(COUNTERS + size_of::<Link>()) + text_bytes(link)
        });
        u64::try_from(IN_MAP + allocated(slug.as_str().len()) + link).unwrap_or(u64::MAX)
    }
}

/// Returns the size of an allocation in bytes: an allocator rounds up and adds a header.
fn allocated(bytes: usize) -> usize {
    const HEADER: usize = 8;
    const UNIT: usize = 16;
    if bytes == 0 {
        0
    } else {
        (bytes + HEADER).next_multiple_of(UNIT).max(2 * UNIT)
    }
}

fn text_bytes(link: &Link) -> usize {
    /// The sizes of a map's and a list's entry without its text.
    const IN_MAP: usize = 48;
    const IN_LIST: usize = 16;
    let content = &link.content;
    let texts = [link.id.as_str(), link.slug.as_str()]
        .into_iter()
        .chain(link.password.as_ref().map(PasswordHash::as_str))
        .chain(content.texts());
    texts.map(|text| allocated(text.len())).sum::<usize>()
        + IN_MAP * content.routing.geo.len()
        + IN_LIST * content.tags.iter().count()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use slugline_domain::{
        Revision,
        ports::{StoreError, Version},
    };
    use slugline_testkit::{FixedClock, MemoryLinkStore, NOON, NOTE, link, slug};
    use tokio::task::JoinHandle;

    use super::*;

    fn resolver(case: SlugCase) -> (Resolver, Arc<MemoryLinkStore>, Arc<FixedClock>) {
        resolver_of(MemoryLinkStore::default(), case)
    }

    fn resolver_of(
        store: MemoryLinkStore,
        case: SlugCase,
    ) -> (Resolver, Arc<MemoryLinkStore>, Arc<FixedClock>) {
        let store = Arc::new(store);
        let clock = Arc::new(FixedClock::at(NOON));
        let resolver = Resolver::new(
            store.clone(),
            clock.clone(),
            case,
            ResolverOptions::default(),
        );
        (resolver, store, clock)
    }

    async fn id_of(resolver: &Resolver, text: &str) -> Option<String> {
        let found = resolver.find(&slug(text)).await.expect("the store works");
        found.map(|link| link.id.to_string())
    }

    #[tokio::test]
    async fn a_known_link_survives_the_loss_of_the_store_for_a_day() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.break_down();
        assert!(id_of(&resolver, "DOCS").await.is_some());
        for _ in 0..24 {
            clock.advance_seconds(3_600);
            assert!(id_of(&resolver, "docs").await.is_some());
        }
        clock.advance_seconds(60);
        assert!(
            resolver.find(&slug("docs")).await.is_err(),
            "a day after it would have been read again"
        );
        store.recover();
        clock.advance_seconds(1);
        assert!(id_of(&resolver, "docs").await.is_some());
    }

    #[tokio::test]
    async fn a_stale_link_is_read_again_a_second_after_the_store_failed() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        clock.advance_seconds(60);
        store.break_down();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.recover();
        store.delete(&slug("docs"), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        clock.advance_seconds(1);
        assert_eq!(id_of(&resolver, "docs").await, None);
    }

    #[tokio::test]
    async fn a_counting_store_that_fails_leaves_the_link_as_it_was() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.hear(Hearing::Counted(0));
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        clock.advance_seconds(1_000_000);
        store.hear(Hearing::Counted(1));
        store.break_down();
        assert!(id_of(&resolver, "docs").await.is_some());
        clock.advance_seconds(24 * 3_600);
        assert!(resolver.find(&slug("docs")).await.is_err());
    }

    #[tokio::test]
    async fn a_slug_that_nobody_remembers_is_an_error_while_the_store_fails() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        assert_eq!(id_of(&resolver, "docs").await, None);
        store.break_down();
        assert_eq!(id_of(&resolver, "docs").await, None, "it is remembered");
        clock.advance_seconds(5);
        assert!(resolver.find(&slug("docs")).await.is_err());
        store.recover();
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(resolver.find(&slug("docs")).await.is_err(), "for a second");
        assert_eq!(
            resolver.recall(&slug("docs"), clock.now()),
            Recalled::Nothing
        );
        clock.advance_seconds(1);
        assert!(id_of(&resolver, "docs").await.is_some());
    }

    #[tokio::test]
    async fn a_link_under_its_very_spelling_survives_the_loss_of_the_store() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.insert(&link("Old").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "Old").await.is_some());
        store.break_down();
        clock.advance_seconds(60);
        assert!(id_of(&resolver, "Old").await.is_some());
        assert!(resolver.find(&slug("OLD")).await.is_err());
    }

    #[tokio::test]
    async fn what_a_counting_store_said_is_true_until_somebody_else_changes_links() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.hear(Hearing::Counted(0));
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        assert_eq!(id_of(&resolver, "other").await, None);
        store.delete(&slug("docs"), &NOTE).await.unwrap();
        store.insert(&link("other").build(), &NOTE).await.unwrap();
        clock.advance_seconds(1_000_000);
        assert!(id_of(&resolver, "docs").await.is_some());
        assert_eq!(id_of(&resolver, "other").await, None);
        store.hear(Hearing::Counted(1));
        assert_eq!(id_of(&resolver, "docs").await, None);
        assert!(id_of(&resolver, "other").await.is_some());
    }

    fn change(text: &str, revision: Option<i64>) -> LinkChange {
        LinkChange {
            slug: slug(text),
            revision: revision.map(Revision::new),
        }
    }

    #[tokio::test]
    async fn an_announced_change_shows_at_once_also_of_a_slug_that_was_free() {
        let (resolver, store, _) = resolver(SlugCase::Insensitive);
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        assert_eq!(id_of(&resolver, "other").await, None);
        store.delete(&slug("docs"), &NOTE).await.unwrap();
        store.insert(&link("other").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some(), "nobody told");
        assert_eq!(id_of(&resolver, "other").await, None, "nobody told");
        resolver.changed(&change("docs", None));
        resolver.changed(&change("other", Some(0)));
        assert_eq!(id_of(&resolver, "docs").await, None);
        assert!(id_of(&resolver, "other").await.is_some());
    }

    #[tokio::test]
    async fn only_a_version_later_than_the_remembered_one_is_read() {
        let (resolver, store, _) = resolver(SlugCase::Insensitive);
        let mut docs = link("docs").build();
        docs.revision = Revision::new(7);
        store.insert(&docs, &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.delete(&slug("docs"), &NOTE).await.unwrap();
        resolver.changed(&change("docs", Some(6)));
        resolver.changed(&change("docs", Some(7)));
        assert!(id_of(&resolver, "docs").await.is_some(), "still in memory");
        resolver.changed(&change("docs", Some(8)));
        assert_eq!(id_of(&resolver, "docs").await, None);
    }

    #[tokio::test]
    async fn when_announcements_may_be_missing_everything_is_read_again() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        let visible = async |text| match resolver.recall(&slug(text), clock.now()) {
            Recalled::Nothing => Some(id_of(&resolver, text).await),
            Recalled::Link(_) | Recalled::NoLink => None,
        };
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        for hearing in [
            Hearing::Announced(0),
            Hearing::Announced(1),
            Hearing::Deaf,
            Hearing::Announced(2),
        ] {
            store.hear(hearing);
            for (text, is_known) in [("docs", true), ("other", false)] {
                let read = visible(text).await.expect("it is read again");
                assert_eq!(read.is_some(), is_known, "{hearing:?}");
                assert_eq!(visible(text).await, None, "{hearing:?}: once");
            }
        }
    }

    #[tokio::test]
    async fn a_store_that_is_deaf_is_asked_again_after_a_second() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.hear(Hearing::Deaf);
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        assert_eq!(id_of(&resolver, "other").await, None);
        store.delete(&slug("docs"), &NOTE).await.unwrap();
        store.insert(&link("other").build(), &NOTE).await.unwrap();
        clock.advance_seconds(1);
        assert_eq!(id_of(&resolver, "docs").await, None);
        assert!(id_of(&resolver, "other").await.is_some());
    }

    #[tokio::test]
    async fn a_link_survives_that_the_store_is_deaf_and_then_gone() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.hear(Hearing::Deaf);
        store.break_down();
        for _ in 0..24 {
            assert!(id_of(&resolver, "docs").await.is_some());
            clock.advance_seconds(3_600);
        }
        assert!(
            resolver.find(&slug("docs")).await.is_err(),
            "a day after it was outdated"
        );
        store.recover();
        clock.advance_seconds(1);
        assert!(id_of(&resolver, "docs").await.is_some());
    }

    #[tokio::test]
    async fn an_unknown_slug_is_remembered_briefly_and_forgotten_on_demand() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        assert_eq!(id_of(&resolver, "docs").await, None);
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        assert_eq!(id_of(&resolver, "docs").await, None);
        clock.advance_seconds(5);
        assert!(id_of(&resolver, "docs").await.is_some());

        assert_eq!(id_of(&resolver, "other").await, None);
        store.insert(&link("other").build(), &NOTE).await.unwrap();
        resolver.forget(&slug("other"));
        assert!(id_of(&resolver, "other").await.is_some());
    }

    #[tokio::test]
    async fn the_canonical_spelling_is_tried_first_then_the_very_one() {
        let (resolver, store, _) = resolver(SlugCase::Insensitive);
        store
            .insert(&link("Old").id("kept").build(), &NOTE)
            .await
            .unwrap();
        store
            .insert(&link("Both").id("upper").build(), &NOTE)
            .await
            .unwrap();
        store
            .insert(&link("both").id("lower").build(), &NOTE)
            .await
            .unwrap();
        assert_eq!(id_of(&resolver, "Old").await.as_deref(), Some("kept"));
        assert_eq!(id_of(&resolver, "old").await, None);
        assert_eq!(id_of(&resolver, "Both").await.as_deref(), Some("lower"));
    }

    #[tokio::test]
    async fn case_sensitive_slugs_are_told_apart() {
        let (resolver, store, _) = resolver(SlugCase::Sensitive);
        store
            .insert(&link("Both").id("upper").build(), &NOTE)
            .await
            .unwrap();
        store
            .insert(&link("both").id("lower").build(), &NOTE)
            .await
            .unwrap();
        assert_eq!(id_of(&resolver, "Both").await.as_deref(), Some("upper"));
        assert_eq!(id_of(&resolver, "both").await.as_deref(), Some("lower"));
    }

    #[tokio::test]
    async fn memory_stays_bounded_whatever_is_asked_for() {
        let store = Arc::new(MemoryLinkStore::default());
        let clock = Arc::new(FixedClock::at(NOON));
        let options = ResolverOptions {
            capacity_bytes: 10_000,
            ..ResolverOptions::default()
        };
        let resolver = Resolver::new(store, clock, SlugCase::Insensitive, options);
        for i in 0..2_000 {
            assert_eq!(id_of(&resolver, &format!("guess-{i}")).await, None);
        }
        assert!(
            resolver.cache.weight() <= 10_000,
            "{}",
            resolver.cache.weight()
        );
    }

    /// A store whose `find` waits until the test releases it.
    #[derive(Debug)]
    struct SlowStore {
        inner: MemoryLinkStore,
        finds: AtomicUsize,
        asked: tokio::sync::Notify,
        go: tokio::sync::Notify,
    }

    impl SlowStore {
        fn new() -> Arc<Self> {
            Arc::new(Self {
                inner: MemoryLinkStore::default(),
                finds: AtomicUsize::new(0),
                asked: tokio::sync::Notify::new(),
                go: tokio::sync::Notify::new(),
            })
        }

        fn finds(&self) -> usize {
            self.finds.load(Ordering::Relaxed)
        }
    }

    #[async_trait::async_trait]
    impl LinkStore for SlowStore {
        async fn insert(
            &self,
            link: &Link,
            note: &slugline_domain::AuditNote,
        ) -> Result<slugline_domain::ports::Insertion, StoreError> {
            self.inner.insert(link, note).await
        }
        async fn insert_many(
            &self,
            links: &[Link],
            note: &slugline_domain::AuditNote,
        ) -> Result<Vec<slugline_domain::ports::Insertion>, StoreError> {
            self.inner.insert_many(links, note).await
        }
        async fn search(
            &self,
            filter: &slugline_domain::LinkFilter,
            now: slugline_domain::UnixSeconds,
            limit: u32,
        ) -> Result<Vec<Link>, StoreError> {
            self.inner.search(filter, now, limit).await
        }
        async fn count(
            &self,
            filter: &slugline_domain::LinkFilter,
            now: slugline_domain::UnixSeconds,
        ) -> Result<u64, StoreError> {
            self.inner.count(filter, now).await
        }
        async fn tags(&self) -> Result<Vec<slugline_domain::TagCount>, StoreError> {
            self.inner.tags().await
        }
        async fn tagged(
            &self,
            tags: &std::collections::BTreeSet<slugline_domain::Tag>,
            limit: u32,
        ) -> Result<std::collections::BTreeSet<slugline_domain::LinkId>, StoreError> {
            self.inner.tagged(tags, limit).await
        }
        async fn update(
            &self,
            link: &Link,
            known: &slugline_domain::ports::Version,
            note: &slugline_domain::AuditNote,
        ) -> Result<slugline_domain::ports::Update, StoreError> {
            self.inner.update(link, known, note).await
        }
        async fn find(&self, slug: &Slug) -> Result<Option<Link>, StoreError> {
            self.finds.fetch_add(1, Ordering::Relaxed);
            let answer = self.inner.find(slug).await;
            self.asked.notify_one();
            self.go.notified().await;
            answer
        }
        async fn list(&self, query: &slugline_domain::ListQuery) -> Result<Vec<Link>, StoreError> {
            self.inner.list(query).await
        }
        async fn delete(
            &self,
            slug: &Slug,
            note: &slugline_domain::AuditNote,
        ) -> Result<Option<Link>, StoreError> {
            self.inner.delete(slug, note).await
        }
        async fn delete_version(
            &self,
            slug: &Slug,
            known: &slugline_domain::ports::Version,
            note: &slugline_domain::AuditNote,
        ) -> Result<slugline_domain::ports::Deletion, StoreError> {
            self.inner.delete_version(slug, known, note).await
        }
        async fn ping(&self) -> Result<(), StoreError> {
            self.inner.ping().await
        }
        fn hearing(&self) -> Hearing {
            self.inner.hearing()
        }
    }

    /// Begins a look-up on a task of its own.
    fn find_docs(resolver: &Arc<Resolver>) -> JoinHandle<Result<Option<Arc<Link>>, Error>> {
        let resolver = Arc::clone(resolver);
        tokio::spawn(async move { resolver.find(&slug("docs")).await })
    }

    fn slow_resolver(patience: Duration) -> (Arc<Resolver>, Arc<SlowStore>, Arc<FixedClock>) {
        let store = SlowStore::new();
        let clock = Arc::new(FixedClock::at(NOON));
        let options = ResolverOptions {
            patience,
            ..ResolverOptions::default()
        };
        let case = SlugCase::Insensitive;
        let resolver = Resolver::new(store.clone(), clock.clone(), case, options);
        (Arc::new(resolver), store, clock)
    }

    #[tokio::test]
    async fn one_visitor_waits_for_a_silent_store_and_all_share_what_comes_of_it() {
        let (resolver, store, clock) = slow_resolver(Duration::from_millis(100));
        for text in ["docs", "other"] {
            store.insert(&link(text).build(), &NOTE).await.unwrap();
            store.go.notify_one();
            assert!(id_of(&resolver, text).await.is_some());
        }
        clock.advance_seconds(60);
        let asked_before = store.finds();
        let visitors: Vec<_> = (0..20)
            .map(|_| {
                let resolver = Arc::clone(&resolver);
                tokio::spawn(async move { id_of(&resolver, "docs").await })
            })
            .collect();
        for visitor in visitors {
            assert!(visitor.await.unwrap().is_some());
        }
        assert_eq!(store.finds(), asked_before + 1);
        assert!(id_of(&resolver, "other").await.is_some());
        for i in 0..20 {
            assert!(resolver.find(&slug(&format!("guess-{i}"))).await.is_err());
        }
        assert_eq!(store.finds(), asked_before + 1, "nobody else asked");

        clock.advance_seconds(1);
        store.go.notify_one();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.go.notify_one();
        assert!(id_of(&resolver, "other").await.is_some());
        assert_eq!(store.finds(), asked_before + 3, "it answers again");
    }

    #[tokio::test]
    async fn a_visitor_who_hangs_up_takes_no_stale_link_along() {
        let (resolver, store, clock) = slow_resolver(Duration::from_secs(30));
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        store.go.notify_one();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.asked.notified().await;
        clock.advance_seconds(60);
        let visitor = tokio::spawn({
            let resolver = Arc::clone(&resolver);
            async move { id_of(&resolver, "docs").await }
        });
        store.asked.notified().await;
        visitor.abort();
        assert!(visitor.await.unwrap_err().is_cancelled());
        store.inner.break_down();
        store.go.notify_one();
        assert!(id_of(&resolver, "docs").await.is_some());
    }

    #[tokio::test]
    async fn a_read_overtaken_by_an_announcement_is_repeated() {
        let (resolver, store, _) = slow_resolver(Duration::from_secs(30));
        let old = link("docs").build();
        store.insert(&old, &NOTE).await.unwrap();
        let reader = find_docs(&resolver);
        store.asked.notified().await;
        let new = Link {
            revision: old.revision.next(),
            ..old.clone()
        };
        store.update(&new, &Version::of(&old), &NOTE).await.unwrap();
        resolver.changed(&change("docs", Some(new.revision.get())));
        store.go.notify_one();
        store.asked.notified().await;
        store.go.notify_one();
        let answered = reader.await.unwrap().unwrap().unwrap();
        assert_eq!(answered.revision, new.revision, "read again");
        assert_eq!(store.finds(), 2);
        let later = resolver.find(&slug("docs")).await.unwrap().unwrap();
        assert_eq!(later.revision, new.revision);
        assert_eq!(store.finds(), 2, "remembered");
    }

    #[tokio::test]
    async fn a_read_that_changes_keep_overtaking_is_repeated_once() {
        let (resolver, store, clock) = slow_resolver(Duration::from_secs(30));
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        let reader = find_docs(&resolver);
        for _ in 0..2 {
            store.asked.notified().await;
            resolver.forget(&slug("docs"));
            store.go.notify_one();
        }
        assert!(reader.await.unwrap().unwrap().is_some());
        assert_eq!(store.finds(), 2);
        let remembered = resolver.recall(&slug("docs"), clock.now());
        assert_eq!(remembered, Recalled::Nothing);
    }

    #[tokio::test]
    async fn an_overtaken_read_is_the_answer_if_the_store_fails_then() {
        let (resolver, store, _) = slow_resolver(Duration::from_secs(30));
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        let reader = find_docs(&resolver);
        store.asked.notified().await;
        store.inner.break_down();
        resolver.forget(&slug("docs"));
        store.go.notify_one();
        store.asked.notified().await;
        store.go.notify_one();
        assert!(reader.await.unwrap().unwrap().is_some());
    }

    #[tokio::test]
    async fn a_read_overtaken_by_a_change_is_repeated() {
        let (resolver, store, _) = slow_resolver(Duration::from_secs(30));
        store.insert(&link("docs").build(), &NOTE).await.unwrap();
        let reader = find_docs(&resolver);
        store.asked.notified().await;
        store.delete(&slug("docs"), &NOTE).await.unwrap();
        resolver.forget(&slug("docs"));
        store.go.notify_one();
        store.asked.notified().await;
        store.go.notify_one();
        assert_eq!(reader.await.unwrap().unwrap(), None);
        assert_eq!(id_of(&resolver, "docs").await, None);
        assert_eq!(store.finds(), 2, "remembered");
    }
}
