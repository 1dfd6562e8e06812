//! Tests of REST's rules, in one process and over SQLite: each takes
//! milliseconds. The tests of the running binary are in `crates/server/tests`.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod batches;
mod bodies;
mod conditional;
mod faults;
mod fixture;
mod lists;
