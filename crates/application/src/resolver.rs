//! Key → link on the redirect path: look-up, cache, invalidation, outages.

mod entry;
mod freshness;
mod outage;
#[cfg(test)]
mod tests;
mod visits;

use std::sync::Arc;

use quick_cache::sync::{Cache, EntryAction, EntryResult};
use slugline_domain::{
    AuditNote, FollowedLink, LinkKey, UnixMillis,
    measure::Counter,
    ports::{ChangeObserver, Clock, Hearing, LinkChange, LinkObserver, LinkStore},
};

pub use self::entry::Recalled;
pub use self::freshness::{ResolverNumbers, ResolverOptions};
use self::{
    entry::{Entry, Key, Keys, Refresh, Weight},
    freshness::{Fresh, Subject},
    outage::Outage,
};
use crate::{error::Error, migration::OldLinks, named_domains::NamedDomains};

/// Finds the link for a visitor's key, from memory if possible.
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
    domains: NamedDomains,
    options: ResolverOptions,
    keys: Keys,
    cache: Cache<Key, Entry, Weight>,
    outage: Outage,
    /// Of counted visits. A queue of them says nothing about reads.
    counting: Outage,
    /// The old store, from which links are being moved.
    pub old_links: Option<Arc<OldLinks>>,
    /// Hears of the changes that are announced here.
    pub observer: Option<Arc<dyn ChangeObserver>>,
    hits: Counter,
    misses: Counter,
}

impl Resolver {
    /// Creates a resolver with an empty memory.
    pub fn new(
        store: Arc<dyn LinkStore>,
        clock: Arc<dyn Clock>,
        domains: NamedDomains,
        options: ResolverOptions,
    ) -> Self {
        /// The size of a typical link, to size the map.
        const TYPICAL_BYTES: u64 = 240;
        let items = usize::try_from(options.capacity_bytes / TYPICAL_BYTES).unwrap_or(usize::MAX);
        let cache = Cache::with_weighter(items, options.capacity_bytes, Weight);
        Self {
            store,
            clock,
            domains,
            options,
            keys: Keys::default(),
            cache,
            outage: Outage::default(),
            counting: Outage::default(),
            old_links: None,
            observer: None,
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

    /// The domains whose rules this follows.
    pub fn domains(&self) -> &NamedDomains {
        &self.domains
    }

    /// Finds the link that a visitor means by this key, expired or not: the link under
    /// the canonical spelling, else the link under the exact spelling (made while slugs
    /// were case-sensitive), else that of the default domain if this one falls through to it.
    ///
    /// # Errors
    /// The store or the old store failed, and nothing usable is remembered.
    pub async fn find(&self, key: &LinkKey) -> Result<Option<Arc<FollowedLink>>, Error> {
        let found = self.find_in_domain(key).await;
        if matches!(found, Ok(None))
            && let Some(default) = self.fallen_through(key)
        {
            return self.find_in_domain(&default).await;
        }
        found
    }

    async fn find_in_domain(&self, key: &LinkKey) -> Result<Option<Arc<FollowedLink>>, Error> {
        let canonical = self.domains.canonical(key);
        let found = self.find_spelled(&canonical).await;
        if matches!(found, Ok(Some(_))) || canonical.as_ref() == key {
            return found;
        }
        match (self.find_spelled(key).await, found) {
            // No link has this spelling, but one may have the canonical spelling: its
            // read failed.
            (Ok(None), Err(error)) => Err(error),
            (spelled, _) => spelled,
        }
    }

    /// Returns the answer that [`Resolver::find`] would give, if it is remembered. Never
    /// waits.
    pub fn recall(&self, key: &LinkKey, now: UnixMillis) -> Recalled {
        let hearing = self.store.hearing();
        let recalled = match self.recall_in_domain(key, now, hearing) {
            Recalled::NoLink => match self.fallen_through(key) {
                Some(default) => self.recall_in_domain(&default, now, hearing),
                None => Recalled::NoLink,
            },
            recalled @ (Recalled::Link(_) | Recalled::Nothing) => recalled,
        };
        match &recalled {
            Recalled::Link(_) | Recalled::NoLink => self.hits.count(),
            Recalled::Nothing => self.misses.count(),
        }
        recalled
    }

    fn recall_in_domain(&self, key: &LinkKey, now: UnixMillis, hearing: Hearing) -> Recalled {
        let canonical = self.domains.canonical(key);
        match self.recall_spelled(&canonical, now, hearing) {
            Recalled::NoLink if canonical.as_ref() != key => self.recall_spelled(key, now, hearing),
            recalled @ (Recalled::Link(_) | Recalled::NoLink | Recalled::Nothing) => recalled,
        }
    }

    /// The key in the default domain, if this key's domain falls through to it.
    fn fallen_through(&self, key: &LinkKey) -> Option<LinkKey> {
        let falls = self.domains.falls_through(&key.domain);
        falls.then(|| key.slug.clone().into())
    }

    /// Announces what came of a change of a link by this process: visitors meet what the store has
    /// now, and the observer hears of the change if it is stored. Called after every change, also
    /// after an error: the store may have made the change before it failed.
    pub fn announce(&self, key: &LinkKey, note: &AuditNote, is_stored: bool) {
        self.forget(key);
        if is_stored {
            // A node that writes can read: visitors of unknown slugs wait no longer than writers.
            self.outage.end();
            if let Some(observer) = &self.observer {
                observer.changed(note, key);
            }
        }
    }

    /// Forgets the entry of a spelling.
    fn forget(&self, key: &LinkKey) {
        // Removing also voids a read of the store that is under way, so an answer from
        // before the change cannot enter the memory after it.
        self.cache.remove(&self.keys.of(key));
    }

    /// Reads again if a change overtook the read: the visitor gets the changed link, and it is
    /// in memory if the store fails next. Only once, because a link may change all the time.
    async fn find_spelled(&self, key: &LinkKey) -> Result<Option<Arc<FollowedLink>>, Error> {
        match self.find_once(key).await? {
            Found::Current(link) => Ok(link),
            Found::Overtaken(link) => Ok(match self.find_once(key).await {
                Ok(Found::Current(later) | Found::Overtaken(later)) => later,
                Err(_) => link,
            }),
        }
    }

    async fn find_once(&self, key: &LinkKey) -> Result<Found, Error> {
        let now = self.clock.now();
        // Taken before the read, so that a change during the read is not missed.
        let hearing = self.store.hearing();
        // When many visitors miss at once, one reads and the others wait.
        let digest = self.keys.of(key);
        let entry = self.cache.entry_async(&digest, |_, entry| {
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
        let found = match self
            .outage
            .ask(self.look_up(key), &*self.clock, self.options.read_timeout)
            .await
        {
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
    fn serve_stale(
        &self,
        refresh: Refresh<'_>,
        error: Error,
    ) -> Result<Option<Arc<FollowedLink>>, Error> {
        let now = self.clock.now();
        let retry = now.later(Outage::RETRY);
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

    fn recall_spelled(&self, key: &LinkKey, now: UnixMillis, hearing: Hearing) -> Recalled {
        match self.cache.get(&self.keys.of(key)) {
            Some(entry) if !entry.fresh.is_over(now, hearing) => entry.recalled(),
            // An outdated entry is kept, to be served if the store fails.
            Some(_) | None => Recalled::Nothing,
        }
    }

    /// For one spelling, the link here takes precedence over the one in the old store.
    async fn look_up(&self, key: &LinkKey) -> Result<Stored, Error> {
        // An older instance had one domain.
        let old_links = self.old_links.as_ref().filter(|_| key.domain.is_default());
        let old_links = old_links.filter(|old| old.may_hold());
        let here = self.store.follow(key).await?;
        match (here, old_links) {
            (None, Some(old_links)) => Ok(Stored {
                link: old_links.find(&key.slug).await?.map(FollowedLink::from),
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
        let remembered = self
            .cache
            .peek(&self.keys.of(&change.key))
            .and_then(|entry| entry.link);
        let is_known = remembered
            .zip(change.revision)
            .is_some_and(|(link, revision)| link.revision >= revision);
        if !is_known {
            self.forget(&change.key);
        }
    }
}

/// The link that memory or the store has under a spelling.
enum Found {
    Current(Option<Arc<FollowedLink>>),
    /// The slug was forgotten during the read, so this may be from before a change.
    Overtaken(Option<Arc<FollowedLink>>),
}

/// The answer of the stores about a spelling.
struct Stored {
    link: Option<FollowedLink>,
    /// The store announces no changes of the old store.
    may_change_unheard: bool,
}
