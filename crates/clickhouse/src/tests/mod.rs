//! Tests with a real ClickHouse, in two forms that `cargo xtask test` installs: the current one
//! behind an HTTP server of ours, and an old one on its real wire. Most tests run with both;
//! `lacks` gives the exceptions.

mod address;
mod crash;
mod damage;
mod erasing;
mod exact;
mod faults;
mod hang_ups;
mod history;
mod lacks;
mod opening;
mod questions;
mod recording;
pub(crate) mod rows;
mod salts;
mod shipping;
mod totals;
mod visit_store;
mod wire;
