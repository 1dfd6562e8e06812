//! The public path segment of a link.

use std::borrow::Cow;

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
}

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
}
