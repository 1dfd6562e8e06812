//! Links in SQL behind the domain's store port.
//!
//! The only crate that speaks SQL about links. It knows sea-orm, SQLite and
//! PostgreSQL; it does not know who asks or why, and it never changes a schema
//! (that is the `migrations` crate's work).
//!
//! ```
//! use slugline_domain::ports::LinkStore;
//! use slugline_storage::{Database, SqlLinkStore};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! # let folder = tempfile::tempdir()?;
//! let file = folder.path().join("links.db");
//! let database = Database::connect(&format!("sqlite://{}", file.display())).await?;
//! slugline_migrations::run(database.writer()).await?;
//! let store = SqlLinkStore::new(database);
//! assert!(store.find(&"docs".parse()?).await?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod conditions;
mod connect;
mod convert;
mod entity;
mod links;
mod migration;
#[cfg(test)]
mod plans;
mod search;
mod search_key;

pub use connect::{ConnectError, Database};
pub use links::SqlLinkStore;
