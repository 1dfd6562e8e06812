//! The members of a link that its author decides, and changes of them.
//!
//! A new member starts here. The functions of this file take [`LinkContent`] apart in
//! full, as do those that read and show links elsewhere, so the compiler names each
//! place that has to know the member.

use std::collections::BTreeMap;

use thiserror::Error;

use crate::{
    Change, Comment, Country, Description, Destination, ImageRef, Life, LifeFault, LifePatch,
    LinkKey, OwnAddresses, Password, Rules, Slug, Split, Tags, Title, UnixSeconds,
    routing::{PathRest, Rule, fill, may_forward, misplaced_placeholder, placeholder_in},
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
    /// When the link starts and ends, and where visitors go before and after.
    pub life: Life,
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
            life: Life::NONE,
        }
    }

    /// Takes over the members that clients of Sink do not know, which they leave out when they
    /// replace a link.
    pub fn keep_ours_of(&mut self, before: &Self) {
        let Routing {
            apple: _,
            google: _,
            geo: _,
            with_query: _,
            rules,
            split,
            split_until,
            forward_path,
        } = &before.routing;
        let routing = &mut self.routing;
        routing.rules.clone_from(rules);
        routing.split.clone_from(split);
        routing.split_until = *split_until;
        routing.forward_path = *forward_path;
        self.life.clone_from(&before.life);
    }

    /// Every destination that the link may send a visitor to. It names every member, so that a
    /// new one cannot be forgotten.
    pub fn destinations(&self) -> impl Iterator<Item = &Destination> {
        let Self {
            destination,
            comment: _,
            expires_at: _,
            tags: _,
            preview: _,
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
            flagged_unsafe: _,
            life,
        } = self;
        let shares = split.iter().flat_map(Split::shares);
        let devices = apple.iter().chain(google);
        std::iter::once(destination)
            .chain(devices)
            .chain(geo.values())
            .chain(rules.iter().map(Rule::destination))
            .chain(shares.map(|share| &share.destination))
            .chain(life.destinations())
    }

    /// Checks the members against one another.
    ///
    /// # Errors
    /// Names the first rule that they break.
    pub fn check(&self) -> Result<(), LifeFault> {
        let Routing {
            split, split_until, ..
        } = &self.routing;
        if split_until.is_some() && split.is_none() {
            return Err(LifeFault::SplitEndWithoutSplit);
        }
        self.life.check(self.expires_at)
    }

    /// Checks that a link with this key, if it passes on what stands behind its slug, sends no
    /// visitor in circles.
    ///
    /// # Errors
    /// Names the first destination that is wrong for such a link.
    pub fn check_forwarding(
        &self,
        key: &LinkKey,
        own: &OwnAddresses,
    ) -> Result<(), ForwardingFault> {
        if !self.routing.forwards_path() {
            return Ok(());
        }
        if !may_forward(&key.slug) {
            return Err(ForwardingFault::Kept(key.slug.clone()));
        }
        let apps = self.routing.apple.iter().chain(&self.routing.google);
        let unfilled = apps.chain(self.life.destinations());
        for destination in unfilled {
            if let Some(placeholder) = placeholder_in(destination.as_str()) {
                return Err(ForwardingFault::Unfilled {
                    placeholder: placeholder.to_owned(),
                    destination: destination.clone(),
                });
            }
        }
        for destination in self.destinations() {
            let fault = if let Some(placeholder) = misplaced_placeholder(destination.as_str()) {
                ForwardingFault::Misplaced {
                    placeholder: placeholder.to_owned(),
                    destination: destination.clone(),
                }
            } else if own.is_below(key, destination) {
                ForwardingFault::Circle(destination.clone())
            } else {
                continue;
            };
            return Err(fault);
        }
        Ok(())
    }

    /// Checks that a link with this key does not lead to itself, and may pass on what stands behind
    /// its slug if it does so.
    ///
    /// # Errors
    /// Names the first destination, or the slug, that is wrong.
    pub fn check_key(&self, key: &LinkKey, own: &OwnAddresses) -> Result<(), ForwardingFault> {
        let mut destinations = self.destinations();
        match destinations.find(|to| own.is_address_of(key, to)) {
            Some(itself) => Err(ForwardingFault::Itself(itself.clone())),
            None => self.check_forwarding(key, own),
        }
    }
}

/// The reason why a link cannot have its key, or not pass on what stands behind its slug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ForwardingFault {
    /// The destination is the link's own address.
    #[error("{0} is the address of this link, which would send visitors in circles")]
    Itself(Destination),
    /// The service has paths of its own below the slug.
    #[error(
        "a link with the slug {0} cannot pass on what stands behind it, because the service has \
         paths of its own there"
    )]
    Kept(Slug),
    /// The destination is below the link's own address.
    #[error("{0} is below the address of this link, which would send visitors in circles")]
    Circle(Destination),
    /// Nothing is filled into destinations for devices, and into those before the start and after
    /// the end.
    #[error("nothing is filled in for {placeholder} of {destination}")]
    Unfilled {
        /// The placeholder.
        placeholder: String,
        /// The destination.
        destination: Destination,
    },
    /// Nothing is filled in before the end of the host.
    #[error("{placeholder} stands before the end of the host of {destination}")]
    Misplaced {
        /// The placeholder.
        placeholder: String,
        /// The destination.
        destination: Destination,
    },
    /// One of these, of a link that the caller may not see.
    #[error(
        "a destination of the link leads back to the link, or has a placeholder that is not \
         filled in"
    )]
    Hidden,
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
    /// Destinations for visitors who meet conditions. They come before all others.
    pub rules: Rules,
    /// Destinations for shares of the visitors whom nothing else sends elsewhere.
    pub split: Option<Split>,
    /// The second from which the split is over.
    pub split_until: Option<UnixSeconds>,
    /// `true` passes on what stands behind the slug.
    pub forward_path: Option<bool>,
}

impl Routing {
    /// The split, unless it is over at a moment.
    pub fn split_at(&self, now: UnixSeconds) -> Option<&Split> {
        let split = self.split.as_ref()?;
        self.split_until
            .is_none_or(|until| now < until)
            .then_some(split)
    }

    /// A destination as a visitor gets it who has nothing behind the slug.
    pub fn without_rest(&self, destination: &Destination) -> Destination {
        if !self.forwards_path() {
            return destination.clone();
        }
        let text = fill(destination.as_str(), PathRest::default());
        Destination::restore(&text).unwrap_or_else(|_| destination.clone())
    }

    /// True if what stands behind the slug is passed on.
    pub fn forwards_path(&self) -> bool {
        self.forward_path == Some(true)
    }

    /// True if rules or a split lead visitors to different places at a moment. Nothing may
    /// remember such an answer.
    pub fn varies_at(&self, now: UnixSeconds) -> bool {
        !self.rules.is_empty() || self.split_at(now).is_some()
    }
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
    /// All rules.
    pub rules: Change<Rules>,
    /// The whole split.
    pub split: Change<Split>,
    /// The end of the split.
    pub split_until: Change<UnixSeconds>,
    /// Passing on what stands behind the slug.
    pub forward_path: Change<bool>,
    /// Showing the destination in a frame.
    pub cloaking: Change<bool>,
    /// Fetching the destination and passing it on.
    pub proxy: Change<bool>,
    /// The warning of visitors.
    pub flagged_unsafe: Change<bool>,
    /// When the link starts and ends, and where visitors go before and after.
    pub life: LifePatch,
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
                    rules,
                    split,
                    split_until,
                    forward_path,
                },
            delivery: Delivery { cloaking, proxy },
            flagged_unsafe,
            life,
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
        self.rules.apply_or_default(rules);
        // The end of a split goes with it.
        let end_of_none = self.split == Change::Clear && self.split_until == Change::Keep;
        self.split.apply(split);
        if end_of_none {
            *split_until = None;
        }
        self.split_until.apply(split_until);
        self.forward_path.apply(forward_path);
        self.cloaking.apply(cloaking);
        self.proxy.apply(proxy);
        self.flagged_unsafe.apply(flagged_unsafe);
        self.life.apply(life);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_placeholder_is_refused_where_nothing_is_filled_in() {
        let to = |url: &str| url.parse::<Destination>().unwrap();
        let key = LinkKey::parse("docs").unwrap();
        let own = OwnAddresses::default();
        let mut content = LinkContent::leading_to(to("https://e.example/{1}"));
        content.routing.apple = Some(to("https://apps.example/{1}"));
        assert_eq!(content.check_forwarding(&key, &own), Ok(()));
        content.routing.forward_path = Some(true);
        let refused = content.check_forwarding(&key, &own).unwrap_err();
        let message = "nothing is filled in for {1} of https://apps.example/{1}";
        assert_eq!(refused.to_string(), message);
        content.routing.apple = None;
        content.life.expired_url = Some(to("https://over.example/?{path}"));
        let refused = content.check_forwarding(&key, &own).unwrap_err();
        assert!(matches!(refused, ForwardingFault::Unfilled { .. }));
        content.life.expired_url = None;
        assert_eq!(content.check_forwarding(&key, &own), Ok(()));
    }
}
