//! Short texts that authors attach to a link.

use std::{borrow::Cow, fmt, str::FromStr};

use thiserror::Error;

/// A note for the people who manage the link; visitors never see it.
pub type Comment = Text<2048>;
/// The title of the link's social preview.
pub type Title = Text<256>;
/// The description of the link's social preview.
pub type Description = Text<2048>;
/// The image of the link's social preview: an absolute URL or a path that
/// starts with `/`.
pub type ImageRef = Text<128>;

/// Sink's first bound on titles and images, before today's.
const OLDEST_MAX_CHARS: usize = 2048;

/// A trimmed text of at most `MAX` characters (Unicode code points, as JSON
/// Schema counts them), or longer if it was written under an older bound. It
/// may be empty: an author can set an empty comment on purpose, which differs
/// from setting none. It holds no U+0000.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Text<const MAX: usize>(Box<str>);

/// The text without U+0000: PostgreSQL cannot store that character, and
/// SQLite's index takes it as the end of the text.
pub(crate) fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') {
        text.replace('\0', "").into()
    } else {
        text.into()
    }
}

/// True for characters that no person sees and that no script needs inside a word: the blank
/// without a width, the word joiner, the byte order mark, the soft hyphen and the controls of
/// bidirectional text (Unicode Standard Annex #9). Joiners and variation selectors are none of
/// them: emoji and Persian words need those.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{61c}'
            | '\u{180e}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
    )
}

/// The bytes without the byte order mark that some programs write before UTF-8, which is no content.
pub fn without_byte_order_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes)
}

/// The text without white space and invisible characters at both ends, which come along when a
/// person copies it.
pub fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || is_invisible(c))
}

impl<const MAX: usize> Text<MAX> {
    /// Longest text in characters.
    pub const MAX_CHARS: usize = MAX;

    /// Trims the text, leaves out U+0000 and checks the length.
    ///
    /// # Errors
    /// The trimmed text has more than `MAX` characters.
    pub fn parse(text: &str) -> Result<Self, TextError> {
        let text = without_nul(text);
        let text = text.trim();
        let length = text.chars().count();
        if length > MAX {
            return Err(TextError { length, max: MAX });
        }
        Ok(Self(text.into()))
    }

    /// Makes a text from any input: replaces white space and control characters
    /// by single blanks and cuts what is too long.
    pub fn clipped(text: &str) -> Self {
        let words = text.split(|c: char| c.is_whitespace() || c.is_control());
        let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
        let clipped: String = words.join(" ").chars().take(MAX).collect();
        Self(clipped.trim_end().into())
    }

    /// Takes a text that belonged to a link before, such as one read back from
    /// storage or from an export file. It does not apply today's stricter
    /// bound, so that an older link keeps its text.
    ///
    /// # Errors
    /// The trimmed text is longer than any bound has ever been.
    pub fn restore(text: &str) -> Result<Self, TextError> {
        let text = without_nul(text);
        let text = text.trim();
        let (length, max) = (text.chars().count(), MAX.max(OLDEST_MAX_CHARS));
        if length > max {
            return Err(TextError { length, max });
        }
        Ok(Self(text.into()))
    }

    /// The text itself.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const MAX: usize> FromStr for Text<MAX> {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl<const MAX: usize> fmt::Display for Text<MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("text has {length} characters, at most {max} are allowed")]
pub struct TextError {
    /// Its length in characters, after trimming.
    pub length: usize,
    /// The longest length allowed, in characters.
    pub max: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trims_before_it_counts_characters() {
        assert_eq!(Text::<3>::parse("  äöü ").unwrap().as_str(), "äöü");
        let long = Text::<3>::parse("abcd");
        assert_eq!(long, Err(TextError { length: 4, max: 3 }));
        assert_eq!(Text::<3>::parse("   ").unwrap().as_str(), "");
        assert_eq!(Text::<3>::parse("\0 a\0bc").unwrap().as_str(), "abc");
        assert_eq!(Text::<3>::restore("\0").unwrap().as_str(), "");
    }

    #[test]
    fn clipping_tidies_before_it_cuts() {
        for (given, clipped) in [
            (" a\n\tb\0c ", "a b c"),
            ("äöüäöü", "äöüäö"),
            ("abcd efgh", "abcd"),
            ("\u{2028}", ""),
        ] {
            assert_eq!(Text::<5>::clipped(given).as_str(), clipped);
        }
    }

    #[test]
    fn what_was_allowed_once_is_restored() {
        let long = "ö".repeat(2048);
        assert!(Title::parse(&long).is_err());
        assert_eq!(Title::restore(&long).unwrap().as_str(), long);
        let longer = "ö".repeat(2049);
        let error = TextError {
            length: 2049,
            max: 2048,
        };
        assert_eq!(Title::restore(&longer), Err(error));
    }
}
