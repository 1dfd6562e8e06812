//! The access log in ClickHouse, shared by all nodes.
//!
//! It answers the same questions as the embedded engine, in SQL. Visits first go into a spool, one
//! `SQLite` file for each node, and leave it when ClickHouse has acknowledged them.
//!
//! | module | holds |
//! |---|---|
//! | `open` | from a URL to a working engine |
//! | `target`, `wire`, `client`, `question` | the address of ClickHouse, the HTTP port, statements and answers, statements that nobody waits for any more |
//! | `row_binary` | rows as bytes |
//! | `schema` | the tables in ClickHouse, and their retention |
//! | `erasures` | the erasure of a link's visits, also of those that nodes send late |
//! | `salts` | one salt for all nodes |
//! | `sql` | filters and clocks as parts of statements |
//! | `log` | the port of the domain |
//! | `totals` | what ClickHouse adds up by day, and which questions ask for it |
//! | `counts`, `lists`, `visits` | the statements of the questions: counters and visits by time; the most frequent values; single visits |
//! | `spool`, `inlet`, `history`, `arrivals` | waiting rows; the entrance of the spool for visits; the entrance for visits of files and of an embedded log |
//! | `shipper`, `ship_error` | the thread that takes rows from the spool to ClickHouse |
//! | `examine`, `salvage` | checking the spool, and rebuilding a damaged one |
//! | `error` | errors |

mod arrivals;
mod client;
mod counts;
mod erasures;
mod error;
mod examine;
mod gaps;
mod history;
mod inlet;
mod lists;
mod log;
mod open;
mod question;
mod row_binary;
mod salts;
mod salvage;
mod schema;
mod ship_error;
mod shipper;
mod spool;
mod sql;
mod target;
#[cfg(test)]
mod tests;
mod totals;
mod visits;
mod wire;

pub use error::ClickHouseError;
pub use examine::examine_spool;
pub use history::History;
pub use log::ClickHouseLog;
pub use open::{ClickHouseOptions, start};
pub use row_binary::DecodeError;
pub use salvage::rebuild_spool;
pub use target::{ClickHouseTarget, ClickHouseTargetError};
pub use wire::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest};
