//! Links as an older instance's key-value store holds them.
//!
//! Such a store has one entry per link, under the key `link:<slug>`. It is only
//! ever read.

use std::fmt;

use thiserror::Error;

use crate::{ImportedPassword, LinkContent, LinkId, Slug, UnixSeconds};

/// How the keys of links begin; entries under other keys are left alone.
pub const LINK_KEY_PREFIX: &str = "link:";

/// A link as it came out of the old store. What is `None` was not said there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldLink {
    /// In the spelling of its key.
    pub slug: Slug,
    /// Identity.
    pub id: Option<LinkId>,
    /// When it was made.
    pub created_at: Option<UnixSeconds>,
    /// When it last changed.
    pub updated_at: Option<UnixSeconds>,
    /// When the store drops the entry, if that is before the author's expiry.
    pub ends_at: Option<UnixSeconds>,
    /// Its password, hashed or in clear.
    pub password: Option<ImportedPassword>,
    /// What its author decided.
    pub content: LinkContent,
}

impl OldLink {
    /// From this second on the link is expired.
    pub fn effective_expiry(&self) -> Option<UnixSeconds> {
        self.ends_at.or(self.content.expires_at)
    }
}

/// One entry under the key of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldEntry {
    /// Its key.
    pub key: EntryKey,
    /// The link it holds, or why it holds none.
    pub link: Result<OldLink, EntryFault>,
}

/// Some of the old store's entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldPage {
    /// Entries under keys of links. One may come twice, on different pages too.
    pub entries: Vec<OldEntry>,
    /// How many entries with other keys were passed over.
    pub ignored: u64,
    /// Where the next page begins; `None` at the end.
    pub next: Option<OldPlace>,
}

/// A key, fit to be shown and stored anywhere: shortened, without control
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryKey(Box<str>);

impl EntryKey {
    /// Longest key that is shown in full, in characters.
    pub const MAX_CHARS: usize = 256;

    /// Takes a key of any length and content.
    pub fn new(key: &str) -> Self {
        Self(presentable(key, Self::MAX_CHARS))
    }

    /// The key as shown.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why an entry holds no link, for people who may mend it. Quotes nothing of
/// its value, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EntryFault(Box<str>);

impl EntryFault {
    /// Longest reason in characters.
    pub const MAX_CHARS: usize = 256;

    /// States a reason.
    pub fn new(reason: &str) -> Self {
        Self(presentable(reason, Self::MAX_CHARS))
    }

    /// The reason.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A place between two pages of one particular old store, opaque to everybody
/// else: single-line ASCII that can be kept and given back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldPlace(Box<str>);

impl OldPlace {
    /// Takes what a store made.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
    }

    /// What the store made.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn presentable(text: &str, max_chars: usize) -> Box<str> {
    let mut shown: String = text
        .chars()
        .map(|c| {
            if c.is_control() {
                char::REPLACEMENT_CHARACTER
            } else {
                c
            }
        })
        .take(max_chars)
        .collect();
    if text.chars().nth(max_chars).is_some() {
        shown.pop();
        shown.push('…');
    }
    shown.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_shown_on_one_line_and_shortened() {
        assert_eq!(
            EntryKey::new("link:a\0\nb").as_str(),
            "link:a\u{fffd}\u{fffd}b"
        );
        let exact = "k".repeat(256);
        assert_eq!(EntryKey::new(&exact).as_str(), exact);
        let long = EntryKey::new(&"k".repeat(257));
        assert_eq!(long.as_str().chars().count(), 256);
        assert!(long.as_str().ends_with("k…"));
    }
}
