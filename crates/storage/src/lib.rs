//! Links and named tokens in SQL behind the domain's store ports.
//!
//! This is the only crate that speaks SQL about them. It knows SQLite and
//! PostgreSQL. It knows neither use cases nor permissions, and it never changes a
//! schema: the `migrations` crate does.
//!
//! Entities and sea-query build each statement once, for both databases. On
//! PostgreSQL sea-orm runs it, on SQLite rusqlite does. There, one thread writes,
//! and changes that come at the same time share a commit; reads call SQLite
//! directly.
//!
//! ```
//! use slugline_domain::ports::LinkStore;
//! use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let url = DatabaseUrl::File(folder.path().join("links.db"));
//! let schema = SchemaConnection::open(&url).await?;
//! slugline_migrations::run(schema.connection()).await?;
//! let store = SqlLinkStore::new(Database::open(&url).await?);
//! assert!(store.find(&"docs".parse()?).await?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `database`, `database_url` | an open database of either kind; the URL that names it |
//! | `session` | reads and changes that run on either database |
//! | `links`, `tokens`, `audit`, `migration` | the statements, a folder or a file for each port |
//! | `audit_lines` | the lines of the audit trail, in the transactions of the changes |
//! | `entity`, `sql_text` | the tables as sea-orm sees them; SQL texts that are built once |
//! | `sqlite` | SQLite: the thread that writes, shared commits, readers, the search index, snapshots |
//! | `postgres` | PostgreSQL: the pool, and announcements of changes |
//! | `failure` | the reasons why a read or a change fails |

#![expect(
    clippy::future_not_send,
    reason = "work on an SQLite session stays on one thread; the futures of the ports are Send, \
              as those demand"
)]

mod audit;
mod audit_lines;
mod database;
mod database_url;
mod entity;
mod failure;
mod links;
mod migration;
mod postgres;
mod session;
mod sql_text;
mod sqlite;
mod tokens;

pub use database::{ConnectError, Database, SchemaConnection, StoreTimings};
pub use database_url::{DatabaseUrl, DatabaseUrlError};
pub use links::SqlLinkStore;
pub use postgres::Listening;
pub use sqlite::{
    Copied, FileSnapshot, ObjectsError, PageCheck, SnapshotError, SqliteObjects, Unlike,
    check_pages,
};
pub use tokens::SqlTokenStore;
