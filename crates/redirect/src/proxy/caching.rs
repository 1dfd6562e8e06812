//! The time that a browser may remember a destination's answer.

use actix_web::http::header::{self, HeaderMap, HeaderValue};
use slugline_domain::{FollowedLink, UnixSeconds};

use crate::options::CachePolicy;

/// The longest that a browser may cache an answer of this link: as long as a
/// redirect, so that a change, a deletion or an expiry takes effect just as
/// soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Memory {
    /// Not at all: the answer is behind a gate, or a visit that was counted.
    Nowhere,
    /// Not at all.
    Never,
    /// This many seconds, in the visitor's browser.
    Seconds(u64),
}

impl Memory {
    pub(super) fn of(link: &FollowedLink, now: UnixSeconds, cache: &CachePolicy) -> Self {
        let terms = link.terms();
        if terms.password.is_some() || terms.flagged_unsafe || link.counts_visits() {
            return Self::Nowhere;
        }
        if link.varies_at(now) {
            return Self::Never;
        }
        let until_expiry = link.terms().expiry.map_or(u64::MAX, |expiry| {
            u64::try_from(expiry.get() - now.get()).unwrap_or(0)
        });
        match cache.max_age() {
            Some(max_age) => Self::Seconds(max_age.as_secs().min(until_expiry)),
            None => Self::Never,
        }
    }

    /// The `Cache-Control` header for the visitor, from the destination's. If
    /// the destination gives no lifetime, browsers ask again each time.
    pub(super) fn header(self, theirs: &HeaderMap) -> HeaderValue {
        let most = match self {
            Self::Nowhere => return HeaderValue::from_static("private, no-store"),
            Self::Never => return HeaderValue::from_static("no-store"),
            Self::Seconds(most) => most,
        };
        match Said::by(theirs) {
            Said::NoStore => HeaderValue::from_static("no-store"),
            Said::Nothing => HeaderValue::from_static("private, no-cache"),
            Said::MaxAge(seconds) => {
                let value = format!("private, max-age={}", seconds.min(most));
                HeaderValue::try_from(value).expect("digits and ASCII words")
            }
        }
    }
}

/// The strictest rule in the `Cache-Control` headers of a destination.
enum Said {
    NoStore,
    MaxAge(u64),
    /// The headers say to ask each time, or nothing, or something unknown.
    Nothing,
}

impl Said {
    fn by(theirs: &HeaderMap) -> Self {
        let values = theirs.get_all(header::CACHE_CONTROL);
        let lines = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
        let text = lines.collect::<Vec<_>>().join(",").to_ascii_lowercase();
        let mut max_age: Option<u64> = None;
        let mut asks_each_time = false;
        for directive in text.split(',').map(str::trim) {
            let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
            match name.trim_end() {
                "no-store" => return Self::NoStore,
                "no-cache" => asks_each_time = true,
                "max-age" => {
                    let seconds = value.trim().trim_matches('"').parse().unwrap_or(0);
                    max_age = Some(max_age.map_or(seconds, |other| other.min(seconds)));
                }
                _ => {}
            }
        }
        match max_age {
            Some(seconds) if !asks_each_time => Self::MaxAge(seconds),
            Some(_) | None => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use slugline_domain::Link;
    use slugline_testkit::{NOON, link};

    use super::*;

    fn shown(memory: Memory, theirs: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for value in theirs {
            let value = HeaderValue::from_str(value).unwrap();
            headers.append(header::CACHE_CONTROL, value);
        }
        memory.header(&headers).to_str().unwrap().to_owned()
    }

    #[test]
    fn an_answer_is_remembered_no_longer_than_a_redirect_and_by_the_browser_alone() {
        for (theirs, ours) in [
            (
                &["public, max-age=31536000, immutable"][..],
                "private, max-age=90",
            ),
            (&["max-age=5"], "private, max-age=5"),
            (&["Max-Age = \"7\" , s-maxage=99"], "private, max-age=7"),
            (&["max-age=60", "max-age=30"], "private, max-age=30"),
            (
                &["max-age=1e9, stale-while-revalidate=99"],
                "private, max-age=0",
            ),
            (&["no-cache, max-age=5"], "private, no-cache"),
            (&["max-age=5, no-store"], "no-store"),
            (&["public, immutable"], "private, no-cache"),
            (&[], "private, no-cache"),
        ] {
            assert_eq!(shown(Memory::Seconds(90), theirs), ours, "{theirs:?}");
        }
        let public = ["public, max-age=31536000"];
        assert_eq!(shown(Memory::Never, &public), "no-store");
        assert_eq!(shown(Memory::Nowhere, &public), "private, no-store");
    }

    #[test]
    fn a_link_says_how_long_its_answers_may_be_remembered() {
        let policy = CachePolicy::private(Duration::from_secs(90));
        let of = |link: Link| Memory::of(&link.into(), NOON, &policy);
        assert_eq!(of(link("a").build()), Memory::Seconds(90));
        assert_eq!(of(link("a").expires(30).build()), Memory::Seconds(30));
        assert_eq!(of(link("a").expires(0).build()), Memory::Seconds(0));
        assert_eq!(of(link("a").password("hash").build()), Memory::Nowhere);
        let mut flagged = link("a").build();
        flagged.content.flagged_unsafe = Some(true);
        assert_eq!(of(flagged), Memory::Nowhere);
        let never = Memory::of(&link("a").followed(), NOON, &CachePolicy::no_store());
        assert_eq!(never, Memory::Never);
    }
}
