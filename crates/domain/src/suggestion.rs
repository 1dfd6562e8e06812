//! Suggested slugs and previews for a destination.

use thiserror::Error;
use url::{Host, Url};

use crate::{Description, Destination, Slug, Title};

/// The longest suggested slug, in characters: short enough to read aloud, and
/// far below [`Slug::MAX_CHARS`].
const MAX_SLUG_CHARS: usize = 50;

/// A suggested title and text for a preview.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuggestedPreview {
    /// The title.
    pub title: Title,
    /// The text.
    pub description: Description,
}

impl Slug {
    /// Makes a slug of a text: everything but ASCII letters and digits becomes
    /// a hyphen between groups, and what is too long is cut. None when nothing
    /// is left.
    ///
    /// ```
    /// use slugline_domain::Slug;
    ///
    /// let slug = Slug::from_words("The Rust Book, 2nd ed.");
    /// assert_eq!(slug.unwrap().as_str(), "The-Rust-Book-2nd-ed");
    /// ```
    pub fn from_words(text: &str) -> Option<Self> {
        let groups = text.split(|c: char| !c.is_ascii_alphanumeric());
        let groups: Vec<_> = groups.filter(|group| !group.is_empty()).collect();
        let mut joined = groups.join("-");
        joined.truncate(MAX_SLUG_CHARS);
        Self::parse(joined.trim_end_matches('-')).ok()
    }

    /// Makes a slug from the destination alone: its last path segment, else its
    /// host, else `link`.
    pub fn from_destination(destination: &Destination) -> Self {
        let url = Url::parse(destination.as_str()).ok();
        let last_segment = |url: &Url| {
            let mut segments = url.path_segments()?;
            let last = segments.rfind(|segment| !segment.is_empty())?;
            Self::from_words(&percent_decoded(last))
        };
        let host = |url: &Url| Self::from_words(url.host_str()?);
        url.as_ref()
            .and_then(|url| last_segment(url).or_else(|| host(url)))
            .unwrap_or_else(|| Self::parse("link").expect("letters are a slug"))
    }
}

impl SuggestedPreview {
    /// Makes a preview from the destination alone: its host, and a sentence
    /// with its address.
    pub fn from_destination(destination: &Destination) -> Self {
        let url = Url::parse(destination.as_str()).ok();
        let host = url.as_ref().and_then(|url| match url.host()? {
            Host::Domain(name) => Some(name.strip_prefix("www.").unwrap_or(name).to_owned()),
            Host::Ipv4(_) | Host::Ipv6(_) => url.host_str().map(str::to_owned),
        });
        Self {
            title: Title::clipped(host.as_deref().unwrap_or("Link")),
            description: Description::clipped(&format!("This link leads to {destination}")),
        }
    }
}

/// Keeps percent signs that are not escapes, and replaces bytes that are not
/// UTF-8 by a character that is not a letter.
fn percent_decoded(segment: &str) -> String {
    let mut bytes = Vec::with_capacity(segment.len());
    let mut rest = segment.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escape = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(escape.unwrap_or(*first));
        rest = escape.map_or(after, |_| &after[2..]);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A language and optionally a region, such as `en` or `pt-BR`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LanguageTag(Box<str>);

text_form!(LanguageTag: as_str, Display, FromStr<LanguageTagError>);

impl LanguageTag {
    /// The longest tag in characters: RFC 5646 §4.4.1 asks software to accept
    /// tags of 35.
    pub const MAX_CHARS: usize = 35;
}

impl LanguageTag {
    /// Checks the shape only: letters and digits in groups of at most eight,
    /// joined by single hyphens.
    ///
    /// # Errors
    /// The text has another shape.
    pub fn parse(text: &str) -> Result<Self, LanguageTagError> {
        let group = |group: &str| {
            (1..=8).contains(&group.len()) && group.bytes().all(|b| b.is_ascii_alphanumeric())
        };
        if text.len() <= Self::MAX_CHARS && text.split('-').all(group) {
            Ok(Self(text.into()))
        } else {
            Err(LanguageTagError)
        }
    }
}

/// The text is not a language tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("not a language tag")]
pub struct LanguageTagError;

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;
    use crate::DestinationRules;

    fn to(url: &str) -> Destination {
        let rules = DestinationRules::new(20_000, vec!["mailto".parse().unwrap()]);
        Destination::parse(url, &rules).unwrap()
    }

    #[rstest]
    #[case(
        "https://example.com/docs/Getting_Started.html?x=1#y",
        "Getting-Started-html"
    )]
    #[case("https://example.com/blog/", "blog")]
    #[case("https://example.com/my%20page%2Fdraft", "my-page-draft")]
    #[case("https://example.com/100%25%zz%", "100-zz")]
    #[case("https://www.example.com", "www-example-com")]
    #[case("https://example.com/%E4%BD%A0%E5%A5%BD", "example-com")]
    #[case("https://例え.テスト/", "xn-r8jz45g-xn-zckzah")]
    #[case("http://[::1]/", "1")]
    #[case("mailto:a@example.com", "link")]
    fn a_slug_follows_from_the_destination(#[case] url: &str, #[case] slug: &str) {
        assert_eq!(Slug::from_destination(&to(url)).as_str(), slug);
    }

    #[test]
    fn a_suggested_slug_is_cut_and_ends_in_a_letter() {
        let long = format!("{}-{}", "a".repeat(49), "b".repeat(9));
        assert_eq!(Slug::from_words(&long).unwrap().as_str(), "a".repeat(49));
        for nothing in ["", " ", "--", "ü", "你好"] {
            assert_eq!(Slug::from_words(nothing), None, "{nothing}");
        }
    }

    #[test]
    fn a_preview_names_the_host_and_the_address() {
        let preview = SuggestedPreview::from_destination(&to("https://www.example.com/a?b=c"));
        assert_eq!(preview.title.as_str(), "example.com");
        assert_eq!(
            preview.description.as_str(),
            "This link leads to https://www.example.com/a?b=c"
        );
        let long = to(&format!("https://e.example/{}", "a".repeat(9_000)));
        let preview = SuggestedPreview::from_destination(&long);
        assert_eq!(preview.description.as_str().len(), Description::MAX_CHARS);
        let mail = SuggestedPreview::from_destination(&to("mailto:a@example.com"));
        assert_eq!(mail.title.as_str(), "Link");
    }

    #[test]
    fn a_language_tag_has_a_shape() {
        for tag in ["en", "pt-BR", "zh-Hant-TW"] {
            assert_eq!(tag.parse::<LanguageTag>().unwrap().as_str(), tag);
        }
        for other in [
            "",
            "-",
            "en-",
            "de_DE",
            "abcdefghi",
            "en US",
            "日本",
            &"a-".repeat(40),
        ] {
            assert!(other.parse::<LanguageTag>().is_err(), "{other}");
        }
    }
}
