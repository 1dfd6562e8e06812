//! Slug → link on the redirect path: look-up, cache, invalidation.

use std::{sync::Arc, time::Duration};

use quick_cache::{Weighter, sync::Cache};
use slugline_domain::{
    Comment, Description, Destination, ImageRef, Link, PasswordHash, Slug, SlugCase, Tag, Title,
    UnixMillis,
    ports::{Clock, LinkStore},
};

use crate::{Error, OldLinks};

/// Finds the link a visitor asks for, from memory when it can.
///
/// A hit takes one look-up in a sharded map and one reference count: nothing
/// is awaited, and nothing is allocated for a slug in lower case. Unknown slugs
/// are remembered too, briefly, so that guessing costs the store little.
#[derive(Debug)]
pub struct Resolver {
    store: Arc<dyn LinkStore>,
    clock: Arc<dyn Clock>,
    case: SlugCase,
    options: ResolverOptions,
    cache: Cache<Slug, Entry, Weight>,
    old_links: Option<Arc<OldLinks>>,
}

/// Bounds of the resolver's memory.
#[derive(Clone, Copy, Debug)]
pub struct ResolverOptions {
    /// Bytes of links kept, roughly.
    pub capacity_bytes: u64,
    /// How long a link is served from memory before it is read again, if the
    /// store does not notice changes by others. Changes made through this
    /// process show at once; this bounds how late those of another node show.
    pub fresh_for: Duration,
    /// The same for slugs that no link has.
    pub unknown_for: Duration,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self {
            capacity_bytes: 16 << 20,
            fresh_for: Duration::from_mins(1),
            unknown_for: Duration::from_secs(5),
        }
    }
}

/// The memory of a slug.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Recalled {
    /// This link has it.
    Link(Arc<Link>),
    /// No link has it.
    NoLink,
    /// Nothing: the store has to be asked.
    Nothing,
}

#[derive(Clone, Debug)]
struct Entry {
    link: Option<Arc<Link>>,
    fresh: Fresh,
}

/// The end of an entry, unless its slug is forgotten before.
#[derive(Clone, Copy, Debug)]
enum Fresh {
    /// As long as [`LinkStore::unnoticed_changes`] says this.
    WhileUnnoticedAre(u64),
    Until(UnixMillis),
}

impl Fresh {
    fn is_over(self, now: UnixMillis, unnoticed_changes: Option<u64>) -> bool {
        match self {
            Self::WhileUnnoticedAre(then) => unnoticed_changes != Some(then),
            Self::Until(end) => end <= now,
        }
    }
}

impl Resolver {
    /// A resolver with an empty memory.
    pub fn new(
        store: Arc<dyn LinkStore>,
        clock: Arc<dyn Clock>,
        case: SlugCase,
        options: ResolverOptions,
    ) -> Self {
        /// What a typical link weighs, to size the map.
        const TYPICAL_BYTES: u64 = 700;
        let items = usize::try_from(options.capacity_bytes / TYPICAL_BYTES).unwrap_or(usize::MAX);
        let cache = Cache::with_weighter(items, options.capacity_bytes, Weight);
        Self {
            store,
            clock,
            case,
            options,
            cache,
            old_links: None,
        }
    }

    /// Looks into the old store, too, while links are being moved from there.
    #[must_use]
    pub fn with_old_links(mut self, old_links: Option<Arc<OldLinks>>) -> Self {
        self.old_links = old_links;
        self
    }

    /// The link a visitor means by this slug, expired or not: the one stored
    /// under the canonical spelling, else one stored under the very spelling
    /// (made while slugs were case-sensitive).
    ///
    /// # Errors
    /// The store failed, or the old one.
    pub async fn find(&self, slug: &Slug) -> Result<Option<Arc<Link>>, Error> {
        let canonical = self.case.canonical(slug);
        let found = self.find_spelled(&canonical).await?;
        if found.is_some() || canonical.as_ref() == slug {
            return Ok(found);
        }
        self.find_spelled(slug).await
    }

    /// Gives what [`Resolver::find`] would give, if that is remembered; never
    /// waits.
    pub fn recall(&self, slug: &Slug, now: UnixMillis) -> Recalled {
        let changes = self.store.unnoticed_changes();
        let canonical = self.case.canonical(slug);
        match self.recall_spelled(&canonical, now, changes) {
            Recalled::NoLink if canonical.as_ref() != slug => {
                self.recall_spelled(slug, now, changes)
            }
            recalled @ (Recalled::Link(_) | Recalled::NoLink | Recalled::Nothing) => recalled,
        }
    }

    /// Forgets what is known of a spelling. Called after every change to it.
    pub fn forget(&self, slug: &Slug) {
        // Removing also voids a read of the store that is under way, so an
        // answer from before the change cannot enter the memory after it.
        self.cache.remove(slug);
    }

    async fn find_spelled(&self, slug: &Slug) -> Result<Option<Arc<Link>>, Error> {
        let now = self.clock.now();
        // Before anything is read, so that a change in between is not missed.
        let changes = self.store.unnoticed_changes();
        match self.recall_spelled(slug, now, changes) {
            Recalled::Link(link) => return Ok(Some(link)),
            Recalled::NoLink => return Ok(None),
            Recalled::Nothing => {}
        }
        // Of many visitors who miss at once, one reads and the others wait.
        match self.cache.get_value_or_guard_async(slug).await {
            Ok(entry) => Ok(entry.link),
            Err(guard) => {
                let found = self.look_up(slug).await?;
                let fresh = match changes {
                    Some(changes) if !found.may_change_unnoticed => {
                        Fresh::WhileUnnoticedAre(changes)
                    }
                    Some(_) | None => Fresh::Until(self.stale_at(now, found.link.is_some())),
                };
                let link = found.link.map(Arc::new);
                // Refused when somebody forgot the slug meanwhile.
                let _ = guard.insert(Entry {
                    link: link.clone(),
                    fresh,
                });
                Ok(link)
            }
        }
    }

    fn recall_spelled(&self, slug: &Slug, now: UnixMillis, changes: Option<u64>) -> Recalled {
        let Some(entry) = self.cache.get(slug) else {
            return Recalled::Nothing;
        };
        if entry.fresh.is_over(now, changes) {
            let is_over = |entry: &Entry| entry.fresh.is_over(now, changes);
            self.cache.remove_if(slug, is_over);
            return Recalled::Nothing;
        }
        entry.link.map_or(Recalled::NoLink, Recalled::Link)
    }

    fn stale_at(&self, now: UnixMillis, known: bool) -> UnixMillis {
        let lifetime = if known {
            self.options.fresh_for
        } else {
            self.options.unknown_for
        };
        let lifetime_ms = i64::try_from(lifetime.as_millis()).unwrap_or(i64::MAX);
        UnixMillis::new(now.get().saturating_add(lifetime_ms))
    }

    /// Of one spelling, the link here goes before the one in the old store.
    async fn look_up(&self, slug: &Slug) -> Result<Found, Error> {
        let old_links = self.old_links.as_ref().filter(|old| old.may_hold());
        let here = self.store.find(slug).await?;
        match (here, old_links) {
            (None, Some(old_links)) => Ok(Found {
                link: old_links.find(slug).await?,
                may_change_unnoticed: true,
            }),
            (link, _) => Ok(Found {
                link,
                may_change_unnoticed: false,
            }),
        }
    }
}

/// The answer of the stores about a spelling.
struct Found {
    link: Option<Link>,
    /// Nobody notices changes of the old store.
    may_change_unnoticed: bool,
}

/// Weighs entries by the bytes they take.
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

/// Bytes that an allocation takes: an allocator rounds up and adds a header.
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
    /// What a map or a list takes for each entry beside its text.
    const IN_MAP: usize = 48;
    const IN_LIST: usize = 16;
    let content = &link.content;
    let (preview, routing) = (&content.preview, &content.routing);
    let optional = [
        content.comment.as_ref().map(Comment::as_str),
        preview.title.as_ref().map(Title::as_str),
        preview.description.as_ref().map(Description::as_str),
        preview.image.as_ref().map(ImageRef::as_str),
        routing.apple.as_ref().map(Destination::as_str),
        routing.google.as_ref().map(Destination::as_str),
        link.password.as_ref().map(PasswordHash::as_str),
    ];
    let always = [
        link.id.as_str(),
        link.slug.as_str(),
        content.destination.as_str(),
    ];
    let texts = always.into_iter().chain(optional.into_iter().flatten());
    let by_country = routing.geo.values().map(Destination::as_str);
    let tags = content.tags.iter().map(Tag::as_str);
    texts.map(|text| allocated(text.len())).sum::<usize>()
        + by_country
            .map(|text| IN_MAP + allocated(text.len()))
            .sum::<usize>()
        + tags
            .map(|text| IN_LIST + allocated(text.len()))
            .sum::<usize>()
}

#[cfg(test)]
mod tests {
    use slugline_domain::ports::StoreError;
    use slugline_testkit::{FixedClock, MemoryLinkStore, NOON, link, slug};

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
    async fn a_known_link_survives_the_loss_of_the_store() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        store.insert(&link("docs").build(), NOON).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        store.break_down();
        assert!(id_of(&resolver, "DOCS").await.is_some());
        clock.advance_seconds(60);
        assert!(
            resolver.find(&slug("docs")).await.is_err(),
            "it is read again after a minute"
        );
    }

    #[tokio::test]
    async fn what_a_watched_store_said_is_true_until_somebody_else_changes_links() {
        let (resolver, store, clock) =
            resolver_of(MemoryLinkStore::watched(), SlugCase::Insensitive);
        store.insert(&link("docs").build(), NOON).await.unwrap();
        assert!(id_of(&resolver, "docs").await.is_some());
        assert_eq!(id_of(&resolver, "other").await, None);
        store.delete(&slug("docs")).await.unwrap();
        store.insert(&link("other").build(), NOON).await.unwrap();
        clock.advance_seconds(1_000_000);
        assert!(id_of(&resolver, "docs").await.is_some());
        assert_eq!(id_of(&resolver, "other").await, None);
        store.count_unnoticed_change();
        assert_eq!(id_of(&resolver, "docs").await, None);
        assert!(id_of(&resolver, "other").await.is_some());
    }

    #[tokio::test]
    async fn an_unknown_slug_is_remembered_briefly_and_forgotten_on_demand() {
        let (resolver, store, clock) = resolver(SlugCase::Insensitive);
        assert_eq!(id_of(&resolver, "docs").await, None);
        store.insert(&link("docs").build(), NOON).await.unwrap();
        assert_eq!(id_of(&resolver, "docs").await, None);
        clock.advance_seconds(5);
        assert!(id_of(&resolver, "docs").await.is_some());

        assert_eq!(id_of(&resolver, "other").await, None);
        store.insert(&link("other").build(), NOON).await.unwrap();
        resolver.forget(&slug("other"));
        assert!(id_of(&resolver, "other").await.is_some());
    }

    #[tokio::test]
    async fn the_canonical_spelling_is_tried_first_then_the_very_one() {
        let (resolver, store, _) = resolver(SlugCase::Insensitive);
        store
            .insert(&link("Old").id("kept").build(), NOON)
            .await
            .unwrap();
        store
            .insert(&link("Both").id("upper").build(), NOON)
            .await
            .unwrap();
        store
            .insert(&link("both").id("lower").build(), NOON)
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
            .insert(&link("Both").id("upper").build(), NOON)
            .await
            .unwrap();
        store
            .insert(&link("both").id("lower").build(), NOON)
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

    /// A store whose answer to `find` is held back until the test lets it go.
    #[derive(Debug)]
    struct SlowStore {
        inner: MemoryLinkStore,
        asked: tokio::sync::Notify,
        go: tokio::sync::Notify,
    }

    #[async_trait::async_trait]
    impl LinkStore for SlowStore {
        async fn insert(
            &self,
            link: &Link,
            now: slugline_domain::UnixSeconds,
        ) -> Result<slugline_domain::ports::Insertion, StoreError> {
            self.inner.insert(link, now).await
        }
        async fn insert_many(
            &self,
            links: &[Link],
            now: slugline_domain::UnixSeconds,
        ) -> Result<Vec<slugline_domain::ports::Insertion>, StoreError> {
            self.inner.insert_many(links, now).await
        }
        async fn search(
            &self,
            filter: &slugline_domain::LinkFilter,
            limit: u32,
        ) -> Result<Vec<Link>, StoreError> {
            self.inner.search(filter, limit).await
        }
        async fn count(&self, filter: &slugline_domain::LinkFilter) -> Result<u64, StoreError> {
            self.inner.count(filter).await
        }
        async fn tags(&self) -> Result<Vec<slugline_domain::TagCount>, StoreError> {
            self.inner.tags().await
        }
        async fn update(
            &self,
            link: &Link,
            known: &slugline_domain::ports::Version,
        ) -> Result<slugline_domain::ports::Update, StoreError> {
            self.inner.update(link, known).await
        }
        async fn find(&self, slug: &Slug) -> Result<Option<Link>, StoreError> {
            let answer = self.inner.find(slug).await;
            self.asked.notify_one();
            self.go.notified().await;
            answer
        }
        async fn list(&self, query: &slugline_domain::ListQuery) -> Result<Vec<Link>, StoreError> {
            self.inner.list(query).await
        }
        async fn delete(&self, slug: &Slug) -> Result<Option<Link>, StoreError> {
            self.inner.delete(slug).await
        }
        async fn ping(&self) -> Result<(), StoreError> {
            self.inner.ping().await
        }
        fn unnoticed_changes(&self) -> Option<u64> {
            self.inner.unnoticed_changes()
        }
    }

    #[tokio::test]
    async fn a_read_overtaken_by_a_change_is_not_remembered() {
        let store = Arc::new(SlowStore {
            inner: MemoryLinkStore::default(),
            asked: tokio::sync::Notify::new(),
            go: tokio::sync::Notify::new(),
        });
        store.insert(&link("docs").build(), NOON).await.unwrap();
        let clock = Arc::new(FixedClock::at(NOON));
        let resolver = Arc::new(Resolver::new(
            store.clone(),
            clock,
            SlugCase::Insensitive,
            ResolverOptions::default(),
        ));
        let reader = tokio::spawn({
            let resolver = Arc::clone(&resolver);
            async move { resolver.find(&slug("docs")).await }
        });
        store.asked.notified().await;
        store.delete(&slug("docs")).await.unwrap();
        resolver.forget(&slug("docs"));
        store.go.notify_one();
        assert!(
            reader.await.unwrap().unwrap().is_some(),
            "the overtaken read itself may answer"
        );
        store.go.notify_one();
        assert_eq!(
            id_of(&resolver, "docs").await,
            None,
            "but nothing later may"
        );
    }
}
