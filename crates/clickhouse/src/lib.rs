//! The access log in ClickHouse, shared by all nodes.
//!
//! It answers the same questions as the embedded engine, in SQL. Visits first go into a spool, one
//! `SQLite` file for each node, and leave it when ClickHouse has acknowledged them.
//!
//! | module | holds |
//! |---|---|
//! | `open` | from a URL to a working engine |
//! | `connection`, `client`, `statements` | the address of ClickHouse and the HTTP port; requests; statements that read |
//! | `row_binary` | rows as bytes |
//! | `schema` | the tables in ClickHouse, and their retention |
//! | `totals` | what ClickHouse adds up by day, and which questions ask for it |
//! | `sql` | filters and clocks as parts of statements |
//! | `counts`, `lists`, `visits` | the statements of the questions: counters and visits by time; the most frequent values; single visits |
//! | `log` | the port of the domain |
//! | `spool` | waiting rows |
//! | `shipper` | the thread that takes rows from the spool to ClickHouse |
//! | `gaps`, `erasures`, `salts` | what the nodes share besides visits: the times that lack some, the erasure of a link's visits, one salt for all nodes |
//! | `history` | the way of older visits, from files and from an embedded log |
//! | `repair` | checks the spool, and rebuilds a damaged one |
//! | `error` | errors |

mod client;
mod connection;
mod counts;
mod erasures;
mod error;
mod gaps;
mod history;
mod lists;
mod log;
mod open;
mod repair;
mod row_binary;
mod salts;
mod schema;
mod shipper;
mod spool;
mod sql;
mod statements;
#[cfg(test)]
mod tests;
mod totals;
mod visits;

pub use connection::{
    ClickHouseTarget, ClickHouseTargetError, ClickHouseWire, WireAnswer, WireBody, WireError,
    WireRequest,
};
pub use error::ClickHouseError;
pub use history::History;
pub use log::ClickHouseLog;
pub use open::{ClickHouseOptions, start};
pub use repair::{examine_spool, rebuild_spool};
pub use row_binary::DecodeError;
