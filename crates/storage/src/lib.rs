//! Links and named tokens in SQL behind the domain's store ports.
//!
//! This is the only crate that speaks SQL about them. It knows SQLite and
//! PostgreSQL, each behind a feature; both are on by default. It knows neither use cases nor
//! permissions, and no step of the schema: those are in the `migrations` crate, which
//! [`SqlLinkStore::open`] calls.
//!
//! Entities and sea-query build each statement once, for both databases. On
//! PostgreSQL sea-orm runs it, on SQLite rusqlite does. There, one thread writes,
//! and changes that come at the same time share a commit; reads call SQLite
//! directly.
//!
//! ```
//! use slugline_domain::ports::LinkStore;
//! use slugline_storage::{DatabaseUrl, SqlLinkStore};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let url = DatabaseUrl::File(folder.path().join("links.db"));
//! let store = SqlLinkStore::open(&url).await?;
//! assert!(store.find(&"docs".parse()?).await?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `database`, `database_url` | an open database of either kind; the URL that names it |
//! | `opening`, `schema_connection` | the reasons why none is opened; the schema's own connection |
//! | `session`, `row` | reads and changes that run on either database, and their rows |
//! | `links`, `tokens`, `assistants`, `audit`, `history`, `migration`, `secrets` | the statements, a folder or a file for each port |
//! | `audit_lines`, `former_versions` | the lines of the audit trail and the former versions of links, in the transactions of the changes |
//! | `entity`, `sql_text` | the tables as sea-orm sees them; SQL texts that are built once |
//! | `sqlite` | SQLite: the thread that writes, shared commits, readers, the search index, snapshots |
//! | `postgres`, `listening` | PostgreSQL: the pool, and announcements of changes |
//! | `failure` | the reasons why a read or a change fails |

#![expect(
    clippy::future_not_send,
    reason = "a future that works with any statement, row or change is Send if those are; the \
              futures of the ports are, as those demand"
)]

#[cfg(not(any(feature = "postgres", feature = "sqlite")))]
compile_error!("slugline-storage needs its feature `sqlite`, `postgres`, or both");

mod assistants;
mod audit;
mod audit_lines;
mod database;
mod database_url;
mod domains;
mod entity;
mod failure;
mod former_versions;
mod hexadecimal;
mod history;
mod links;
mod listening;
mod migration;
mod opening;
#[cfg(feature = "postgres")]
mod postgres;
mod row;
mod schema_connection;
mod secrets;
mod session;
mod sql_text;
#[cfg(feature = "sqlite")]
mod sqlite;
mod tokens;
mod watch;

pub use assistants::SqlAssistantStore;
pub use database::{Database, StoreTimings};
pub use database_url::{DatabaseUrl, DatabaseUrlError};
pub use domains::SqlDomainStore;
pub use links::SqlLinkStore;
pub use listening::Listening;
pub use opening::{ConnectError, OpenError};
pub use schema_connection::SchemaConnection;
pub use slugline_migrations::SchemaError;
#[cfg(feature = "sqlite")]
pub use sqlite::{
    Copied, FileSnapshot, ObjectsError, PageCheck, SnapshotError, SqliteObjects, Unlike,
    check_pages,
};
pub use tokens::SqlTokenStore;
