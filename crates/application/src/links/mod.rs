//! The operations on links: one file each.

mod batch;
mod check;
mod create;
mod delete;
mod draft;
mod edit;
mod explain;
mod history;
mod import;
mod list;
mod places;
mod reader;
mod rehearsal;
mod repeat;
mod restore;
mod screen;
mod writer;

use std::sync::Arc;

use slugline_domain::{
    BaseUrl, OwnAddresses, UnixMillis, UnixSeconds,
    history::LinkHistory,
    ports::{Clock, DestinationScreen, Hearing, LinkStore, Random, WatchStore},
    routing::KnownPlaces,
};

pub(crate) use self::reader::find_spelled;
pub use self::{
    batch::{BatchAction, BatchChange, BatchOutcome, BatchReport, BatchResult, BatchScope},
    check::{CheckLinks, CheckScope, CheckedLink, CheckedPage, LinkChecker},
    create::{CreateTerms, Created},
    draft::{ImportLink, LinkDraft, NewLink},
    edit::{EditLink, EditedLink},
    explain::LinkToExplain,
    history::{ListTrash, TrashPage, WhichLink},
    import::{ImportOutcome, ImportedLink},
    list::{ExportPage, LinkPage, ListLinks, MAX_TAGGED},
    reader::{LinkReader, LinkStates},
    rehearsal::Rehearsal,
    repeat::Asked,
    restore::RestoreLink,
    writer::{LinkWriter, Precondition},
};
use crate::{
    access::{Access, PreviewMode},
    budgets::WriteBudget,
    error::Error,
    migration::MigrationLock,
    named_domains::NamedDomains,
    passwords::Passwords,
    resolver::{Resolver, ResolverOptions},
};

/// The use cases of links. [`LinkService::seen_by`] and [`LinkService::by`] give them to a caller.
#[derive(Clone, Debug)]
pub struct LinkService {
    parts: Arc<LinkServiceParts>,
    own_addresses: OwnAddresses,
}

/// The dependencies of the use cases of links.
#[derive(Debug)]
pub struct LinkServiceParts {
    /// Stores links.
    pub store: Arc<dyn LinkStore>,
    /// Keeps former versions; the store writes them.
    pub history: Arc<dyn LinkHistory>,
    /// The cache that must forget a link after each change.
    pub resolver: Arc<Resolver>,
    /// Hashes passwords.
    pub passwords: Arc<Passwords>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Makes slugs and identifiers.
    pub random: Arc<dyn Random>,
    /// Screens destinations if the author does not say whether they are safe; `None` if
    /// the instance has no screen.
    pub screen: Option<Arc<dyn DestinationScreen>>,
    /// The length of a generated slug in characters, before any lengthening.
    pub generated_chars: usize,
    /// Tells if the instance is a public demonstration.
    pub preview: PreviewMode,
    /// Tells if every link has been moved here.
    pub lock: MigrationLock,
    /// The budget of writes of each named token.
    pub writes: WriteBudget,
    /// Tells which destinations are broken; `None` if no node watches them.
    pub watch: Option<Arc<dyn WatchStore>>,
    /// The addresses of the instance, so that no link leads to itself. Without a public origin,
    /// links of the default domain have no address that is known, and only those of named domains
    /// are judged.
    pub own_addresses: OwnAddresses,
    /// Tells if something says where visitors are.
    pub known_places: KnownPlaces,
    /// Keys the digests of requests, so that a stored one does not tell a client's key. All nodes
    /// share it.
    pub request_secret: [u8; 32],
}

/// The length of a generated slug where the settings do not decide it.
pub const GENERATED_CHARS: usize = 6;

impl LinkServiceParts {
    /// The parts of an instance that screens nothing, forbids nothing, has every link in this store
    /// and knows no public address and no places.
    pub fn new<S>(store: Arc<S>, clock: Arc<dyn Clock>, random: Arc<dyn Random>) -> Self
    where
        S: LinkStore + LinkHistory + 'static,
    {
        let resolver = Resolver::new(
            store.clone(),
            clock.clone(),
            NamedDomains::default(),
            ResolverOptions::default(),
        );
        Self {
            history: store.clone(),
            store,
            resolver: Arc::new(resolver),
            passwords: Arc::new(Passwords::new(random.clone())),
            clock,
            random,
            screen: None,
            generated_chars: GENERATED_CHARS,
            preview: PreviewMode::Off,
            lock: MigrationLock::open(),
            writes: WriteBudget::default(),
            watch: None,
            own_addresses: OwnAddresses::default(),
            known_places: KnownPlaces::default(),
            request_secret: [0; 32],
        }
    }
}

impl LinkService {
    /// Creates the use cases from their dependencies.
    pub fn new(parts: LinkServiceParts) -> Self {
        Self {
            own_addresses: parts.own_addresses.clone(),
            parts: Arc::new(parts),
        }
    }

    /// The same for a client that reaches the instance under this address.
    #[must_use]
    pub fn seen_at(&self, base: &BaseUrl) -> Self {
        Self {
            own_addresses: self.own_addresses.at(base),
            ..self.clone()
        }
    }

    /// Checks that the instance allows an operation to any caller. Every use case of links
    /// calls this.
    ///
    /// # Errors
    /// Links still have to be moved here, or the instance is in preview mode.
    pub fn permit(&self, access: Access) -> Result<(), Error> {
        if access.needs_links() {
            self.parts.lock.check()?;
        }
        match access.forbidden_in_preview() {
            Some(action) => self
                .parts
                .preview
                .permit(action)
                .map_err(Error::PreviewMode),
            None => Ok(()),
        }
    }

    /// The domains of the instance, which are those that visitors meet.
    pub fn domains(&self) -> &NamedDomains {
        self.parts.resolver.domains()
    }

    /// The present moment.
    pub(crate) fn now(&self) -> UnixMillis {
        self.parts.clock.now()
    }

    fn check_expiry(&self, expires_at: Option<UnixSeconds>) -> Result<(), Error> {
        let now = self.now().second();
        match expires_at {
            Some(expires_at) if expires_at <= now => {
                Err(Error::ExpiryNotInFuture { expires_at, now })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Checks that the link store answers.
    ///
    /// # Errors
    /// The store does not answer.
    pub async fn ready(&self) -> Result<(), Error> {
        Ok(self.parts.store.ping().await?)
    }

    /// Returns whether this process learns of changes to links by other processes.
    pub fn hears_of_changes(&self) -> bool {
        self.parts.store.hearing() != Hearing::Deaf
    }
}

#[cfg(test)]
pub(crate) mod fixture {
    use slugline_domain::{
        Author, Domain, DomainSet, Link, LinkPatch, SlugCase,
        ports::{DomainStore, Insertion},
    };
    use slugline_storage::{DatabaseUrl, SqlLinkStore};
    use slugline_testkit::{
        ALL, FixedClock, LinksFile, ListedScreen, NOON, NOTE, SeededRandom, key, with,
    };

    use super::*;
    use crate::{caller::Caller, resolver::ResolverOptions};

    pub(crate) struct Fixture {
        pub(crate) links: LinkWriter,
        pub(crate) store: Arc<SqlLinkStore>,
        pub(crate) file: LinksFile,
        pub(crate) clock: Arc<FixedClock>,
        pub(crate) resolver: Arc<Resolver>,
        pub(crate) screen: Arc<ListedScreen>,
    }

    impl Fixture {
        /// The same fixture with one more link in the store.
        pub(crate) async fn holding(self, link: &Link) -> Self {
            self.store.insert(&ALL, link, &NOTE).await.unwrap();
            self
        }

        /// The same fixture for a client that reaches the instance under this origin.
        pub(crate) fn seen_at(mut self, origin: &str) -> Self {
            let links = self.links.seen_at(&origin.parse().unwrap());
            self.links = links.by(Caller::Operator, Author::operator());
            self
        }

        /// The same fixture with more links in the store.
        pub(crate) async fn holding_all(self, links: &[Link]) -> Self {
            let inserted = self.store.insert_many(&ALL, links, &NOTE).await;
            assert!(
                inserted
                    .unwrap()
                    .iter()
                    .all(|one| *one == Insertion::Stored)
            );
            self
        }

        /// Creates a link; returns it as it is stored.
        pub(crate) async fn create(&self, new: NewLink) -> Result<Link, Error> {
            let created = self.links.create(new, CreateTerms::default()).await?;
            let link = created.link().whole();
            Ok(link.expect("seen by the operator").clone())
        }

        /// Changes the link `docs`; returns the link that it is then.
        pub(crate) async fn patch(
            &self,
            change: impl FnOnce(&mut LinkPatch),
        ) -> Result<Link, Error> {
            let patch = with(LinkPatch::default(), change);
            let edit = EditLink::new(key("docs"), patch);
            let link = self.links.edit(&edit).await?.link;
            Ok(link.whole().expect("seen by the operator").clone())
        }

        /// Names one domain.
        pub(crate) async fn name(&self, domain: Domain) {
            assert!(self.store.domains().insert(&domain, &NOTE).await.unwrap());
            let set = DomainSet::new([domain], None);
            self.resolver.domains().replace(set);
        }

        /// Returns whether a visitor finds a link.
        pub(crate) async fn leads(&self, text: &str) -> bool {
            let found = self.resolver.find(&key(text)).await;
            found.unwrap().is_some()
        }
    }

    /// Opens the database on another thread, because a fixture is made without a runtime, too.
    pub(crate) fn opened(file: &LinksFile) -> Arc<SqlLinkStore> {
        let url = DatabaseUrl::File(file.path());
        let opening = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            let runtime = runtime.enable_all().build().unwrap();
            runtime.block_on(SqlLinkStore::open(&url)).unwrap()
        });
        Arc::new(opening.join().unwrap())
    }

    pub(crate) fn fixture_with(
        generated_chars: usize,
        case: SlugCase,
        random: Arc<dyn Random>,
    ) -> Fixture {
        build(generated_chars, case, random, PreviewMode::Off)
    }

    pub(crate) fn demonstration() -> Fixture {
        build(
            GENERATED_CHARS,
            SlugCase::default(),
            Arc::new(SeededRandom::new(1)),
            PreviewMode::On,
        )
    }

    fn build(
        generated_chars: usize,
        case: SlugCase,
        random: Arc<dyn Random>,
        preview: PreviewMode,
    ) -> Fixture {
        let file = LinksFile::new();
        let store = opened(&file);
        let clock = Arc::new(FixedClock::at(NOON));
        let resolver = Arc::new(Resolver::new(
            store.clone(),
            clock.clone(),
            NamedDomains::new(case),
            ResolverOptions::default(),
        ));
        let screen = Arc::<ListedScreen>::default();
        let links = LinkService::new(LinkServiceParts {
            store: store.clone(),
            history: store.clone(),
            resolver: resolver.clone(),
            passwords: Arc::new(Passwords::new(random.clone())),
            clock: clock.clone(),
            random,
            screen: Some(screen.clone()),
            generated_chars,
            preview,
            lock: MigrationLock::open(),
            writes: WriteBudget::default(),
            watch: None,
            own_addresses: OwnAddresses::default(),
            known_places: KnownPlaces::default(),
            request_secret: [0; 32],
        })
        .by(Caller::Operator, Author::operator());
        Fixture {
            links,
            store,
            file,
            clock,
            resolver,
            screen,
        }
    }

    pub(crate) fn fixture() -> Fixture {
        fixture_with(
            GENERATED_CHARS,
            SlugCase::default(),
            Arc::new(SeededRandom::new(1)),
        )
    }
}
