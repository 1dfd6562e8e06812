//! The link record.

use std::collections::BTreeMap;

use crate::{
    Comment, Country, Description, Destination, ImageRef, LinkId, PasswordHash, Slug, Tags, Title,
    UnixSeconds,
};

/// A slug, its destination and everything that belongs to them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The identity. Edits do not change it.
    pub id: LinkId,
    /// The path segment, as it is stored.
    pub slug: Slug,
    /// The time of creation.
    pub created_at: UnixSeconds,
    /// The time of the last change.
    pub updated_at: UnixSeconds,
    /// Counts the changes by authors.
    pub revision: Revision,
    /// The second from which the link is expired, whatever its author set.
    /// Links that were made in preview mode have one.
    pub ends_at: Option<UnixSeconds>,
    /// The stored password, if the link asks for one.
    pub password: Option<PasswordHash>,
    /// The members that the author decides.
    pub content: LinkContent,
}

/// The number of a link's version. Each change by an author makes the next one, so
/// two versions differ even within one second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
        // Only equality counts, so it does not matter that the numbers end.
        Self(self.0.wrapping_add(1))
    }
}

/// The members that the author of a link decides. `None` means that the author
/// did not set it; answers then leave the member out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkContent {
    /// The destination of visitors that no routing rule sends elsewhere.
    pub destination: Destination,
    /// A note for the people who manage the link.
    pub comment: Option<Comment>,
    /// The second from which the link is expired.
    pub expires_at: Option<UnixSeconds>,
    /// The groups that the link belongs to.
    pub tags: Tags,
    /// The preview that social networks and messengers show.
    pub preview: Preview,
    /// Other destinations for some visitors.
    pub routing: Routing,
    /// Ways to answer other than a redirect.
    pub delivery: Delivery,
    /// `true` if visitors are warned before they go on.
    pub flagged_unsafe: Option<bool>,
}

impl LinkContent {
    /// Content with a destination and nothing else.
    pub fn leading_to(destination: Destination) -> Self {
        Self {
            destination,
            comment: None,
            expires_at: None,
            tags: Tags::default(),
            preview: Preview::default(),
            routing: Routing::default(),
            delivery: Delivery::default(),
            flagged_unsafe: None,
        }
    }

    /// Every destination that the link may send a visitor to.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination> {
        let Routing {
            apple, google, geo, ..
        } = &self.routing;
        let devices = apple.iter().chain(google);
        std::iter::once(&self.destination)
            .chain(devices)
            .chain(geo.values())
    }
}

/// The preview of a link in social networks and messengers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// The title.
    pub title: Option<Title>,
    /// The text.
    pub description: Option<Description>,
    /// The picture.
    pub image: Option<ImageRef>,
}

impl Preview {
    /// Returns whether there is enough to show: a title or a picture that is
    /// not empty.
    pub fn is_for_show(&self) -> bool {
        self.title
            .as_ref()
            .is_some_and(|title| !title.as_str().is_empty())
            || self
                .image
                .as_ref()
                .is_some_and(|image| !image.as_str().is_empty())
    }
}

/// Destinations for some visitors, and the treatment of the visitor's query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// The destination for iPhone, iPad and iPod.
    pub apple: Option<Destination>,
    /// The destination for Android.
    pub google: Option<Destination>,
    /// Destinations by country of the visitor.
    pub geo: BTreeMap<Country, Destination>,
    /// `true` merges the visitor's query parameters into the destination;
    /// `None` means the instance's default.
    pub with_query: Option<bool>,
}

/// Ways to answer other than a redirect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Shows the destination in a frame under the short link's address.
    pub cloaking: Option<bool>,
    /// Fetches the destination and passes it on.
    pub proxy: Option<bool>,
}

/// The status of a link at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// It leads to its destination.
    Active,
    /// Its expiry has passed.
    Expired,
}

impl Link {
    /// The second from which the link is expired: its author's expiry or the
    /// end that the instance set, whichever comes first.
    pub fn effective_expiry(&self) -> Option<UnixSeconds> {
        match (self.content.expires_at, self.ends_at) {
            (Some(author), Some(instance)) => Some(author.min(instance)),
            (author, instance) => author.or(instance),
        }
    }

    /// Seconds until the link expires, 0 if it has; `None` if it never does.
    pub fn seconds_left(&self, now: UnixSeconds) -> Option<u64> {
        let left = self.effective_expiry()?.get() - now.get();
        Some(u64::try_from(left).unwrap_or(0))
    }

    /// The status at a moment. A link expires at the start of the second that
    /// it names.
    pub fn status_at(&self, now: UnixSeconds) -> LinkStatus {
        match self.effective_expiry() {
            Some(expiry) if expiry <= now => LinkStatus::Expired,
            Some(_) | None => LinkStatus::Active,
        }
    }
}
