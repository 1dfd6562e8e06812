//! The link record.

use std::{fmt, num::ParseIntError, str::FromStr};

use crate::{Destination, LinkContent, LinkId, LinkKey, PasswordHash, UnixSeconds};

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

/// The status of a link at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// It leads to its destination.
    Active,
    /// Its expiry has passed.
    Expired,
}

impl LinkStatus {
    /// The status at a moment. A link expires at the start of the second that it names.
    pub fn at(now: UnixSeconds, expiry: Option<UnixSeconds>) -> Self {
        match expiry {
            Some(expiry) if expiry <= now => Self::Expired,
            Some(_) | None => Self::Active,
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
        LinkStatus::at(now, self.effective_expiry())
    }
}
