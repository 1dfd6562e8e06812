//! A link as those who follow it need it.

use std::sync::LazyLock;

use crate::{
    Delivery, Destination, Life, Link, LinkId, LinkKey, LinkStatus, PasswordHash, Preview,
    Revision, Routing, Split, Text, UnixSeconds, Uri, routing::Rule, split_key,
};

/// The part of a link that a redirect needs.
///
/// A service remembers very many of them, so it is small: one allocation holds the texts that
/// every link has, and another one the members that few links have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FollowedLink {
    /// The version.
    pub revision: Revision,
    /// The identity, the text of the key and the destination; then the destination's URI, if it is
    /// another text.
    texts: Box<str>,
    id_bytes: u8,
    key_bytes: u16,
    destination_bytes: u32,
    /// `None` if they are the default ones.
    terms: Option<Box<Terms>>,
}

/// The members of a link that decide more than its destination. Few links have any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The second from which the link is expired.
    pub expiry: Option<UnixSeconds>,
    /// The second from which the instance lets the link lead nowhere.
    pub ends_at: Option<UnixSeconds>,
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
    /// When the link starts and ends, and where visitors go before and after.
    pub life: Life,
}

impl FollowedLink {
    /// Creates a link from its parts.
    pub fn new(
        id: &LinkId,
        key: &LinkKey,
        revision: Revision,
        destination: &Destination,
        terms: Terms,
    ) -> Self {
        let (id, host, slug) = (id.as_str(), key.domain.as_str(), key.slug.as_str());
        let slash = if host.is_empty() { "" } else { "/" };
        let key_bytes = host.len() + slash.len() + slug.len();
        let (destination, uri) = (destination.as_str(), destination.uri());
        let uri = Some(uri.as_str()).filter(|uri| *uri != destination);
        let texts = [id, host, slash, slug, destination, uri.unwrap_or_default()];
        Self {
            revision,
            texts: texts.concat().into(),
            destination_bytes: u32::try_from(destination.len()).expect("bodies are smaller"),
            id_bytes: u8::try_from(id.len()).expect("LinkId::MAX_CHARS is less than 256"),
            key_bytes: u16::try_from(key_bytes).expect("the bounds of both are less than 65,536"),
            terms: (terms != Terms::default()).then(|| Box::new(terms)),
        }
    }

    /// The identity, a [`LinkId`].
    pub fn id(&self) -> &str {
        &self.texts[..self.id_bytes.into()]
    }

    /// The text of the [`LinkKey`]: the slug, after the host if the domain has a name.
    pub fn key(&self) -> &str {
        self.after_the_id().0
    }

    /// The host of the domain; empty for the default one.
    pub fn host(&self) -> &str {
        split_key(self.key()).0
    }

    /// The slug, a [`Slug`](crate::Slug).
    pub fn slug(&self) -> &str {
        split_key(self.key()).1
    }

    /// A copy of the key, for those who must own it.
    pub fn to_key(&self) -> LinkKey {
        LinkKey::parse(self.key()).expect("it was a key before")
    }

    /// The [`Destination`] of visitors that no routing rule sends elsewhere.
    pub fn destination(&self) -> &str {
        self.destination_and_uri().0
    }

    /// The URI of that destination.
    pub(crate) fn uri(&self) -> Uri<'_> {
        let (destination, uri) = self.destination_and_uri();
        Uri::known(if uri.is_empty() { destination } else { uri })
    }

    fn destination_and_uri(&self) -> (&str, &str) {
        let bytes = usize::try_from(self.destination_bytes).expect("a length in memory");
        self.after_the_id().1.split_at(bytes)
    }

    fn after_the_id(&self) -> (&str, &str) {
        let rest = &self.texts[self.id_bytes.into()..];
        rest.split_at(self.key_bytes.into())
    }

    /// The members that decide more than the destination.
    pub fn terms(&self) -> &Terms {
        static NONE: LazyLock<Terms> = LazyLock::new(Terms::default);

        self.terms.as_deref().unwrap_or(&NONE)
    }

    /// Seconds until the link expires, 0 if it has; `None` if it never does.
    pub fn seconds_left(&self, now: UnixSeconds) -> Option<u64> {
        let left = self.terms().expiry?.get() - now.get();
        Some(u64::try_from(left).unwrap_or(0))
    }

    /// The status at a moment, as far as it does not depend on visits: the store alone knows
    /// whether a link is used up.
    pub fn status_at(&self, now: UnixSeconds) -> LinkStatus {
        let terms = self.terms();
        LinkStatus::at(now, &terms.life, terms.expiry, 0)
    }

    /// True if visitors find no link: it is disabled, or it has not started and leads nowhere before.
    pub fn is_hidden_at(&self, now: UnixSeconds) -> bool {
        match self.status_at(now) {
            LinkStatus::Disabled => true,
            LinkStatus::Scheduled => self.terms().life.start_url.is_none(),
            LinkStatus::Active | LinkStatus::Expired | LinkStatus::UsedUp => false,
        }
    }

    /// True if the number of visits is limited, so that each must be counted before it is
    /// answered.
    pub fn counts_visits(&self) -> bool {
        self.terms().life.max_visits.is_some()
    }

    /// True if other visitors, or the same one later, may get another answer at this moment.
    pub fn varies_at(&self, now: UnixSeconds) -> bool {
        self.counts_visits() || self.terms().routing.varies_at(now)
    }

    /// The sizes of the value's own allocations in bytes, 0 if there is none: the texts that
    /// every link has, and the terms without theirs. Callers use it to count memory.
    pub fn allocations(&self) -> [usize; 2] {
        let terms = self.terms.as_ref().map_or(0, |_| size_of::<Terms>());
        [self.texts.len(), terms]
    }
}

impl Terms {
    /// Every text of the terms. Callers use it to count memory.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let Self {
            expiry: _,
            ends_at: _,
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
                    rules,
                    split,
                    split_until: _,
                    forward_path: _,
                },
            delivery: _,
            life:
                Life {
                    starts_at: _,
                    start_url,
                    expired_url,
                    max_visits: _,
                    disabled: _,
                },
        } = self;
        let shares = split.iter().flat_map(Split::shares);
        let destinations = [apple, google, start_url, expired_url];
        let destinations = destinations
            .into_iter()
            .flatten()
            .chain(geo.values())
            .chain(rules.iter().map(Rule::destination))
            .chain(shares.map(|share| &share.destination));
        let others = [
            password.as_ref().map(PasswordHash::as_str),
            title.as_ref().map(Text::as_str),
            description.as_ref().map(Text::as_str),
            image.as_ref().map(Text::as_str),
        ];
        let others = others.into_iter().flatten();
        others.chain(destinations.map(Destination::as_str))
    }
}

impl From<&Link> for FollowedLink {
    fn from(link: &Link) -> Self {
        let content = &link.content;
        let terms = Terms {
            expiry: link.effective_expiry(),
            ends_at: link.ends_at,
            password: link.password.clone(),
            flagged_unsafe: content.flagged_unsafe == Some(true),
            preview: content.preview.clone(),
            routing: content.routing.clone(),
            delivery: content.delivery,
            life: content.life.clone(),
        };
        let destination = &content.destination;
        Self::new(&link.id, &link.key, link.revision, destination, terms)
    }
}

impl From<Link> for FollowedLink {
    fn from(link: Link) -> Self {
        Self::from(&link)
    }
}
