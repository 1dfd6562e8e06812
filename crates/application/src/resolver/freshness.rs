//! The bounds of the memory, and the time for which an entry is valid.

use std::time::Duration;

use slugline_domain::{UnixMillis, ports::Hearing};

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

/// The end of an entry's validity, unless its slug is forgotten before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fresh {
    /// The entry was read from the store. It is valid until this moment, and for as long
    /// as the store hears of changes as it did before the read.
    While { hearing: Hearing, until: UnixMillis },
    /// The store failed: the entry is stale, or empty, and the store is asked again at
    /// `retry`. From `useless` on, the entry is not served even if the store fails.
    Stale {
        retry: UnixMillis,
        useless: UnixMillis,
    },
}

impl Fresh {
    /// Returns the validity of an answer that was read at `now` from a store that heard
    /// of changes in this way before the read.
    pub(super) fn read(
        now: UnixMillis,
        hearing: Hearing,
        subject: Subject,
        options: &ResolverOptions,
    ) -> Self {
        let lifetime = if subject.is_known {
            options.fresh_for
        } else {
            options.unknown_for
        };
        let until = match hearing {
            Hearing::Deaf => now.later(lifetime.min(options.deaf_for)),
            // The store counts changes itself, so no entry is outdated by time alone.
            Hearing::Counted(_) if !subject.may_change_unheard => UnixMillis::new(i64::MAX),
            Hearing::Counted(_) | Hearing::Announced(_) => now.later(lifetime),
        };
        Self::While { hearing, until }
    }

    pub(super) fn is_over(self, now: UnixMillis, hearing: Hearing) -> bool {
        match self {
            Self::While {
                hearing: then,
                until,
            } => until <= now || hearing != then,
            Self::Stale { retry, .. } => retry <= now,
        }
    }

    /// The moment from which an outdated entry is not served, even if the store fails.
    pub(super) fn useless_at(self, now: UnixMillis, stale_for: Duration) -> UnixMillis {
        match self {
            // The entry may be outdated for another reason than time.
            Self::While { until, .. } => until.min(now).later(stale_for),
            Self::Stale { useless, .. } => useless,
        }
    }
}

/// The part of an answer that decides how long it is valid.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    /// True if a link has the slug.
    pub(super) is_known: bool,
    /// True if the answer came from a store that does not announce its changes.
    pub(super) may_change_unheard: bool,
}
