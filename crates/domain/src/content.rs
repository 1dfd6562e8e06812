//! The members of a link that its author decides, and changes of them.
//!
//! A new member starts here. The functions of this file take [`LinkContent`] apart in
//! full, as do those that read and show links elsewhere, so the compiler names each
//! place that has to know the member.

use std::collections::BTreeMap;

use crate::{
    Comment, Country, Description, Destination, ImageRef, Password, Tags, Title, UnixSeconds,
};

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
            apple,
            google,
            geo,
            with_query: _,
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

/// Changes of some members of a link; the others stay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkPatch {
    /// The destination, which cannot be removed.
    pub destination: Option<Destination>,
    /// The note.
    pub comment: Change<Comment>,
    /// The author's expiry.
    pub expires_at: Change<UnixSeconds>,
    /// All tags.
    pub tags: Change<Tags>,
    /// The password in clear.
    pub password: Change<Password>,
    /// The title of the preview.
    pub title: Change<Title>,
    /// The text of the preview.
    pub description: Change<Description>,
    /// The picture of the preview.
    pub image: Change<ImageRef>,
    /// The destination for iPhone, iPad and iPod.
    pub apple: Change<Destination>,
    /// The destination for Android.
    pub google: Change<Destination>,
    /// All destinations by country.
    pub geo: Change<BTreeMap<Country, Destination>>,
    /// The treatment of the visitor's query.
    pub with_query: Change<bool>,
    /// Showing the destination in a frame.
    pub cloaking: Change<bool>,
    /// Fetching the destination and passing it on.
    pub proxy: Change<bool>,
    /// The warning of visitors.
    pub flagged_unsafe: Change<bool>,
}

impl LinkPatch {
    /// Changes the content. The password is not part of the content: callers hash and store it
    /// themselves.
    pub fn apply(self, content: &mut LinkContent) {
        let LinkContent {
            destination,
            comment,
            expires_at,
            tags,
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
                    with_query,
                },
            delivery: Delivery { cloaking, proxy },
            flagged_unsafe,
        } = content;
        if let Some(to) = self.destination {
            *destination = to;
        }
        self.comment.apply(comment);
        self.expires_at.apply(expires_at);
        self.tags.apply_or_default(tags);
        self.title.apply(title);
        self.description.apply(description);
        self.image.apply(image);
        self.apple.apply(apple);
        self.google.apply(google);
        self.geo.apply_or_default(geo);
        self.with_query.apply(with_query);
        self.cloaking.apply(cloaking);
        self.proxy.apply(proxy);
        self.flagged_unsafe.apply(flagged_unsafe);
    }
}

/// A change of one member.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Change<T> {
    /// Keeps the member.
    #[default]
    Keep,
    /// Removes the member.
    Clear,
    /// Sets the member to this value.
    Set(T),
}

impl<T> Change<T> {
    /// Changes a member that can be absent.
    pub fn apply(self, member: &mut Option<T>) {
        match self {
            Self::Keep => {}
            Self::Clear => *member = None,
            Self::Set(value) => *member = Some(value),
        }
    }

    /// Changes a member that is empty instead of absent.
    fn apply_or_default(self, member: &mut T)
    where
        T: Default,
    {
        match self {
            Self::Keep => {}
            Self::Clear => *member = T::default(),
            Self::Set(value) => *member = value,
        }
    }
}
