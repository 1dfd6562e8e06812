//! The link record.

use std::collections::BTreeMap;

use crate::{
    Comment, Country, Description, Destination, ImageRef, LinkId, PasswordHash, Slug, Tags, Title,
    UnixSeconds,
};

/// A slug, where it leads, and everything around that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Identity; stays through edits.
    pub id: LinkId,
    /// The path segment, in the spelling that is stored.
    pub slug: Slug,
    /// When the link was made.
    pub created_at: UnixSeconds,
    /// When it last changed.
    pub updated_at: UnixSeconds,
    /// From this second on the link is expired whatever its author says: the
    /// instance was in preview mode when it was made.
    pub ends_at: Option<UnixSeconds>,
    /// The stored password, if the link asks for one.
    pub password: Option<PasswordHash>,
    /// What its author decides.
    pub content: LinkContent,
}

/// What the author of a link decides. `None` means that nothing was said,
/// which answers show by leaving the member out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkContent {
    /// Where the link leads when no routing rule says otherwise.
    pub destination: Destination,
    /// A note for the people who manage the link.
    pub comment: Option<Comment>,
    /// From this second on the link is expired.
    pub expires_at: Option<UnixSeconds>,
    /// Groups the link belongs to.
    pub tags: Tags,
    /// How the link shows itself where it is shared.
    pub preview: Preview,
    /// Other destinations for some visitors.
    pub routing: Routing,
    /// Ways of answering other than a redirect.
    pub delivery: Delivery,
    /// Whether visitors are warned before they go on.
    pub flagged_unsafe: Option<bool>,
}

impl LinkContent {
    /// Content that only leads somewhere.
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

    /// Everywhere that the link may send a visitor.
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

/// How a link shows itself in social networks and messengers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    /// Title of the preview.
    pub title: Option<Title>,
    /// Text of the preview.
    pub description: Option<Description>,
    /// Picture of the preview.
    pub image: Option<ImageRef>,
}

impl Preview {
    /// Whether there is enough to show: a title or a picture. Empty ones are
    /// none.
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

/// Destinations for some visitors, and what happens to the visitor's query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Routing {
    /// For iPhone, iPad and iPod.
    pub apple: Option<Destination>,
    /// For Android.
    pub google: Option<Destination>,
    /// By country of the visitor.
    pub geo: BTreeMap<Country, Destination>,
    /// Whether the visitor's query parameters are merged into the destination;
    /// unset means the instance's default.
    pub with_query: Option<bool>,
}

/// Ways of answering other than a redirect.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// Show the destination in a frame under the short link's address.
    pub cloaking: Option<bool>,
    /// Fetch the destination and pass it on.
    pub proxy: Option<bool>,
}

/// Whether a link still leads anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkStatus {
    /// It does.
    Active,
    /// Its expiry has come.
    Expired,
}

impl Link {
    /// From this second on the link is expired: its author's expiry or the end
    /// that the instance set, whichever comes first.
    pub fn effective_expiry(&self) -> Option<UnixSeconds> {
        match (self.content.expires_at, self.ends_at) {
            (Some(author), Some(instance)) => Some(author.min(instance)),
            (author, instance) => author.or(instance),
        }
    }

    /// Seconds until it expires, if it does at all; 0 when it has.
    pub fn seconds_left(&self, now: UnixSeconds) -> Option<u64> {
        let left = self.effective_expiry()?.get() - now.get();
        Some(u64::try_from(left).unwrap_or(0))
    }

    /// The link's status at a moment. A link expires at the beginning of the
    /// second it names.
    pub fn status_at(&self, now: UnixSeconds) -> LinkStatus {
        match self.effective_expiry() {
            Some(expiry) if expiry <= now => LinkStatus::Expired,
            Some(_) | None => LinkStatus::Active,
        }
    }
}
