//! Values that follow from other values of a visit.
//!
//! Logs do not store them: they apply the rules when a question is asked, so a change of the rules
//! holds for older visits, too. The rules are data, because engines translate them.

use std::borrow::Cow;

use super::dimension::Dimension;
use crate::split_key;

/// The way in which a dimension follows from others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// By rules, which give one of few values.
    Rules(DerivationRules),
    /// It is the host in the text of the link's key, which [`Dimension::Slug`] has: the text before
    /// the first slash, and empty if there is no slash.
    HostOfKey,
}

/// The rules of a dimension. The first one that a visit meets decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DerivationRules {
    /// The dimensions that the rules read.
    pub sources: &'static [Dimension],
    /// The rules, in order.
    pub rules: &'static [Rule],
    /// The value of visits that meet no rule.
    pub otherwise: &'static str,
}

/// A test, and the value of the visits that pass it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// The dimension whose text is tested.
    pub of: Dimension,
    /// The test.
    pub test: Test,
    /// The value.
    pub then: &'static str,
}

/// A test of a text, in which ASCII letters are small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// It is not empty.
    IsKnown,
    /// It is one of these.
    IsOneOf(&'static [&'static str]),
    /// It is the host of one of these sites or below it, with a port or without. `example.*` is
    /// `example` in every country: followed by one or two labels of two or three letters.
    IsSite(&'static [&'static str]),
}

impl Derivation {
    /// The dimensions from which the value follows.
    pub const fn sources(&self) -> &'static [Dimension] {
        match self {
            Self::Rules(rules) => rules.sources,
            Self::HostOfKey => &[Dimension::Slug],
        }
    }

    /// Returns the value of a visit with these texts.
    pub fn value<'t>(&self, text: impl Fn(Dimension) -> Cow<'t, str>) -> Cow<'t, str> {
        match self {
            Self::Rules(rules) => Cow::Borrowed(rules.value(text)),
            Self::HostOfKey => match text(Dimension::Slug) {
                Cow::Borrowed(key) => Cow::Borrowed(split_key(key).0),
                Cow::Owned(key) => Cow::Owned(split_key(&key).0.to_owned()),
            },
        }
    }

    /// Returns each value that a visit can have, once; `None` if there is no end of them.
    pub fn values(&self) -> Option<Vec<&'static str>> {
        match self {
            Self::Rules(rules) => Some(rules.values()),
            Self::HostOfKey => None,
        }
    }
}

impl DerivationRules {
    fn value<'t>(&self, text: impl Fn(Dimension) -> Cow<'t, str>) -> &'static str {
        let mut known: Vec<(Dimension, String)> = Vec::with_capacity(self.sources.len());
        for &source in self.sources {
            known.push((source, text(source).to_ascii_lowercase()));
        }
        let meets = |rule: &&Rule| {
            let of = known.iter().find(|(source, _)| *source == rule.of);
            of.is_some_and(|(_, text)| rule.test.passes(text))
        };
        let rule = self.rules.iter().find(meets);
        rule.map_or(self.otherwise, |rule| rule.then)
    }

    fn values(&self) -> Vec<&'static str> {
        let mut values: Vec<&str> = self.rules.iter().map(|rule| rule.then).collect();
        values.push(self.otherwise);
        values.sort_unstable();
        values.dedup();
        values
    }
}

impl Test {
    fn passes(self, text: &str) -> bool {
        match self {
            Self::IsKnown => !text.is_empty(),
            Self::IsOneOf(texts) => texts.contains(&text),
            Self::IsSite(sites) => {
                let host = without_port(text);
                sites.iter().any(|site| is_site(host, site))
            }
        }
    }
}

fn without_port(text: &str) -> &str {
    match text.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => host,
        Some(_) | None => text,
    }
}

fn is_site(host: &str, site: &str) -> bool {
    let Some(name) = site.strip_suffix(".*") else {
        return is_or_is_below(host, site);
    };
    let mut above = host;
    for _ in 0..2 {
        let Some((before, label)) = above.rsplit_once('.') else {
            return false;
        };
        let is_of_a_country =
            (2..=3).contains(&label.len()) && label.bytes().all(|b| b.is_ascii_lowercase());
        if !is_of_a_country {
            return false;
        }
        if is_or_is_below(before, name) {
            return true;
        }
        above = before;
    }
    false
}

fn is_or_is_below(host: &str, site: &str) -> bool {
    let above = host.strip_suffix(site);
    above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_its_host_and_the_hosts_below_it() {
        let site = Test::IsSite(&["bing.com", "google.*"]);
        for host in [
            "bing.com",
            "www.bing.com",
            "bing.com:8080",
            "google.com",
            "www.google.co.uk",
            "news.google.com.br:80",
        ] {
            assert!(site.passes(host), "{host}");
        }
        for host in [
            "",
            "notbing.com",
            "bing.com.example",
            "bing.com:",
            "google",
            "google.example",
            "google.a.b.c",
            "google.co.uk.de",
            "mygoogle.com",
            "google.1.de",
        ] {
            assert!(!site.passes(host), "{host}");
        }
    }

    #[test]
    fn the_first_rule_that_is_met_decides_and_letters_are_small() {
        const RULES: Derivation = Derivation::Rules(DerivationRules {
            sources: &[Dimension::UtmSource, Dimension::Referer],
            rules: &[
                Rule {
                    of: Dimension::UtmSource,
                    test: Test::IsOneOf(&["letter"]),
                    then: "b",
                },
                Rule {
                    of: Dimension::Referer,
                    test: Test::IsKnown,
                    then: "a",
                },
            ],
            otherwise: "c",
        });
        let value = |source: &'static str, referer: &'static str| {
            RULES.value(|of| {
                let is_source = of == Dimension::UtmSource;
                Cow::Borrowed(if is_source { source } else { referer })
            })
        };
        assert_eq!(value("LETTER", "a.example"), "b");
        assert_eq!(value("letters", "a.example"), "a");
        assert_eq!(value("letters", ""), "c");
        assert_eq!(RULES.values(), Some(vec!["a", "b", "c"]));
    }

    #[test]
    fn the_host_of_a_key_is_what_stands_before_its_first_slash() {
        let host = |key: &'static str| Derivation::HostOfKey.value(|_| Cow::Borrowed(key));
        for (key, expected) in [
            ("promo", ""),
            ("go.example/promo", "go.example"),
            ("[::1]/promo", "[::1]"),
            ("a/b/c", "a"),
            ("", ""),
        ] {
            assert_eq!(host(key), expected, "{key:?}");
        }
        let owned = Derivation::HostOfKey.value(|_| Cow::Owned("go.example/a".to_owned()));
        assert_eq!(owned, "go.example");
        assert_eq!(Derivation::HostOfKey.values(), None);
    }
}
