//! The scaled engine: ClickHouse, shared by all nodes.
//!
//! Questions are the same as those to the embedded engine, in SQL. Visits go
//! into a spool of our own first, one SQLite file for each node, and leave it
//! when ClickHouse has acknowledged them.
//!
//! | module | holds |
//! |---|---|
//! | `target`, `wire`, `client` | where ClickHouse is, how requests travel, statements and answers |
//! | `row_binary` | rows as bytes |
//! | `schema` | the tables on the other side, and when their rows end |
//! | `salts` | one salt for all nodes |
//! | `sql` | filters and clocks as parts of statements |
//! | `log` | the read side: the port |
//! | `answer`, `counters`, `views`, `heatmap`, `metrics`, `locations`, `events`, `access` | the questions, one each, and what they have in common |
//! | `spool`, `inlet` | rows on their way; the end of the spool that visits enter |
//! | `shipper` | the thread that takes rows from the spool to ClickHouse |
//! | `examine`, `salvage` | whether the spool is sound, and a new one of what is left if not |
//! | `open` | from a URL to a working engine |
//! | `error` | what can go wrong |

mod access;
mod answer;
mod client;
mod counters;
mod error;
mod events;
mod examine;
mod heatmap;
mod inlet;
mod locations;
mod log;
mod metrics;
mod open;
mod row_binary;
mod salts;
mod salvage;
mod schema;
mod shipper;
mod spool;
mod sql;
mod target;
#[cfg(test)]
mod tests;
mod views;
mod wire;

pub use error::ClickHouseError;
pub use examine::examine_spool;
pub use log::ClickHouseLog;
pub use open::ClickHouseOptions;
pub(crate) use open::open;
pub use row_binary::DecodeError;
pub use salvage::rebuild_spool;
pub use target::{ClickHouseTarget, ClickHouseTargetError};
pub use wire::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};
