//! Passwords of protected links.

use std::{borrow::Cow, fmt};

use thiserror::Error;

use crate::unicode::{composed, decomposed};

/// A password in clear, about to be hashed, in Normalization Form C (RFC 8265, section 4.2). It is never
/// printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Password(Box<str>);

impl Password {
    /// Longest password in characters.
    pub const MAX_CHARS: usize = 128;

    /// The mask that answers show in place of every password. It is constant:
    /// no part of the password is ever sent back.
    pub const MASK: &'static str = "__SINK_MASKED__•••••";
    /// The prefix of every mask, ours and those of older servers.
    pub const MASK_PREFIX: &'static str = "__SINK_MASKED__";

    /// Trims and checks a password that an author sets.
    ///
    /// # Errors
    /// The password is empty, too long, or a mask that a client read from an
    /// answer and sent back.
    pub fn parse(text: &str) -> Result<Self, PasswordError> {
        let text = text.trim();
        let length = text.chars().count();
        if length == 0 {
            return Err(PasswordError::Empty);
        }
        if length > Self::MAX_CHARS {
            return Err(PasswordError::TooLong { length });
        }
        if text.starts_with(Self::MASK_PREFIX) {
            return Err(PasswordError::Masked);
        }
        Ok(Self(composed(text).into()))
    }

    /// The spellings of the password that a visitor sent, to be compared in this order: as
    /// [`parse`](Self::parse) keeps it; as it was sent, because other programs hash that; and in
    /// Normalization Form D, which some systems make of what people type. Most passwords have one.
    pub fn spellings(sent: &str) -> Vec<Cow<'_, str>> {
        let sent = sent.trim();
        let mut spellings = vec![composed(sent)];
        for other in [sent.into(), decomposed(sent)] {
            if !spellings.contains(&other) {
                spellings.push(other);
            }
        }
        spellings
    }

    /// The password in clear.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The reason why a text cannot be a link's password.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum PasswordError {
    /// It is empty, or only white space.
    #[error("password is empty")]
    Empty,
    /// It is longer than [`Password::MAX_CHARS`].
    #[error(
        "password has {length} characters, at most {} are allowed",
        Password::MAX_CHARS
    )]
    TooLong {
        /// Its length in characters.
        length: usize,
    },
    /// It is the mask that answers show in place of a password.
    #[error("masked password cannot be submitted")]
    Masked,
}

/// A password as it is stored: a hash that names its own method, opaque to the
/// domain. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(Box<str>);

text_form!(PasswordHash: as_str);

impl PasswordHash {
    /// Takes a stored form, such as a PHC string.
    pub fn new(stored: impl Into<Box<str>>) -> Self {
        Self(stored.into())
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_empty_too_long_or_a_mask() {
        assert_eq!(Password::parse(" s3cret ").unwrap().reveal(), "s3cret");
        assert_eq!(Password::parse("  "), Err(PasswordError::Empty));
        let long = Password::parse(&"é".repeat(129));
        assert_eq!(long, Err(PasswordError::TooLong { length: 129 }));
        assert_eq!(Password::parse(Password::MASK), Err(PasswordError::Masked));
        let masked = Password::parse("__SINK_MASKED__abc");
        assert_eq!(masked, Err(PasswordError::Masked));
    }

    #[test]
    fn a_password_is_kept_composed_and_tried_in_each_spelling_once() {
        let kept = Password::parse("cafe\u{301}").unwrap();
        assert_eq!(kept.reveal(), "caf\u{e9}");
        let (whole, apart, mixed) = ("\u{e9}\u{e9}", "e\u{301}e\u{301}", "\u{e9}e\u{301}");
        assert_eq!(Password::spellings(" s3cret "), ["s3cret"]);
        assert_eq!(Password::spellings("密码"), ["密码"]);
        for sent in [whole, apart] {
            assert_eq!(Password::spellings(sent), [whole, apart]);
        }
        assert_eq!(Password::spellings(mixed), [whole, mixed, apart]);
        // Both forms of an ohm sign are an omega.
        assert_eq!(Password::spellings("\u{2126}"), ["\u{3a9}", "\u{2126}"]);
    }

    #[test]
    fn neither_form_shows_itself_in_debug_output() {
        let shown = format!(
            "{:?} {:?}",
            Password::parse("hunter2").unwrap(),
            PasswordHash::new("$argon2id$x")
        );
        assert!(!shown.contains("hunter2") && !shown.contains("argon2"));
    }
}
