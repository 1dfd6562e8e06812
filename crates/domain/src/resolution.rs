//! What happens when somebody follows a link. Pure: a link, a moment and a
//! visitor go in, a decision comes out.

use std::borrow::Cow;

use url::{Url, form_urlencoded};

use crate::{Country, Destination, Link, LinkStatus, PasswordHash, UnixSeconds};

/// What the rule needs to know of a visitor.
#[derive(Clone, Copy, Debug)]
pub struct Visitor<'a> {
    /// When the request came.
    pub now: UnixSeconds,
    /// The `User-Agent` header, empty when absent; read only for links with a
    /// destination of their own for some devices.
    pub user_agent: &'a str,
    /// Where the visitor is, if known.
    pub country: Option<Country>,
    /// The request's query string, without `?`.
    pub query: Option<&'a str>,
    /// How far the visitor has come through the link's gates.
    pub passed: Gate,
}

/// The gates before a destination, in their order. "Passed" includes all
/// earlier ones that the link has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Gate {
    /// None passed yet.
    #[default]
    Outside,
    /// The password was given.
    Password,
    /// The warning of an unsafe link was confirmed.
    Warning,
}

/// Device families that a link can send elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Platform {
    /// Android.
    Android,
    /// iPhone, iPad or iPod, or Chrome on one of them.
    Apple,
    /// Anything else.
    #[default]
    Other,
}

impl Platform {
    /// Recognises the family from a `User-Agent` header, by the words Sink
    /// looks for.
    pub fn from_user_agent(user_agent: &str) -> Self {
        let mentions = |word: &str| contains_ignoring_case(user_agent, word);
        if mentions("android") {
            Self::Android
        } else if ["iphone", "ipad", "ipod", "crios"]
            .iter()
            .any(|word| mentions(word))
        {
            Self::Apple
        } else {
            Self::Other
        }
    }
}

/// The decision.
#[derive(Debug, PartialEq, Eq)]
pub enum Resolution<'l> {
    /// The link's expiry has come.
    Expired,
    /// The visitor must give the password that this is the stored form of.
    AskPassword(&'l PasswordHash),
    /// The visitor must be warned before going to this address.
    Warn(Cow<'l, str>),
    /// The visitor is sent to this address.
    Redirect(Cow<'l, str>),
}

impl Link {
    /// Decides what a visitor meets. `with_query` is the instance's default for
    /// merging the visitor's query into the destination.
    pub fn resolve<'l>(&'l self, visitor: &Visitor<'_>, with_query: bool) -> Resolution<'l> {
        if self.status_at(visitor.now) == LinkStatus::Expired {
            return Resolution::Expired;
        }
        if let Some(hash) = &self.password
            && visitor.passed < Gate::Password
        {
            return Resolution::AskPassword(hash);
        }
        let target = self.target(visitor, with_query);
        if self.content.flagged_unsafe == Some(true) && visitor.passed < Gate::Warning {
            return Resolution::Warn(target);
        }
        Resolution::Redirect(target)
    }

    fn target(&self, visitor: &Visitor<'_>, with_query: bool) -> Cow<'_, str> {
        let content = &self.content;
        // A device destination is an app's address: parameters meant for the
        // web page are not merged into it.
        if let Some(destination) = self.device_destination(visitor.user_agent) {
            return Cow::Borrowed(destination.as_str());
        }
        let geo = visitor
            .country
            .and_then(|country| content.routing.geo.get(&country));
        let destination = geo.unwrap_or(&content.destination);
        match visitor.query {
            Some(query)
                if !query.is_empty() && content.routing.with_query.unwrap_or(with_query) =>
            {
                merge_query(destination, query)
            }
            Some(_) | None => Cow::Borrowed(destination.as_str()),
        }
    }

    fn device_destination(&self, user_agent: &str) -> Option<&Destination> {
        let routing = &self.content.routing;
        if routing.google.is_none() && routing.apple.is_none() {
            return None;
        }
        match Platform::from_user_agent(user_agent) {
            Platform::Android => routing.google.as_ref(),
            Platform::Apple => routing.apple.as_ref(),
            Platform::Other => None,
        }
    }
}

/// Puts the visitor's parameters into the destination: same-named ones of the
/// destination give way, the fragment stays last, and a parameter without a
/// value is written without `=`.
fn merge_query<'d>(destination: &'d Destination, query: &str) -> Cow<'d, str> {
    let Ok(mut url) = Url::parse(destination.as_str()) else {
        return Cow::Borrowed(destination.as_str());
    };
    let visitor: Vec<_> = form_urlencoded::parse(query.as_bytes())
        .into_owned()
        .collect();
    let own = url
        .query_pairs()
        .into_owned()
        .filter(|(name, _)| visitor.iter().all(|(v, _)| v != name));
    let merged: Vec<String> = own
        .chain(visitor.clone())
        .map(|pair| encode_pair(&pair))
        .collect();
    url.set_query(Some(&merged.join("&")));
    Cow::Owned(url.into())
}

fn encode_pair((name, value): &(String, String)) -> String {
    let encode = |text: &str| form_urlencoded::byte_serialize(text.as_bytes()).collect::<String>();
    if value.is_empty() {
        encode(name)
    } else {
        format!("{}={}", encode(name), encode(value))
    }
}

fn contains_ignoring_case(text: &str, word: &str) -> bool {
    text.as_bytes()
        .windows(word.len())
        .any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::{DestinationRules, LinkContent, LinkId, Slug};

    const NOON: UnixSeconds = match UnixSeconds::new(1_800_000_000) {
        Ok(moment) => moment,
        Err(_) => panic!("in range"),
    };

    fn to(url: &str) -> Destination {
        Destination::parse(url, &DestinationRules::default()).unwrap()
    }

    fn link(url: &str) -> Link {
        Link {
            id: LinkId::parse("id").unwrap(),
            slug: Slug::parse("docs").unwrap(),
            created_at: NOON,
            updated_at: NOON,
            password: None,
            content: LinkContent::leading_to(to(url)),
        }
    }

    fn visitor() -> Visitor<'static> {
        Visitor {
            now: NOON,
            user_agent: "",
            country: None,
            query: None,
            passed: Gate::Outside,
        }
    }

    fn redirect(url: &str) -> Resolution<'_> {
        Resolution::Redirect(url.into())
    }

    #[test]
    fn a_plain_link_redirects_without_copying_its_destination() {
        let link = link("https://example.com/");
        let resolution = link.resolve(&visitor(), false);
        assert!(matches!(
            resolution,
            Resolution::Redirect(Cow::Borrowed("https://example.com/"))
        ));
    }

    #[test]
    fn a_link_expires_at_the_second_it_names() {
        let mut link = link("https://example.com/");
        link.content.expires_at = Some(NOON);
        assert_eq!(link.resolve(&visitor(), false), Resolution::Expired);
        link.content.expires_at = Some(UnixSeconds::new(NOON.get() + 1).unwrap());
        assert_eq!(
            link.resolve(&visitor(), false),
            redirect("https://example.com/")
        );
    }

    #[test]
    fn expiry_comes_before_the_password_and_the_password_before_the_warning() {
        let mut link = link("https://example.com/");
        link.password = Some(PasswordHash::new("hash"));
        link.content.flagged_unsafe = Some(true);
        let at = |passed| Visitor {
            passed,
            ..visitor()
        };
        assert!(matches!(
            link.resolve(&at(Gate::Outside), false),
            Resolution::AskPassword(_)
        ));
        assert_eq!(
            link.resolve(&at(Gate::Password), false),
            Resolution::Warn("https://example.com/".into())
        );
        assert_eq!(
            link.resolve(&at(Gate::Warning), false),
            redirect("https://example.com/")
        );
        link.content.expires_at = Some(NOON);
        assert_eq!(link.resolve(&at(Gate::Warning), false), Resolution::Expired);
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
        assert_eq!(
            link.resolve(&german, true),
            redirect("https://example.de/?a=1")
        );
        let android = Visitor {
            user_agent: "Android 14",
            ..german
        };
        assert_eq!(
            link.resolve(&android, true),
            redirect("https://play.example/app")
        );
    }

    #[rstest]
    #[case(
        "https://e.example/?a=1&b=2#top",
        "b=3&c",
        "https://e.example/?a=1&b=3&c#top"
    )]
    #[case("https://e.example", "x=%26%20y", "https://e.example/?x=%26+y")]
    #[case("https://e.example/?a=1", "a=2&a=3", "https://e.example/?a=2&a=3")]
    #[case("https://e.example/?a=1", "", "https://e.example/?a=1")]
    fn merges_the_visitors_query(#[case] url: &str, #[case] query: &str, #[case] expected: &str) {
        let link = link(url);
        let visitor = Visitor {
            query: Some(query),
            ..visitor()
        };
        assert_eq!(link.resolve(&visitor, true), redirect(expected));
        assert_eq!(link.resolve(&visitor, false), redirect(url));
    }

    #[rstest]
    #[case("Mozilla/5.0 (Linux; Android 14; Pixel 8)", Platform::Android)]
    #[case(
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)",
        Platform::Apple
    )]
    #[case("Mozilla/5.0 (Macintosh) CriOS/120", Platform::Apple)]
    #[case("Mozilla/5.0 (Windows NT 10.0)", Platform::Other)]
    #[case("", Platform::Other)]
    fn recognises_platforms(#[case] user_agent: &str, #[case] platform: Platform) {
        assert_eq!(Platform::from_user_agent(user_agent), platform);
    }
}
