//! The bounds of the memory, and what is in it.

use std::time::Duration;

/// Limits of the resolver's memory.
#[derive(Clone, Copy, Debug)]
pub struct ResolverOptions {
    /// The approximate limit for links in memory, in bytes.
    pub capacity_bytes: u64,
    /// The time for which a link is served from memory before it is read again, if the
    /// store does not count changes by other processes. The store announces them; this
    /// limits the delay of a change whose announcement was lost unnoticed.
    pub fresh_for: Duration,
    /// The same for slugs that no link has.
    pub unknown_for: Duration,
    /// The maximum of both while the store does not hear of changes by other processes.
    pub deaf_for: Duration,
    /// The time after that for which a link is still served while the store fails.
    pub stale_for: Duration,
    /// The timeout for a read of the store.
    pub read_timeout: Duration,
}

impl Default for ResolverOptions {
    fn default() -> Self {
        Self {
            capacity_bytes: 16 << 20,
            fresh_for: Duration::from_mins(1),
            unknown_for: Duration::from_secs(5),
            deaf_for: Duration::from_secs(1),
            stale_for: Duration::from_hours(24),
            read_timeout: Duration::from_secs(2),
        }
    }
}

/// The contents of the resolver's memory, and its hits and misses since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolverNumbers {
    /// Look-ups that memory answered, with a link or with "no link".
    pub hits: u64,
    /// Look-ups that went to the store.
    pub misses: u64,
    /// Slugs in memory.
    pub entries: usize,
    /// The approximate size of these slugs' entries in bytes.
    pub bytes: u64,
}
