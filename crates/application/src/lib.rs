//! The use cases of Slugline, which REST and MCP share.
//!
//! This crate depends on the domain. It knows policies (who may call, how a slug is
//! generated, how often a password may be tried), the order of effects and the cache in
//! front of the store. It does not know HTTP, JSON or SQL: it uses domain values and the
//! domain's ports, so every use case runs on any store.
//!
//! ```
//! use std::sync::Arc;
//! use slugline_domain::Author;
//! use slugline_application::{Caller, CreateTerms, LinkService, LinkServiceParts, NewLink};
//! use slugline_storage::{DatabaseUrl, SqlLinkStore};
//! use slugline_testkit::{FixedClock, NOON, SeededRandom, destination};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let url = DatabaseUrl::File(folder.path().join("links.db"));
//! let links = LinkService::new(LinkServiceParts::new(
//!     Arc::new(SqlLinkStore::open(&url).await?),
//!     Arc::new(FixedClock::at(NOON)),
//!     Arc::new(SeededRandom::new(1)),
//! ));
//! let writer = links.by(Caller::Operator, Author::operator());
//! let new = NewLink::leading_to(destination("https://example.com/"));
//! let made = writer.create(new, CreateTerms::default()).await?;
//! assert_eq!(writer.get(made.link().key()).await?.content.destination.as_str(), "https://example.com/");
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `links` | one file per kind of operation on links |
//! | `resolver` | key → link on the redirect path: look-up, cache, invalidation |
//! | `named_domains` | the domains of the instance, as this process knows them |
//! | `passwords`, `hashing` | checking passwords of links, with limited attempts; computing hashes |
//! | `attempts` | limits on failed attempts of clients, and a queue for further ones |
//! | `gatekeeper` | checks visitors' passwords, and renews imported hashes |
//! | `auth`, `known_tokens` | the check of the token or code that a caller sends; named tokens in memory |
//! | `secret_text` | secrets as texts, and their digests |
//! | `caller` | callers, and what each may do and see |
//! | `budgets` | what one named token may take of what all share |
//! | `audit` | the audit trail |
//! | `migration` | moving links here from an older instance's store |
//! | `lists` | pages of links in any order, also by visits |
//! | `stats`, `heatmap`, `live_visits` | queries to the access log; averages by hour of the week; visits as they come |
//! | `erasure` | erasing the visits of a link |
//! | `tokens` | listing, making and revoking named tokens |
//! | `assistants` | tokens for applications of others, by consent |
//! | `domains` | listing, naming and taking away domains |
//! | `access` | the conditions of an operation; actions that a public demonstration forbids |
//! | `app` | all use cases together, as adapters share them |
//! | `watch` | destinations are asked in turn |
//! | `error` | the errors of use cases |

mod access;
mod app;
mod assistants;
mod attempts;
mod audit;
mod auth;
mod budgets;
mod caller;
mod domains;
mod erasure;
mod error;
mod gatekeeper;
mod hashing;
mod heatmap;
mod known_tokens;
mod links;
mod lists;
mod live_visits;
mod migration;
mod named_domains;
mod passwords;
mod resolver;
mod secret_text;
mod stats;
mod tokens;
mod watch;

pub use access::{Access, Forbidden, PreviewMode};
pub use app::App;
pub use assistants::{
    AskedParameters, AssistantError, Assistants, AssistantsParts, ConsentRequest, Decision,
    Exchange, Granted, NewClient, NotAsked, NotDecided, Refresh, SignInRefused, SignedIn,
};
pub use attempts::{ClientLimit, FailureLimit, TooManyAttempts};
pub use audit::{AuditPage, AuditParts, AuditService, ListAudit};
pub use auth::SignInCode;
pub use auth::{Authenticator, AuthenticatorParts, Denied, SiteToken, TokenTooShort};
pub use budgets::WriteBudget;
pub use caller::{Caller, Excess, MissingScope, SeenLink};
pub use domains::{Domains, DomainsParts, LinksFate, RemovedDomain};
pub use erasure::{VisitErasures, VisitErasuresParts};
pub use error::{Error, OwnHost, RestoreFault};
pub use gatekeeper::{Gatekeeper, GatekeeperParts};
pub use hashing::{Busy, HashError};
pub use heatmap::{WeekQuery, WeekRow};
pub use links::{
    Asked, BatchAction, BatchChange, BatchOutcome, BatchReport, BatchResult, BatchScope,
    CheckLinks, CheckScope, CheckedLink, CheckedPage, CreateTerms, Created, EditLink, EditedLink,
    ExportPage, GENERATED_CHARS, ImportLink, ImportOutcome, ImportedLink, LinkChecker, LinkDraft,
    LinkPage, LinkReader, LinkService, LinkServiceParts, LinkStates, LinkToExplain, LinkWriter,
    ListLinks, ListTrash, MAX_TAGGED, NewLink, Precondition, Rehearsal, RestoreLink, TrashPage,
    WhichLink,
};
pub use lists::{
    LinkLists, ListRequest, ListVisited, ListedPage, RangeStart, VisitRange, VisitedLink,
    VisitedPage, VisitedPosition,
};
pub use live_visits::{LiveVisits, SharedFilter, Watch};
pub use migration::{
    ExpiredEntry, LinkMigration, LinkMigrationParts, MigrationLock, MigrationStatus, OldLinks,
    RunCursor, RunMigration, RunReport,
};
pub use named_domains::NamedDomains;
pub use passwords::{NotChecked, PasswordCheck, PasswordNumbers, Passwords};
pub use resolver::{Recalled, Resolver, ResolverNumbers, ResolverOptions};
pub use stats::{AccessExport, Counted, StatsReader, StatsService, TaggedQuery, VisitExport};
pub use tokens::{BoundTo, ListedToken, MadeToken, NewToken, TokenText, Tokens, TokensParts};
pub use watch::{DestinationWatch, WatchCounts, WatchParts};
