//! How long an entry of the memory counts as true.

use std::time::Duration;

use slugline_domain::{UnixMillis, ports::Hearing};

use super::{ResolverOptions, later};

/// The end of an entry, unless its slug is forgotten before.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fresh {
    /// The entry was read from the store. It is true until this moment, and for
    /// as long as the store hears of changes as it did before the read.
    While { hearing: Hearing, until: UnixMillis },
    /// The store failed: what is known, if anything, is stale, and the store is
    /// asked again at `retry`. From `useless` on it is not served even if the
    /// store fails.
    Stale {
        retry: UnixMillis,
        useless: UnixMillis,
    },
}

impl Fresh {
    /// The end of an answer that was read at `now` from a store that heard of
    /// changes in this way before.
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
            Hearing::Deaf => later(now, lifetime.min(options.deaf_for)),
            // The store counts changes itself, so time alone outdates nothing.
            Hearing::Counted(_) if !subject.may_change_unheard => UnixMillis::new(i64::MAX),
            Hearing::Counted(_) | Hearing::Announced(_) => later(now, lifetime),
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

    /// The moment from which an entry that is over is not served, even if the
    /// store fails.
    pub(super) fn useless_at(self, now: UnixMillis, stale_for: Duration) -> UnixMillis {
        match self {
            // Something else than time may have ended it.
            Self::While { until, .. } => later(until.min(now), stale_for),
            Self::Stale { useless, .. } => useless,
        }
    }
}

/// The part of an answer that decides how long it is true.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subject {
    /// A link has the slug.
    pub(super) is_known: bool,
    /// The answer came from a store whose changes nobody hears of.
    pub(super) may_change_unheard: bool,
}
