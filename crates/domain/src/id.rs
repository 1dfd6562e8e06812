//! Identifiers.

use std::borrow::Borrow;

use thiserror::Error;

/// The identity of a link. Edits do not change it, and the access log is keyed
/// by it.
///
/// Slugline makes UUIDs of version 7 in their hyphenated form, 36 characters.
/// Imported links keep the identifier they came with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(Box<str>);

text_form!(LinkId: as_str, Display, FromStr<LinkIdError>);

impl LinkId {
    /// Longest identifier in characters: a hyphenated UUID.
    pub const MAX_CHARS: usize = 36;

    /// The rule as a regular expression, for schemas.
    pub const PATTERN: &'static str = "^[A-Za-z0-9_-]+$";

    /// Trims and parses an identifier.
    ///
    /// # Errors
    /// The text is empty, too long or holds a character outside
    /// `[A-Za-z0-9_-]`.
    pub fn parse(text: &str) -> Result<Self, LinkIdError> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 || length > Self::MAX_CHARS {
            return Err(LinkIdError::Length { length });
        }
        if !text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'))
        {
            return Err(LinkIdError::Malformed);
        }
        Ok(Self(text.into()))
    }
}

/// Sets and maps of identifiers find them by their text.
impl Borrow<str> for LinkId {
    fn borrow(&self) -> &str {
        &self.0
    }
}

/// The reason why a text is not a link identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LinkIdError {
    /// It is empty or longer than [`LinkId::MAX_CHARS`].
    #[error("id has {length} characters, 1 to {} are allowed", LinkId::MAX_CHARS)]
    Length {
        /// Its length in characters.
        length: usize,
    },
    /// It holds a character outside the alphabet.
    #[error("id may hold letters, digits, '_' and '-'")]
    Malformed,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn takes_our_own_ids_and_imported_ones() {
        for id in [
            "0198f0a2-6f1e-7c3a-8f00-0123456789ab",
            "x7fk2m9qpa",
            "A_b-1",
        ] {
            assert_eq!(LinkId::parse(id).unwrap().as_str(), id);
        }
        assert_eq!(LinkId::parse("  "), Err(LinkIdError::Length { length: 0 }));
        let long = LinkId::parse(&"a".repeat(37));
        assert_eq!(long, Err(LinkIdError::Length { length: 37 }));
        assert_eq!(LinkId::parse("a,b"), Err(LinkIdError::Malformed));
    }
}
