//! Links in the key-value store of an older instance.
//!
//! The store has one entry per link, under the key `link:<slug>`. Slugline only
//! reads it.

use thiserror::Error;

use crate::{ImportedPassword, LinkContent, LinkId, Slug, UnixSeconds};

/// The prefix of the keys of links. Entries under other keys are ignored.
pub const LINK_KEY_PREFIX: &str = "link:";

/// A link read from the old store. `None` means that the entry does not have
/// the member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldLink {
    /// The slug, spelled as in the key.
    pub slug: Slug,
    /// The identifier.
    pub id: Option<LinkId>,
    /// The time of creation.
    pub created_at: Option<UnixSeconds>,
    /// The time of the last change.
    pub updated_at: Option<UnixSeconds>,
    /// The time at which the store drops the entry, if that is before the
    /// author's expiry.
    pub ends_at: Option<UnixSeconds>,
    /// The password, hashed or in clear.
    pub password: Option<ImportedPassword>,
    /// The members that the author decides.
    pub content: LinkContent,
}

impl OldLink {
    /// The second from which the link is expired.
    pub fn effective_expiry(&self) -> Option<UnixSeconds> {
        self.ends_at.or(self.content.expires_at)
    }
}

/// An entry under the key of a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldEntry {
    /// The key.
    pub key: EntryKey,
    /// The link in the entry, or the reason why it holds none.
    pub link: Result<OldLink, EntryFault>,
}

/// A page of the old store's entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldPage {
    /// The entries under keys of links. The same entry may come twice, also on
    /// different pages.
    pub entries: Vec<OldEntry>,
    /// The number of entries under other keys, which were ignored.
    pub ignored: u64,
    /// The start of the next page; `None` at the end.
    pub next: Option<OldCursor>,
}

/// A key that is safe to show and store: shortened, without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryKey(Box<str>);

text_form!(EntryKey: as_str, Display);

impl EntryKey {
    /// The longest key that is shown in full, in characters.
    pub const MAX_CHARS: usize = 256;

    /// Takes a key of any length and content.
    pub fn new(key: &str) -> Self {
        Self(presentable(key, Self::MAX_CHARS))
    }
}

/// The reason why an entry holds no link, for the people who can repair it. It
/// quotes nothing of the value, which may hold a password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct EntryFault(Box<str>);

text_form!(EntryFault: as_str);

impl EntryFault {
    /// The longest reason, in characters.
    pub const MAX_CHARS: usize = 256;

    /// Takes a reason, shortened if it is too long.
    pub fn new(reason: &str) -> Self {
        Self(presentable(reason, Self::MAX_CHARS))
    }
}

/// A position between two pages of one particular old store. It is a line of
/// ASCII that only that store understands; others keep it and give it back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OldCursor(Box<str>);

text_form!(OldCursor: as_str);

impl OldCursor {
    /// Takes the text that a store made.
    pub fn new(text: impl Into<Box<str>>) -> Self {
        Self(text.into())
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
