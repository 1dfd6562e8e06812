//! Texts that conditions compare with facts.

use url::Host;

use super::value::Value;
use crate::{Country, LanguageTag, host::without_port, unicode::folded};

/// A name of a browser, a region or a city: 1 to 64 characters, compared folded by Unicode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Phrase(Box<str>);

impl Phrase {
    const MAX_CHARS: usize = 64;

    /// True if the fact is this text.
    pub(super) fn is(&self, fact: &str) -> bool {
        if self.0.is_ascii() && fact.is_ascii() {
            return self.0.eq_ignore_ascii_case(fact);
        }
        folded(&self.0) == folded(fact)
    }

    /// True if the fact is this text, or a word of the fact is: `Safari` is a word of
    /// `Mobile Safari`.
    pub(super) fn is_word_of(&self, fact: &str) -> bool {
        self.is(fact) || fact.split(' ').any(|word| self.is(word))
    }
}

impl Value for Phrase {
    const EXPECTED: &'static str = "a name of 1 to 64 characters";

    fn parse(text: &str) -> Option<Self> {
        let fits = (1..=Self::MAX_CHARS).contains(&text.chars().count());
        (fits && !text.contains(char::is_control)).then(|| Self(text.into()))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl Value for Country {
    const EXPECTED: &'static str = "a two-letter country code, such as DE";

    fn parse(text: &str) -> Option<Self> {
        Self::parse(text).ok()
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }
}

/// `en` holds for `en-GB`, `en-GB` not for `en`.
impl Value for LanguageTag {
    const EXPECTED: &'static str = "a language tag, such as de or pt-BR";

    fn parse(text: &str) -> Option<Self> {
        let primary = text.split('-').next().unwrap_or_default();
        let is_language = primary.bytes().all(|b| b.is_ascii_alphabetic());
        Self::parse(text).ok().filter(|_| is_language)
    }

    fn show(&self) -> String {
        self.as_str().to_owned()
    }

    fn bytes(&self) -> usize {
        self.as_str().len()
    }
}

/// True if a language is this one or a variety of it (RFC 4647 §3.3.1).
pub(super) fn is_variety_of(language: &str, of: &LanguageTag) -> bool {
    let of = of.as_str();
    let (Some(start), rest) = (language.get(..of.len()), language.get(of.len()..)) else {
        return false;
    };
    start.eq_ignore_ascii_case(of)
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// The host of a site, which stands for the hosts below it, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Site(Box<str>);

impl Site {
    /// True if a host, with a port or without, is this one or below it. Hosts of other schemes than
    /// those of the web keep their case: `android-app://com.Slack`.
    pub(super) fn has(&self, host: &str) -> bool {
        let (host, site) = (without_port(host).as_bytes(), self.0.as_bytes());
        let above = host.len().checked_sub(site.len());
        above.is_some_and(|above| {
            let (above, end) = host.split_at(above);
            end.eq_ignore_ascii_case(site) && (above.is_empty() || above.ends_with(b"."))
        })
    }
}

impl Value for Site {
    const EXPECTED: &'static str = "a host, such as news.example";

    fn parse(text: &str) -> Option<Self> {
        // The longest name of a host (RFC 1035 §2.3.4).
        const MAX_BYTES: usize = 253;
        let host = Host::parse(text).ok()?.to_string();
        let host = host.strip_suffix('.').unwrap_or(&host);
        (1..=MAX_BYTES)
            .contains(&host.len())
            .then(|| Self(host.into()))
    }

    fn show(&self) -> String {
        self.0.to_string()
    }

    fn bytes(&self) -> usize {
        self.0.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_ignore_case_and_browsers_are_found_by_a_word() {
        let phrase = |text: &str| <Phrase as Value>::parse(text).unwrap();
        assert!(phrase("são paulo").is("São Paulo"));
        assert!(phrase("SA\u{303}O PAULO").is("São Paulo"));
        assert!(!phrase("Paulo").is("São Paulo"));
        assert!(phrase("safari").is_word_of("Mobile Safari"));
        assert!(phrase("mobile safari").is_word_of("Mobile Safari"));
        assert!(!phrase("saf").is_word_of("Mobile Safari"));
        assert!(<Phrase as Value>::parse("").is_none());
        assert!(<Phrase as Value>::parse("a\nb").is_none());
    }

    #[test]
    fn a_language_holds_for_its_varieties() {
        let tag = |text: &str| <LanguageTag as Value>::parse(text).unwrap();
        assert!(is_variety_of("en-GB", &tag("en")));
        assert!(is_variety_of("EN", &tag("en")));
        assert!(!is_variety_of("en", &tag("en-GB")));
        assert!(!is_variety_of("eng", &tag("en")));
        assert!(!is_variety_of("ü", &tag("e")));
    }

    #[test]
    fn a_site_has_the_hosts_below_it() {
        let site = <Site as Value>::parse("News.Example.").unwrap();
        assert!(site.has("news.example") && site.has("m.news.example:8080"));
        assert!(!site.has("badnews.example") && !site.has("example"));
        let app = <Site as Value>::parse("com.Slack").unwrap();
        assert!(app.has("com.Slack") && app.has("com.slack") && !app.has("com.Slackx"));
        assert!(<Site as Value>::parse("https://news.example/").is_none());
        assert!(<Site as Value>::parse("").is_none());
    }
}
