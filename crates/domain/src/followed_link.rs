//! A link as those who follow it need it.

use std::collections::BTreeMap;

use crate::{
    Delivery, Destination, Link, LinkId, LinkStatus, PasswordHash, Preview, Revision, Routing,
    Slug, Text, UnixSeconds,
};

/// The part of a link that a redirect needs.
///
/// A service remembers very many of them, so it is small: the members that few links have
/// take an allocation of their own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedLink {
    /// The identity.
    pub id: LinkId,
    /// The slug.
    pub slug: Slug,
    /// The version.
    pub revision: Revision,
    /// The destination of visitors that no routing rule sends elsewhere.
    pub destination: Destination,
    /// `None` for [`Terms::NONE`].
    terms: Option<Box<Terms>>,
}

/// The members of a link that decide more than its destination. Few links have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The second from which the link is expired.
    pub expiry: Option<UnixSeconds>,
    /// The stored password, if the link asks for one.
    pub password: Option<PasswordHash>,
    /// True if visitors are warned before they go on.
    pub flagged_unsafe: bool,
    /// The preview that social networks and messengers show.
    pub preview: Preview,
    /// Other destinations for some visitors.
    pub routing: Routing,
    /// Ways to answer other than a redirect.
    pub delivery: Delivery,
}

impl FollowedLink {
    /// Creates a link from its parts.
    pub fn new(
        id: LinkId,
        slug: Slug,
        revision: Revision,
        destination: Destination,
        terms: Terms,
    ) -> Self {
        let terms = (terms != Terms::NONE).then(|| Box::new(terms));
        Self {
            id,
            slug,
            revision,
            destination,
            terms,
        }
    }

    /// The members that decide more than the destination.
    pub fn terms(&self) -> &Terms {
        self.terms.as_deref().unwrap_or(const { &Terms::NONE })
    }

    /// Seconds until the link expires, 0 if it has; `None` if it never does.
    pub fn seconds_left(&self, now: UnixSeconds) -> Option<u64> {
        let left = self.terms().expiry?.get() - now.get();
        Some(u64::try_from(left).unwrap_or(0))
    }

    /// The status at a moment. A link expires at the start of the second that
    /// it names.
    pub fn status_at(&self, now: UnixSeconds) -> LinkStatus {
        match self.terms().expiry {
            Some(expiry) if expiry <= now => LinkStatus::Expired,
            Some(_) | None => LinkStatus::Active,
        }
    }

    /// The size of the allocation for the terms, without their texts; 0 if there is none.
    /// Callers use it to count memory.
    pub fn terms_bytes(&self) -> usize {
        self.terms.as_ref().map_or(0, |_| size_of::<Terms>())
    }
}

impl Terms {
    /// The terms of most links.
    pub const NONE: Self = Self {
        expiry: None,
        password: None,
        flagged_unsafe: false,
        preview: Preview {
            title: None,
            description: None,
            image: None,
        },
        routing: Routing {
            apple: None,
            google: None,
            geo: BTreeMap::new(),
            with_query: None,
        },
        delivery: Delivery {
            cloaking: None,
            proxy: None,
        },
    };

    /// Every text of the terms. Callers use it to count memory.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let Self {
            expiry: _,
            password,
            flagged_unsafe: _,
            preview:
                Preview {
                    title,
                    description,
                    image,
                },
            routing:
                Routing {
                    apple,
                    google,
                    geo,
                    with_query: _,
                },
            delivery: _,
        } = self;
        let optional = [
            password.as_ref().map(PasswordHash::as_str),
            title.as_ref().map(Text::as_str),
            description.as_ref().map(Text::as_str),
            image.as_ref().map(Text::as_str),
            apple.as_ref().map(Destination::as_str),
            google.as_ref().map(Destination::as_str),
        ];
        let countries = geo.values().map(Destination::as_str);
        optional.into_iter().flatten().chain(countries)
    }
}

impl From<Link> for FollowedLink {
    fn from(link: Link) -> Self {
        let terms = Terms {
            expiry: link.effective_expiry(),
            password: link.password,
            flagged_unsafe: link.content.flagged_unsafe == Some(true),
            preview: link.content.preview,
            routing: link.content.routing,
            delivery: link.content.delivery,
        };
        let destination = link.content.destination;
        Self::new(link.id, link.slug, link.revision, destination, terms)
    }
}

impl From<&Link> for FollowedLink {
    fn from(link: &Link) -> Self {
        link.clone().into()
    }
}
