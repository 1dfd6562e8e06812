//! The engine against a real ClickHouse.
//!
//! `cargo xtask test` installs it: chdb, which is ClickHouse as a library.

mod crash;
mod opening;
mod questions;
mod recording;
mod salts;
mod server;
mod shipping;
mod wire;
