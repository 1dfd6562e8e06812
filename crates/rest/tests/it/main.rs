//! Rules of REST, in one process and over ports in memory: each costs
//! milliseconds. The running binary has the journeys, in `crates/server/tests`.

mod access;
mod bodies;
mod faults;
mod fixture;
