//! The engine against a real ClickHouse, in two shapes that `cargo xtask test`
//! brings: today's, whose wire is ours, and an old one on the real wire. Most
//! tests run with both; `lacks` says why some do not.

mod address;
mod crash;
mod damage;
mod faults;
mod lacks;
mod opening;
mod questions;
mod recording;
mod salts;
mod shipping;
mod wire;
