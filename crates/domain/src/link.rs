//! The link record.

use std::{fmt, num::ParseIntError, str::FromStr};

use crate::{
    Destination, Life, LinkContent, LinkId, LinkKey, PasswordHash, RequestDigests, UnixSeconds,
};

/// A slug, its destination and everything that belongs to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The identity. Edits do not change it.
    pub id: LinkId,
    /// The domain, and the path segment as it is stored.
    pub key: LinkKey,
    /// The time of creation.
    pub created_at: UnixSeconds,
    /// The time of the last change.
    pub updated_at: UnixSeconds,
    /// Counts the changes by authors.
    pub revision: Revision,
    /// The second from which the link is expired, regardless of its author's expiry. Links that
    /// were made in preview mode have one.
    pub ends_at: Option<UnixSeconds>,
    /// The stored password, if the link asks for one.
    pub password: Option<PasswordHash>,
    /// The visits that were counted against the author's limit. They stay counted when the limit
    /// changes or goes.
    pub visits_used: u32,
    /// The request that made the link, if its client may send it again. No answer shows it.
    pub request: Option<RequestDigests>,
    /// The members that the author decides.
    pub content: LinkContent,
}

/// The number of a link's version. Each change by an author makes the next one, so
/// two versions differ even within one second. Of two versions of one link, the later
/// one has the greater number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Revision(i64);

impl Revision {
    /// The revision of a new link, and of one that was stored before revisions
    /// were counted.
    pub const FIRST: Self = Self(0);

    /// Takes a number that was stored.
    pub fn new(number: i64) -> Self {
        Self(number)
    }

    /// The number.
    pub fn get(self) -> i64 {
        self.0
    }

    /// The revision after this one.
    #[must_use]
    pub fn next(self) -> Self {
        // No link changes so often that the numbers run out.
        Self(self.0.wrapping_add(1))
    }
}

impl FromStr for Revision {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The status of a link at a moment. Where several hold, the link has the first in the order
/// *disabled, expired, used up, scheduled*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// It leads to its destination.
    Active,
    /// Its start has not come.
    Scheduled,
    /// Its expiry has passed. It loses its slug to a new link; links of every other status keep
    /// theirs.
    Expired,
    /// It has had its last visit.
    UsedUp,
    /// Its author has hidden it.
    Disabled,
}

impl LinkStatus {
    /// The status at a moment of a link with this life, this expiry and so many counted visits.
    /// A link starts and expires at the start of the second that it names.
    pub fn at(now: UnixSeconds, life: &Life, expiry: Option<UnixSeconds>, used: u32) -> Self {
        if life.disabled {
            Self::Disabled
        } else if expiry.is_some_and(|expiry| expiry <= now) {
            Self::Expired
        } else if life
            .max_visits
            .is_some_and(|most| most.left_after(used) == 0)
        {
            Self::UsedUp
        } else if life.starts_at.is_some_and(|start| now < start) {
            Self::Scheduled
        } else {
            Self::Active
        }
    }
}

impl Link {
    /// A link that leads to a destination and has nothing else: no expiry, no password, no tags.
    pub fn new(id: LinkId, key: LinkKey, to: Destination, created_at: UnixSeconds) -> Self {
        Self {
            id,
            key,
            created_at,
            updated_at: created_at,
            revision: Revision::FIRST,
            ends_at: None,
            password: None,
            visits_used: 0,
            request: None,
            content: LinkContent::leading_to(to),
        }
    }

    /// The second from which the link is expired: its author's expiry or the
    /// end that the instance set, whichever comes first.
    pub fn effective_expiry(&self) -> Option<UnixSeconds> {
        match (self.content.expires_at, self.ends_at) {
            (Some(author), Some(instance)) => Some(author.min(instance)),
            (author, instance) => author.or(instance),
        }
    }

    /// The status at a moment.
    pub fn status_at(&self, now: UnixSeconds) -> LinkStatus {
        let expiry = self.effective_expiry();
        LinkStatus::at(now, &self.content.life, expiry, self.visits_used)
    }

    /// The visits that are left, if their number is limited.
    pub fn visits_left(&self) -> Option<u32> {
        let most = self.content.life.max_visits?;
        Some(most.left_after(self.visits_used))
    }
}
