//! Decides the answer to a visitor of a link. The decision is pure: it depends only on a link,
//! a moment and a visitor.

use std::borrow::Cow;

use crate::{
    Country, Destination, FollowedLink, LinkStatus, PasswordHash, Platform, Split, Terms,
    UnixSeconds, Uri, Visitor,
    query::merge_query,
    routing::{Miss, Rule, fill},
    user_agent::is_social_bot,
};

/// The way by which a link leads a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the link's own destination.
    Main,
    /// By the rule at this index.
    Rule(usize),
    /// To the destination for iPhone, iPad and iPod.
    Apple,
    /// To the destination for Android.
    Google,
    /// To the destination for a country.
    Geo(Country),
    /// By the share of the split at this index.
    Share(usize),
}

impl Way {
    fn is_to_an_app(self) -> bool {
        matches!(self, Self::Apple | Self::Google)
    }
}

/// Decisions of the instance: defaults for links, and features that links can
/// ask for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InstanceDefaults {
    /// Merges the visitor's query into the destination of links that do not
    /// decide it.
    pub with_query: bool,
    /// Proxies links that ask for it.
    pub proxying: bool,
}

/// The decision.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolution<'l> {
    /// Visitors are told that no link has the slug: the link is disabled, or its start has not
    /// come.
    Absent,
    /// The link is expired.
    Expired,
    /// The visitor must pass a gate first. [`FollowedLink::deliver`] returns the answer behind it.
    Gate(Gate<'l>),
    /// The visitor gets this.
    Open(Arrival<'l>),
}

/// The first gate of a link, in the order in which visitors pass them.
#[derive(Debug, PartialEq, Eq)]
pub enum Gate<'l> {
    /// The visitor must give the password that this is the stored form of, and
    /// then confirm the warning if the link is flagged unsafe.
    Password(&'l PasswordHash),
    /// The visitor must be warned before going to the link's target.
    Warning,
}

/// The answer to a visitor whom no gate stops.
#[derive(Debug, PartialEq, Eq)]
pub enum Arrival<'l> {
    /// The visitor learns a destination of the link.
    Led(Lead<'l>),
    /// The visitor is sent to this address in place of the destination, because the link has not
    /// started or is over. It is no visit of the link.
    Detour(Uri<'l>),
    /// Show a preview that does not tell where the link leads: the visitor is a program without a
    /// person, and the visits of the link are counted.
    Sealed,
}

/// A link leads a visitor to a destination.
#[derive(Debug, PartialEq, Eq)]
pub struct Lead<'l> {
    /// The way that was chosen.
    pub way: Way,
    /// The address at the end of the way, with what the link passes on.
    pub target: Uri<'l>,
    /// The means by which the visitor gets there.
    pub by: Means,
}

/// The means by which a visitor gets to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// The visitor is sent there.
    Redirect,
    /// Show the preview that the link's author wrote, which goes on to the address: the visitor is
    /// a social network's bot.
    Preview,
    /// Fetch the address and answer with its content.
    Proxy,
    /// Show the address in a frame, under the short link's own.
    Frame,
}

impl FollowedLink {
    /// Decides the answer to a visitor who has passed no gate yet.
    pub fn resolve<'l>(&'l self, visitor: &Visitor<'_>, rules: InstanceDefaults) -> Resolution<'l> {
        if self.is_hidden_at(visitor.now) {
            return Resolution::Absent;
        }
        match self.status_at(visitor.now) {
            LinkStatus::Expired if self.detour(visitor.now).is_none() => {
                return Resolution::Expired;
            }
            // Nothing hidden lies at a detour, so a visitor needs no password.
            LinkStatus::Disabled | LinkStatus::Scheduled | LinkStatus::Expired => {}
            LinkStatus::Active | LinkStatus::UsedUp => {
                if let Some(hash) = &self.terms().password {
                    return Resolution::Gate(Gate::Password(hash));
                }
            }
        }
        if self.terms().flagged_unsafe {
            Resolution::Gate(Gate::Warning)
        } else {
            Resolution::Open(self.deliver(visitor, rules))
        }
    }

    /// The way of a visitor: by the first rule that holds, else to the app of the device, else by
    /// country, else by the split, else to the link's own destination.
    /// `missed` hears of each rule that does not hold.
    pub(crate) fn way(&self, visitor: &Visitor<'_>, missed: impl FnMut(Miss<'_>)) -> Way {
        let routing = &self.terms().routing;
        if let Some(rule) = routing.rules.first_holding(visitor, missed) {
            return Way::Rule(rule);
        }
        if routing.google.is_some() || routing.apple.is_some() {
            match Platform::from_user_agent(visitor.user_agent) {
                Platform::Android if routing.google.is_some() => return Way::Google,
                Platform::Apple if routing.apple.is_some() => return Way::Apple,
                Platform::Android | Platform::Apple | Platform::Other => {}
            }
        }
        if !routing.geo.is_empty()
            && let Some(country) = visitor.country()
            && routing.geo.contains_key(&country)
        {
            return Way::Geo(country);
        }
        let share = routing.split_at(visitor.now).and_then(|split| {
            let lot = visitor.facts.lot()?;
            split.side(lot)
        });
        share.map_or(Way::Main, Way::Share)
    }

    /// The destination at the end of a way, as its author wrote it. A way that the link does not
    /// have leads to its own destination.
    pub fn end_of(&self, way: Way) -> &str {
        let end = self.other_end(way);
        end.map_or_else(|| self.destination(), Destination::as_str)
    }

    /// The URI of the destination at the end of a way.
    fn uri_of(&self, way: Way) -> Uri<'_> {
        let end = self.other_end(way);
        end.map_or_else(|| self.uri(), Destination::uri)
    }

    /// The destination at the end of a way; `None` if it is the link's own.
    fn other_end(&self, way: Way) -> Option<&Destination> {
        let routing = &self.terms().routing;
        match way {
            Way::Main => None,
            Way::Rule(index) => routing.rules.get(index).map(Rule::destination),
            Way::Apple => routing.apple.as_ref(),
            Way::Google => routing.google.as_ref(),
            Way::Geo(country) => routing.geo.get(&country),
            Way::Share(index) => {
                let shares = routing.split.as_ref().map(Split::shares);
                let share = shares.and_then(|shares| shares.get(index));
                share.map(|share| &share.destination)
            }
        }
    }

    /// The address in place of the destination, at moments at which the link does not lead there.
    fn detour(&self, now: UnixSeconds) -> Option<&Destination> {
        let Terms { life, ends_at, .. } = self.terms();
        match self.status_at(now) {
            LinkStatus::Scheduled => life.start_url.as_ref(),
            // The instance lets its links lead nowhere then, so that nothing of a demonstration stays.
            LinkStatus::Expired if ends_at.is_some_and(|end| end <= now) => None,
            LinkStatus::Expired => life.expired_url.as_ref(),
            LinkStatus::Active | LinkStatus::UsedUp | LinkStatus::Disabled => None,
        }
    }

    /// The address to which this visitor is going, for a warning: in the author's spelling, which
    /// people can read. `None` if the visits of the link are counted: whom a warning stops has not
    /// used one.
    pub fn target(&self, visitor: &Visitor<'_>, rules: InstanceDefaults) -> Option<Cow<'_, str>> {
        if let Some(detour) = self.detour(visitor.now) {
            return Some(Cow::Borrowed(detour.as_str()));
        }
        if self.counts_visits() {
            return None;
        }
        let way = self.way(visitor, |_| {});
        Some(if way.is_to_an_app() {
            Cow::Borrowed(self.end_of(way))
        } else {
            self.with_query(self.with_rest(way, visitor), visitor, rules)
        })
    }

    /// The answer to a visitor who has passed every gate of the link.
    pub fn deliver<'l>(&'l self, visitor: &Visitor<'_>, rules: InstanceDefaults) -> Arrival<'l> {
        if let Some(detour) = self.detour(visitor.now) {
            return Arrival::Detour(detour.uri());
        }
        if self.counts_visits() && acts_by_itself(visitor) {
            return Arrival::Sealed;
        }
        let way = self.way(visitor, |_| {});
        // A device destination is an app's address: parameters meant for the web page are not
        // merged into it, and the link shows no page for it.
        if way.is_to_an_app() {
            let (target, by) = (self.uri_of(way), Means::Redirect);
            return Arrival::Led(Lead { way, target, by });
        }
        let target = match self.with_rest(way, visitor) {
            Cow::Borrowed(_) => self.uri_of(way),
            Cow::Owned(filled) => Uri::of(filled),
        };
        let target = target.map(|target| self.with_query(target, visitor, rules));
        let by = self.means(target.as_str(), visitor, rules);
        Arrival::Led(Lead { way, target, by })
    }

    fn means(&self, target: &str, visitor: &Visitor<'_>, rules: InstanceDefaults) -> Means {
        let terms = self.terms();
        if terms.preview.is_for_show() && is_social_bot(visitor.user_agent) {
            return Means::Preview;
        }
        let proxied = rules.proxying && terms.delivery.proxy == Some(true);
        let cloaked = terms.delivery.cloaking == Some(true);
        if !(proxied || cloaked) || !is_web_page(target) {
            Means::Redirect
        } else if proxied {
            Means::Proxy
        } else {
            Means::Frame
        }
    }

    /// The destination at the end of a way, with what stands behind the slug.
    fn with_rest(&self, way: Way, visitor: &Visitor<'_>) -> Cow<'_, str> {
        let destination = self.end_of(way);
        if self.terms().routing.forwards_path() {
            fill(destination, visitor.rest.unwrap_or_default())
        } else {
            Cow::Borrowed(destination)
        }
    }

    /// The target with the visitor's query, if the link passes that on.
    fn with_query<'t>(
        &self,
        target: Cow<'t, str>,
        visitor: &Visitor<'_>,
        rules: InstanceDefaults,
    ) -> Cow<'t, str> {
        let passes_on = self.terms().routing.with_query.unwrap_or(rules.with_query);
        match (visitor.query, target) {
            (Some(query), Cow::Borrowed(text)) if passes_on && !query.is_empty() => {
                merge_query(text, query)
            }
            (Some(query), Cow::Owned(text)) if passes_on && !query.is_empty() => {
                Cow::Owned(merge_query(&text, query).into_owned())
            }
            (_, target) => target,
        }
    }
}

/// True if no person is at the program that asks. Previews for bots are Sink's and go by its words
/// alone, some of which the browsers inside apps have, too; they decide here only where nothing
/// else is known.
fn acts_by_itself(visitor: &Visitor<'_>) -> bool {
    match visitor.facts.agent() {
        Some(agent) => agent.is_bot,
        None => is_social_bot(visitor.user_agent),
    }
}

/// Other schemes open programs. A proxy has nothing to fetch for them, and a
/// frame would stay empty.
fn is_web_page(target: &str) -> bool {
    let scheme = target.split_once(':').map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("https") || scheme.eq_ignore_ascii_case("http")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Description, DestinationRules, ImageRef, Link, Title, UnixSeconds,
        fixture::{NOON, link, to, visitor, with},
        routing::{AgentFacts, VisitorFacts},
    };

    const PLAIN: InstanceDefaults = InstanceDefaults {
        with_query: false,
        proxying: false,
    };
    const MERGING: InstanceDefaults = InstanceDefaults {
        with_query: true,
        ..PLAIN
    };
    const PROXYING: InstanceDefaults = InstanceDefaults {
        proxying: true,
        ..PLAIN
    };

    fn followed(link: &Link) -> FollowedLink {
        link.into()
    }

    fn led(way: Way, url: &str, by: Means) -> Arrival<'_> {
        let target = Uri::of(url);
        Arrival::Led(Lead { way, target, by })
    }

    fn redirect(url: &str) -> Resolution<'_> {
        Resolution::Open(led(Way::Main, url, Means::Redirect))
    }

    fn page(by: Means) -> Resolution<'static> {
        Resolution::Open(led(Way::Main, "https://example.com/", by))
    }

    fn shop() -> Resolution<'static> {
        let app = "https://play.example/app";
        Resolution::Open(led(Way::Google, app, Means::Redirect))
    }

    #[track_caller]
    fn meets(
        link: &Link,
        visitor: &Visitor<'_>,
        defaults: InstanceDefaults,
        expected: &Resolution<'_>,
    ) {
        assert_eq!(followed(link).resolve(visitor, defaults), *expected);
    }

    #[test]
    fn a_plain_link_redirects_without_copying_its_destination() {
        let link = followed(&link("https://example.com/"));
        let resolution = link.resolve(&visitor(), PLAIN);
        assert_eq!(resolution, redirect("https://example.com/"));
    }

    #[test]
    fn a_link_expires_at_the_second_it_names() {
        let mut link = link("https://example.com/");
        link.content.expires_at = Some(NOON);
        meets(&link, &visitor(), PLAIN, &Resolution::Expired);
        link.content.expires_at = Some(UnixSeconds::new(NOON.get() + 1).unwrap());
        meets(&link, &visitor(), PLAIN, &redirect("https://example.com/"));
    }

    #[test]
    fn expiry_comes_before_the_password_and_the_password_before_the_warning() {
        let mut link = link("https://example.com/");
        link.password = Some(PasswordHash::new("hash"));
        link.content.flagged_unsafe = Some(true);
        let hash = PasswordHash::new("hash");
        let password = Resolution::Gate(Gate::Password(&hash));
        meets(&link, &visitor(), PLAIN, &password);
        link.password = None;
        meets(&link, &visitor(), PLAIN, &Resolution::Gate(Gate::Warning));
        let passed = followed(&link);
        let to = "https://example.com/";
        assert_eq!(passed.target(&visitor(), PLAIN).unwrap(), to);
        let arrival = passed.deliver(&visitor(), PLAIN);
        assert_eq!(arrival, led(Way::Main, to, Means::Redirect));
        link.content.expires_at = Some(NOON);
        link.password = Some(PasswordHash::new("hash"));
        meets(&link, &visitor(), PLAIN, &Resolution::Expired);
    }

    #[test]
    fn a_device_destination_beats_the_country_and_takes_no_query() {
        let mut link = link("https://example.com/");
        link.content.routing.google = Some(to("https://play.example/app"));
        link.content
            .routing
            .geo
            .insert(Country::parse("DE").unwrap(), to("https://example.de/"));
        let german = Visitor {
            country: Country::parse("de").ok(),
            query: Some("a=1"),
            ..visitor()
        };
        let geo = Way::Geo(Country::parse("DE").unwrap());
        let to_germany = led(geo, "https://example.de/?a=1", Means::Redirect);
        meets(&link, &german, MERGING, &Resolution::Open(to_germany));
        let android = with(german, |it| it.user_agent = "Android 14");
        meets(&link, &android, MERGING, &shop());
    }

    const BOT: &str = "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)";

    #[test]
    fn a_bot_sees_a_preview_when_there_is_something_to_show() {
        let mut link = link("https://example.com/");
        let bot = Visitor {
            user_agent: BOT,
            query: Some("a=1"),
            ..visitor()
        };
        let is = |link: &Link, by| {
            let to = led(Way::Main, "https://example.com/?a=1", by);
            meets(link, &bot, MERGING, &Resolution::Open(to));
        };
        link.content.preview.description = Description::parse("alone").ok();
        is(&link, Means::Redirect);
        // An empty title is none.
        link.content.preview.title = Title::parse("").ok();
        is(&link, Means::Redirect);
        link.content.preview.title = Title::parse("Docs").ok();
        is(&link, Means::Preview);
        // A preview comes before the frame.
        link.content.preview.title = None;
        link.content.preview.image = ImageRef::parse("/a.png").ok();
        link.content.delivery.cloaking = Some(true);
        is(&link, Means::Preview);
        meets(&link, &visitor(), MERGING, &page(Means::Frame));
        link.content.flagged_unsafe = Some(true);
        meets(&link, &bot, MERGING, &Resolution::Gate(Gate::Warning));
    }

    #[test]
    fn a_device_destination_is_neither_shown_nor_framed() {
        let mut link = link("https://example.com/");
        link.content.preview.title = Title::parse("Docs").ok();
        link.content.delivery.cloaking = Some(true);
        link.content.routing.google = Some(to("https://play.example/app"));
        let with = |user_agent| with(visitor(), |it| it.user_agent = user_agent);
        for user_agent in ["Android 14", "WhatsApp/2 Android"] {
            meets(&link, &with(user_agent), PLAIN, &shop());
        }
    }

    #[test]
    fn a_web_page_is_proxied_where_that_is_on_and_before_it_is_framed() {
        let mut link = link("https://example.com/");
        link.content.delivery.proxy = Some(true);
        let proxied = page(Means::Proxy);
        meets(&link, &visitor(), PROXYING, &proxied);
        meets(&link, &visitor(), PLAIN, &redirect("https://example.com/"));
        link.content.delivery.cloaking = Some(true);
        meets(&link, &visitor(), PROXYING, &proxied);
        meets(&link, &visitor(), PLAIN, &page(Means::Frame));
        link.content.preview.title = Title::parse("Docs").ok();
        let bot = with(visitor(), |it| it.user_agent = BOT);
        meets(&link, &bot, PROXYING, &page(Means::Preview));
        link.content.routing.google = Some(to("https://play.example/app"));
        let android = with(visitor(), |it| it.user_agent = "Android 14");
        meets(&link, &android, PROXYING, &shop());
        let rules = DestinationRules::new(100, vec!["mailto".parse().unwrap()]);
        link.content.destination = Destination::parse("mailto:a@example.com", &rules).unwrap();
        meets(
            &link,
            &visitor(),
            PROXYING,
            &redirect("mailto:a@example.com"),
        );
    }

    #[test]
    fn only_web_pages_are_framed() {
        let rules = DestinationRules::new(100, vec!["mailto".parse().unwrap()]);
        for (url, framed) in [
            ("HTTPS://example.com/", true),
            ("http://example.com/", true),
            ("mailto:a@example.com", false),
        ] {
            let mut link = link("https://example.com/");
            link.content.delivery.cloaking = Some(true);
            link.content.destination = Destination::parse(url, &rules).unwrap();
            let by = if framed {
                Means::Frame
            } else {
                Means::Redirect
            };
            let arrival = led(Way::Main, url, by);
            meets(&link, &visitor(), PLAIN, &Resolution::Open(arrival));
        }
    }

    #[test]
    fn the_visitors_query_is_merged_where_the_link_or_the_instance_says_so() {
        let mut link = link("https://e.example/?a=1&b=t#top");
        let visitor = with(visitor(), |it| it.query = Some("c=2&b=r"));
        let as_written = "https://e.example/?a=1&b=t#top";
        let merged = "https://e.example/?a=1&b=r&c=2#top";
        meets(&link, &visitor, PLAIN, &redirect(as_written));
        meets(&link, &visitor, MERGING, &redirect(merged));
        link.content.routing.with_query = Some(true);
        meets(&link, &visitor, PLAIN, &redirect(merged));
        link.content.routing.with_query = Some(false);
        meets(&link, &visitor, MERGING, &redirect(as_written));
    }

    fn second(after_noon: i64) -> UnixSeconds {
        UnixSeconds::new(NOON.get() + after_noon).unwrap()
    }

    fn detour(url: &str) -> Resolution<'_> {
        Resolution::Open(Arrival::Detour(Uri::of(url)))
    }

    #[test]
    fn before_the_start_and_when_disabled_there_is_no_link() {
        let mut link = link("https://example.com/");
        link.password = Some(PasswordHash::new("hash"));
        link.content.life.starts_at = Some(second(1));
        meets(&link, &visitor(), PLAIN, &Resolution::Absent);
        link.content.life.start_url = Some(to("https://soon.example/"));
        meets(&link, &visitor(), PLAIN, &detour("https://soon.example/"));
        link.content.life.starts_at = Some(NOON);
        assert!(matches!(
            followed(&link).resolve(&visitor(), PLAIN),
            Resolution::Gate(Gate::Password(_))
        ));
        link.content.life.disabled = true;
        link.content.expires_at = Some(NOON);
        link.content.life.expired_url = Some(to("https://over.example/"));
        // A disabled link is hidden, expired or not.
        meets(&link, &visitor(), PLAIN, &Resolution::Absent);
    }

    #[test]
    fn after_the_end_a_link_may_lead_elsewhere_with_its_warning() {
        let mut link = link("https://example.com/");
        link.content.life.expired_url = Some(to("https://over.example/"));
        meets(&link, &visitor(), PLAIN, &redirect("https://example.com/"));
        link.content.expires_at = Some(NOON);
        let over = "https://over.example/";
        meets(&link, &visitor(), PLAIN, &detour(over));
        link.content.flagged_unsafe = Some(true);
        meets(&link, &visitor(), PLAIN, &Resolution::Gate(Gate::Warning));
        let link = followed(&link);
        assert_eq!(link.target(&visitor(), PLAIN).unwrap(), over);
        let arrival = link.deliver(&visitor(), PLAIN);
        assert_eq!(arrival, Arrival::Detour(Uri::of(over)));
    }

    #[test]
    fn after_the_end_that_the_instance_sets_a_link_leads_nowhere() {
        let mut link = link("https://example.com/");
        link.content.life.expired_url = Some(to("https://over.example/"));
        link.content.expires_at = Some(NOON);
        link.ends_at = Some(second(1));
        let at = |link: &Link, now| {
            let visitor = Visitor { now, ..visitor() };
            format!("{:?}", followed(link).resolve(&visitor, PLAIN))
        };
        assert_eq!(
            at(&link, NOON),
            r#"Open(Detour(Uri("https://over.example/")))"#
        );
        assert_eq!(at(&link, second(1)), "Expired");
        link.content.expires_at = None;
        assert_eq!(at(&link, second(1)), "Expired");
    }

    #[test]
    fn where_visits_are_counted_no_program_learns_the_destination() {
        #[derive(Debug)]
        struct Program(AgentFacts);
        impl VisitorFacts for Program {
            fn agent(&self) -> Option<&AgentFacts> {
                Some(&self.0)
            }
        }
        let program = |is_bot| {
            Program(AgentFacts {
                is_bot,
                ..AgentFacts::default()
            })
        };
        let crawler = program(true);
        let visitor = with(visitor(), |it| it.facts = &crawler);
        let mut link = link("https://example.com/");
        link.content.preview.title = Title::parse("Docs").ok();
        // Sink shows other links to it as they are.
        meets(&link, &visitor, PLAIN, &redirect("https://example.com/"));
        link.content.life.max_visits = crate::MaxVisits::new(1).ok();
        meets(&link, &visitor, PLAIN, &Resolution::Open(Arrival::Sealed));
        // A person in an app whose browser has one of Sink's words.
        link.content.preview.title = None;
        let in_app = program(false);
        let person = with(visitor, |it| {
            it.facts = &in_app;
            it.user_agent = "Mozilla/5.0 (iPhone) Snapchat/12.68.0.35";
        });
        meets(&link, &person, PLAIN, &redirect("https://example.com/"));
    }

    #[test]
    fn where_visits_are_counted_a_bot_and_a_warning_tell_no_destination() {
        let mut link = link("https://example.com/");
        link.content.life.max_visits = crate::MaxVisits::new(1).ok();
        link.content.routing.google = Some(to("https://play.example/app"));
        meets(&link, &visitor(), PLAIN, &redirect("https://example.com/"));
        assert_eq!(followed(&link).target(&visitor(), PLAIN), None);
        for user_agent in [BOT, "WhatsApp/2 Android"] {
            let bot = with(visitor(), |it| it.user_agent = user_agent);
            meets(&link, &bot, PLAIN, &Resolution::Open(Arrival::Sealed));
        }
    }
}
