//! Links in memory behind the store ports of the domain.
//!
//! For programs whose links come from elsewhere, for example from a file that they read at start,
//! and for tests. It passes the contract suites that the SQL stores pass. Everything is gone when
//! the program ends, and each search reads every link.
//!
//! ```
//! use slugline_domain::ports::LinkStore;
//! use slugline_memory::MemoryLinkStore;
//!
//! # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
//! let store = MemoryLinkStore::default();
//! assert!(store.find(&"docs".parse()?).await?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `links` | the link store |
//! | `domains` | the named domains |
//! | `state` | the links by key and by identifier, and the rule for taken keys |
//! | `lines`, `audit` | the audit trail |
//! | `receipts`, `repeats` | the answers to requests that clients may send again |
//! | `versions`, `history` | former versions of links |
//! | `migration` | the progress of a migration into the store |

mod audit;
mod domains;
mod history;
mod lines;
mod links;
mod migration;
mod receipts;
mod repeats;
mod state;
mod versions;

pub use domains::MemoryDomainStore;
pub use links::MemoryLinkStore;
pub use migration::MemoryMigration;
