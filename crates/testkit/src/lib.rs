//! Test support that depends on the domain only: a clock and a random
//! source under the test's control, builders, doubles of other ports, contract suites for the
//! stores and the access log, and real ClickHouse and Redis servers.
//!
//! Without features the crate brings no database and starts no other program: suites, builders and
//! doubles, for programs that implement a port. The feature `oracle` adds the suite that compares an
//! engine with SQLite, `sqlite` a links database that fails when a test says so, `servers` the
//! ClickHouse and Redis servers.
//!
//! The links and tokens in memory are trustworthy because they pass the same contract suites as the
//! real stores. What needs more than those runs on SQLite.
//!
//! | module | holds |
//! |---|---|
//! | `…_contract` | the contract suite of a port; `visit_log_contract` with the feature `oracle` |
//! | `memory_…` | stores in memory that only tests need |
//! | `counted_visits`, `listed_…`, `scripted_…` | other ports in memory |
//! | `ambient`, `assert_matches`, `builders`, `delete_by_key`, `place_files`, `join_all`, `killed_test` | clock and random source; an assertion; links; deleting any version; files of places; futures that overlap; a test that another one kills |
//! | `clickhouse`, `redis` | real servers, for one test or for all of a program; with the feature `servers` |
//! | `questions` | questions about visits |
//! | `world` | visits like those of a busy site, for measurements |

mod ambient;
mod assert_matches;
mod builders;
#[cfg(feature = "servers")]
mod clickhouse;
mod counted_visits;
mod delete_by_key;
mod join_all;
mod killed_test;
#[cfg(feature = "sqlite")]
mod links_file;
mod listed_documents;
mod listed_screen;
mod memory_links;
mod memory_old_store;
mod memory_sign_in_codes;
mod memory_tokens;
mod place_files;
#[cfg(feature = "servers")]
mod redis;
mod scripted_prober;

pub mod assistant_store_contract;
pub mod audit_trail_contract;
pub mod domain_store_contract;
pub mod exactness_contract;
pub mod link_history_contract;
pub mod link_store_contract;
pub mod migration_store_contract;
pub mod old_store_contract;
pub mod questions;
pub mod secret_store_contract;
pub mod token_store_contract;
#[cfg(feature = "oracle")]
pub mod visit_log_contract;
pub mod visit_store_contract;
pub mod watch_store_contract;
pub mod world;

pub use ambient::{FixedClock, SeededRandom};
pub use builders::{
    ALL, LinkBuilder, NOON, NOTE, destination, full_link, key, link, newest_lines, noted, seconds,
    slug, tag, with,
};
#[cfg(feature = "servers")]
pub use clickhouse::{ClickHouse, ClickHouseEngine, KilledClickHouse};
pub use counted_visits::CountedVisits;
pub use delete_by_key::DeleteByKey;
pub use killed_test::KilledTest;
#[cfg(feature = "sqlite")]
pub use links_file::LinksFile;
pub use listed_documents::ListedDocuments;
pub use listed_screen::ListedScreen;
pub use memory_links::MemoryLinkStore;
pub use memory_old_store::{MemoryOldStore, old_link};
pub use memory_sign_in_codes::MemorySignInCodes;
pub use memory_tokens::MemoryTokenStore;
pub use place_files::{COUNTRIES_FILE, NETWORKS_FILE, PLACES_FILE};
#[cfg(feature = "servers")]
pub use redis::Redis;
pub use scripted_prober::ScriptedProber;
