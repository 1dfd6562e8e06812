//! The programs that tests and benchmarks need.

pub mod clickhouse;
pub mod clients;
pub mod node;
pub mod packages;
pub mod postgres;
pub mod python;
pub mod target;
mod temporary;
mod unix;
