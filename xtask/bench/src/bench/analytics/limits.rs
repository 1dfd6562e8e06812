//! The memory and the processors that databases may use.
//!
//! The embedded log's questions have a limit of their own, `SLUGLINE_QUERY_MEMORY` or 256 MiB, and
//! use two threads.

use std::thread;

/// The most memory of ClickHouse for one question, and of DuckDB for all that it keeps.
pub(super) const MIB: u32 = 2_048;

/// All processors.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}
