//! The public path segment of a link.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use thiserror::Error;

/// The path segment a link answers to: ASCII letters, digits and underscores in
/// groups, joined by single hyphens.
///
/// A slug holds no slash and no dot, and does not start with an underscore.
/// Every path of the service itself has a slash or starts with `_`, so no slug
/// is reserved. Other products allow underscores, and their links move here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slug(Box<str>);

text_form!(Slug: as_str, Display, FromStr<SlugError>);

impl Slug {
    /// Longest slug in characters. Sink's bound; it also keeps the unique
    /// index under PostgreSQL's 2,704 bytes per B-tree entry.
    pub const MAX_CHARS: usize = 2048;

    /// The rule as a regular expression, for schemas. Both cases are listed
    /// because schema dialects have no case-insensitive flag.
    pub const PATTERN: &'static str = "^[A-Za-z0-9][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*$";

    /// The characters of generated slugs: no `0 1 i l o`, which people misread.
    pub const GENERATED_ALPHABET: &'static [u8; 31] = b"23456789abcdefghjkmnpqrstuvwxyz";

    /// Parses a slug after trimming white space at both ends.
    ///
    /// # Errors
    /// The text is empty, too long or breaks [`Slug::PATTERN`]; the error names which.
    pub fn parse(text: &str) -> Result<Self, SlugError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SlugError::Empty);
        }
        // Only ASCII passes the pattern, so bytes and characters are the same
        // for every slug that could be accepted.
        if text.len() > Self::MAX_CHARS {
            return Err(SlugError::TooLong {
                length: text.chars().count(),
            });
        }
        if is_well_formed(text) {
            Ok(Self(text.into()))
        } else {
            Err(SlugError::Malformed)
        }
    }

    /// Reads a segment of a path, in which a slug may be escaped, once.
    pub fn in_segment(segment: &str) -> Option<Self> {
        Self::before_punctuation(segment, &[])
    }

    /// Reads the only segment of a path, as people paste it: the punctuation of a sentence is cut,
    /// and what stands behind an `&` is the query of a person who had no `?` before it.
    ///
    /// ```
    /// # use slugline_domain::Slug;
    /// let (slug, query) = Slug::pasted("spring%2Dsale).&utm_source=mail").unwrap();
    /// assert_eq!((slug.as_str(), query), ("spring-sale", "utm_source=mail"));
    /// ```
    pub fn pasted(segment: &str) -> Option<(Self, &str)> {
        let (name, query) = segment.split_once('&').unwrap_or((segment, ""));
        Some((Self::before_punctuation(name, PUNCTUATION)?, query))
    }

    fn before_punctuation(segment: &str, punctuation: &[char]) -> Option<Self> {
        // Most segments are a slug as they are.
        if let Ok(slug) = Self::parse(segment)
            && slug.0.len() == segment.len()
        {
            return Some(slug);
        }
        let decoded = percent_decode_str(segment).decode_utf8().ok()?;
        let text = decoded.trim_end_matches(punctuation);
        let dots = |text: &str| text.matches('.').count();
        // An escaped dot means more than a dot, and a blank is no part of a path.
        let is_plain = dots(&decoded) == dots(segment) && !text.contains(char::is_whitespace);
        Self::parse(text).ok().filter(|_| is_plain)
    }
}

/// Characters that end a sentence, a bracket or a quotation behind an address.
const PUNCTUATION: &[char] = &[
    '.', ',', ')', ';', ':', '!', '\'', '"', '\u{2026}', '\u{200b}',
];

/// Checks that a text matches [`Slug::PATTERN`]: each hyphen stands between two
/// other characters.
fn is_well_formed(text: &str) -> bool {
    let last = text.bytes().try_fold(b'-', |before, byte| match byte {
        b'-' => (before != b'-').then_some(byte),
        _ => (byte.is_ascii_alphanumeric() || byte == b'_').then_some(byte),
    });
    !text.starts_with('_') && last.is_some_and(|last| last != b'-')
}

/// The reason why a text is not a slug.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SlugError {
    /// Nothing but white space.
    #[error("slug is empty")]
    Empty,
    /// More than [`Slug::MAX_CHARS`] characters.
    #[error(
        "slug has {length} characters, at most {} are allowed",
        Slug::MAX_CHARS
    )]
    TooLong {
        /// Characters found.
        length: usize,
    },
    /// A character that no slug holds, or one where it may not stand.
    #[error(
        "slug may hold letters, digits, '_' and single hyphens between them, and starts with a \
         letter or digit"
    )]
    Malformed,
}

/// The rule for case: `Docs` and `docs` name one link or two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SlugCase {
    /// They name one link: slugs are lower-cased before storing and before look-up.
    #[default]
    Insensitive,
    /// They name two links.
    Sensitive,
}

impl SlugCase {
    /// The spelling under which a slug is stored and looked up first. Borrows
    /// when nothing changes, which is every request with a lower-case slug.
    pub fn canonical(self, slug: &Slug) -> Cow<'_, Slug> {
        match self {
            Self::Insensitive if slug.0.bytes().any(|b| b.is_ascii_uppercase()) => {
                Cow::Owned(Slug(slug.0.to_ascii_lowercase().into()))
            }
            Self::Insensitive | Self::Sensitive => Cow::Borrowed(slug),
        }
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("a")]
    #[case("A1")]
    #[case("spring-sale-2026")]
    #[case("api")]
    #[case("dashboard")]
    #[case("summer_sale")]
    #[case("a__b")]
    #[case("a_")]
    #[case("a-_b_-c")]
    fn accepts(#[case] text: &str) {
        assert_eq!(Slug::parse(text).unwrap().as_str(), text);
    }

    #[rstest]
    #[case("", SlugError::Empty)]
    #[case("  ", SlugError::Empty)]
    #[case("-a", SlugError::Malformed)]
    #[case("a-", SlugError::Malformed)]
    #[case("a--b", SlugError::Malformed)]
    #[case("a/b", SlugError::Malformed)]
    #[case("_docs", SlugError::Malformed)]
    #[case("_", SlugError::Malformed)]
    #[case("a_-", SlugError::Malformed)]
    #[case("favicon.ico", SlugError::Malformed)]
    #[case("straße", SlugError::Malformed)]
    #[case("a\nb", SlugError::Malformed)]
    fn refuses(#[case] text: &str, #[case] error: SlugError) {
        assert_eq!(Slug::parse(text), Err(error));
    }

    #[test]
    fn the_longest_slug_fits_and_one_more_character_does_not() {
        assert!(Slug::parse(&"a".repeat(2048)).is_ok());
        let long = Slug::parse(&"a".repeat(2049));
        assert_eq!(long, Err(SlugError::TooLong { length: 2049 }));
    }

    #[test]
    fn case_is_folded_only_when_insensitive_and_only_when_needed() {
        let mixed = Slug::parse(" DoCs ").unwrap();
        assert_eq!(SlugCase::Insensitive.canonical(&mixed).as_str(), "docs");
        assert_eq!(SlugCase::Sensitive.canonical(&mixed).as_str(), "DoCs");
        let lower = Slug::parse("docs").unwrap();
        assert!(matches!(
            SlugCase::Insensitive.canonical(&lower),
            Cow::Borrowed(_)
        ));
    }

    #[rstest]
    #[case("my%5Fslug", "my_slug", "")]
    #[case("%64oc%73%2d2", "docs-2", "")]
    #[case("docs", "docs", "")]
    #[case("docs.", "docs", "")]
    #[case("docs).", "docs", "")]
    #[case("docs!'\";:,", "docs", "")]
    #[case("docs%22%2c%e2%80%a6", "docs", "")]
    #[case("docs\u{2026}\u{200b}", "docs", "")]
    #[case("docs&utm=1", "docs", "utm=1")]
    #[case("docs.&utm=1&b=2.", "docs", "utm=1&b=2.")]
    fn a_pasted_slug_is_read(#[case] segment: &str, #[case] slug: &str, #[case] query: &str) {
        let (found, rest) = Slug::pasted(segment).unwrap();
        assert_eq!((found.as_str(), rest), (slug, query));
    }

    #[rstest]
    #[case("a%2Fb")]
    #[case("docs%5C")]
    #[case("%2564ocs")]
    #[case("docs%2E")]
    #[case("a%2Eb")]
    #[case("a.b")]
    #[case("docs%20")]
    #[case("docs%")]
    #[case("docs%6")]
    #[case("docs%+6")]
    #[case("d\u{f6}cs")]
    #[case(".")]
    #[case("&a=1")]
    #[case("")]
    fn no_other_escape_and_no_dot_makes_a_slug(#[case] segment: &str) {
        assert_eq!(Slug::pasted(segment), None);
    }

    #[test]
    fn a_slug_above_a_path_keeps_its_punctuation() {
        assert_eq!(Slug::in_segment("my%5Fslug").unwrap().as_str(), "my_slug");
        assert_eq!(Slug::in_segment("docs."), None);
        assert_eq!(Slug::in_segment("docs&a=1"), None);
    }
}
