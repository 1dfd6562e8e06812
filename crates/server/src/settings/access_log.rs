//! The store that keeps visits.

use std::path::PathBuf;

use slugline_clickhouse::ClickHouseTarget;

/// The store of visits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AccessLog {
    /// In a file of this node.
    File(PathBuf),
    /// In ClickHouse, behind a spool in the data folder.
    ClickHouse(ClickHouseTarget),
}
