//! The members of a link that its author decides: the list of them, what holds them, and changes of
//! them.
//!
//! A new member is one row of [`link_members`](crate::link_members), and a field of [`LinkContent`] or
//! of one of its groups. Bodies, answers, schemas, tables and histories of links come from the row, by
//! the wire form that the crate `slugline-contract` gives to each *type* of members. A row is
//!
//! ```text
//! /// What bodies say of the member.
//! name: Type, "wireName", sinks, place.in.the.content, "What answers say of it.";
//! ```
//!
//! - `name` is its name in [`LinkPatch`], and `Type` the type of its value.
//! - `sinks` stands for a member that clients of Sink know: one that a replacing body leaves out is
//!   removed. `ours` stands for one that they do not know and therefore leave out, so that it is kept.
//! - The place is where [`LinkContent`] holds it, as [`Holds`](crate::Holds) says. Redirects
//!   remember the members in `preview`, `routing`, `delivery` and `life`, and no others.
//!
//! The rows are in the order of schemas, and of faults. The destination is no row, because a link
//! cannot be without it.

use crate::{
    Change, Comment, Countries, Description, Destination, ImageRef, Life, LifeFault, MaxVisits,
    Password, Rules, Split, Tags, Title, UnixSeconds, VisitsBefore,
    routing::{ConditionKind, KnownPlaces, PathRest, Rule, fill},
};

/// Calls a macro with the list of a link's members. The module [`content`](crate::content) explains
/// the rows.
#[macro_export]
macro_rules! link_members {
    ($then:ident) => {
        $then! {
            /// A private note.
            comment: Comment, "comment", sinks, comment, "A private note about the link.";
            /// When it expires: RFC 3339 or Unix seconds.
            expires_at: UnixSeconds, "expiration", sinks, expires_at,
                "When the link expires, in Unix seconds.";
            /// Tags to group links by; lower-cased.
            tags: Tags, "tags", sinks, tags, "Tags.";
            /// Title of the preview.
            title: Title, "title", sinks, preview.title, "Title of the preview.";
            /// Description of the preview.
            description: Description, "description", sinks, preview.description,
                "Description of the preview.";
            /// Image of the preview: a URL or a path.
            image: ImageRef, "image", sinks, preview.image, "Image of the social preview.";
            /// Destination of iPhones and iPads.
            apple: Destination, "apple", sinks, routing.apple, "Where iPhones and iPads are sent.";
            /// Destination of Android devices.
            google: Destination, "google", sinks, routing.google,
                "Where Android devices are sent.";
            /// Destinations by country: code to URL.
            geo: Countries, "geo", sinks, routing.geo, "Where visitors from a country are sent.";
            /// Pass the query on; left out, as the server is set.
            with_query: bool, "redirectWithQuery", sinks, routing.with_query,
                "True if the visitor's query parameters are merged into the destination.";
            /// Show the destination in a frame.
            cloaking: bool, "cloaking", sinks, delivery.cloaking,
                "True if the destination is shown in a frame.";
            /// Fetch the destination and pass it on.
            proxy: bool, "proxy", sinks, delivery.proxy,
                "True if the server fetches the destination and passes it on.";
            /// Warn visitors before they go on.
            flagged_unsafe: bool, "unsafe", sinks, flagged_unsafe, "True if visitors are warned.";
            /// Other destinations; first rule that holds wins: [{when: {country: ["DE"], device: {not: ["ios"]}}, url: "…"}]. Conditions: device, browser, country, region, city, continent, language, query {name: text or true}, referrer, from, until, weekday, hours "08:00-18:00" (in timeZone), bot, network.
            rules: Rules, "rules", ours, routing.rules,
                "Rules in order: what visitors meet, and where they are sent then.";
            /// Percentages for other destinations: [{url: "…", weight: 30}].
            split: Split, "split", ours, routing.split,
                "Destinations of percentages of the visitors.";
            /// When the split ends.
            split_until: UnixSeconds, "splitUntil", ours, routing.split_until,
                "When the split ends, in Unix seconds.";
            /// Pass on the path behind the slug, to {path} or {1} to {9} in the URL, else to its end.
            forward_path: bool, "forwardPath", ours, routing.forward_path,
                "True if what stands behind the slug is passed on.";
            /// When it starts; hidden until then.
            starts_at: UnixSeconds, "startsAt", ours, life.starts_at,
                "When the link starts, in Unix seconds.";
            /// Destination before startsAt.
            start_url: Destination, "startUrl", ours, life.start_url,
                "The destination before it starts.";
            /// Destination when expired or used up.
            expired_url: Destination, "expiredUrl", ours, life.expired_url,
                "The destination when it is expired or used up.";
            /// Visits it takes; 1 for a one-time link.
            max_visits: MaxVisits, "maxVisits", ours, life.max_visits,
                "The number of visits after which it is used up.";
            /// Hide it from visitors.
            disabled: bool, "disabled", ours, life.disabled, "True if visitors find no link.";
            /// Ask search engines not to list the short link; left out, as the server is set.
            noindex: bool, "noindex", ours, delivery.noindex,
                "True if search engines are asked not to list the short link.";
            /// Visits it had elsewhere.
            visits_before: VisitsBefore, "visitsBefore", ours, visits_before,
                "The number of visits that the link had elsewhere; no statistic counts them.";
        }
    };
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
    /// When the link starts and ends, and where visitors go before and after.
    pub life: Life,
    /// The visits that the link had before it came here.
    pub visits_before: Option<VisitsBefore>,
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
            life: Life::default(),
            visits_before: None,
        }
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
    pub geo: Countries,
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

    /// True if a destination depends on more than is known of where visitors are.
    pub fn asks_in_vain(&self, known: KnownPlaces) -> bool {
        let mut conditions = self.rules.iter().flat_map(Rule::conditions);
        (!self.geo.is_empty() && !known.tell(ConditionKind::Country))
            || conditions.any(|condition| !known.tell(condition.kind()))
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
    /// Asks search engines not to list the short link; `None` means the instance's default.
    pub noindex: Option<bool>,
}

macro_rules! patch {
    ($(
        $(#[$says:meta])+
        $name:ident: $Type:ty, $wire:literal, $whose:ident, $($place:ident).+, $shown:literal;
    )+) => {
        /// Changes of some members of a link; the others stay.
        #[expect(clippy::doc_link_with_quotes, reason = "the row of rules shows JSON")]
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct LinkPatch {
            /// The destination, which cannot be removed.
            pub destination: Option<Destination>,
            /// The password in clear.
            pub password: Change<Password>,
            /// `true` removes a warning that is kept if there are new destinations and all are
            /// harmless. Dangerous ones add a warning either way.
            pub judges_anew: bool,
            $($(#[$says])+ pub $name: Change<$Type>,)+
        }

        impl LinkPatch {
            /// Returns the change that replaces a link: it also removes what this one keeps, except
            /// the password, and members that clients of Sink do not know and therefore leave
            /// out. A warning is judged anew.
            #[must_use]
            pub fn replacing(mut self) -> Self {
                let warning = self.flagged_unsafe.clone();
                $(self.$name = self.$name.$whose();)+
                Self { flagged_unsafe: warning, judges_anew: true, ..self }
            }

            /// Changes the content. Callers hash and store the password themselves, and ask for
            /// a verdict on the warning.
            pub fn apply(self, content: &mut LinkContent) {
                if let Some(to) = self.destination {
                    content.destination = to;
                }
                // The end of a split goes with it.
                if self.split == Change::Clear && self.split_until == Change::Keep {
                    content.routing.split_until = None;
                }
                $(self.$name.apply(&mut content.$($place).+);)+
            }
        }
    };
}

link_members!(patch);

impl LinkPatch {
    /// The content of a new link that has these members; `None` without a destination.
    pub fn into_content(mut self) -> Option<LinkContent> {
        let mut content = LinkContent::leading_to(self.destination.take()?);
        self.apply(&mut content);
        Some(content)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_changes_what_it_names() {
        let second = |number| UnixSeconds::new(number).unwrap();
        let mut content = LinkContent::leading_to("https://example.com/".parse().unwrap());
        content.life.starts_at = Some(second(5));
        content.life.disabled = true;
        let before = content.clone();
        LinkPatch::default().apply(&mut content);
        assert_eq!(content, before);
        let patch = LinkPatch {
            starts_at: Change::Clear,
            max_visits: Change::Set(MaxVisits::new(1).unwrap()),
            disabled: Change::Clear,
            ..LinkPatch::default()
        };
        patch.apply(&mut content);
        let life = content.life;
        assert_eq!((life.starts_at, life.disabled), (None, false));
        assert_eq!(life.max_visits.map(MaxVisits::get), Some(1));
    }
}
