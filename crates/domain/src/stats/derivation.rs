//! Values that follow from other values of a visit.
//!
//! Logs do not store them: they apply the rules when a question is asked, so a change of the rules
//! holds for older visits, too. The rules are data, because engines translate them.

use std::borrow::Cow;

use super::dimension::Dimension;

/// The rules of a dimension. The first one that a visit meets decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Derivation {
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
    /// Returns the value of a visit with these texts.
    pub fn value<'t>(&self, text: impl Fn(Dimension) -> Cow<'t, str>) -> &'static str {
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

    /// Returns each value that a visit can have, once.
    pub fn values(&self) -> Vec<&'static str> {
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
        const RULES: Derivation = Derivation {
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
        };
        let value = |source: &'static str, referer: &'static str| {
            RULES.value(|of| {
                let is_source = of == Dimension::UtmSource;
                Cow::Borrowed(if is_source { source } else { referer })
            })
        };
        assert_eq!(value("LETTER", "a.example"), "b");
        assert_eq!(value("letters", "a.example"), "a");
        assert_eq!(value("letters", ""), "c");
        assert_eq!(RULES.values(), ["a", "b", "c"]);
    }
}
