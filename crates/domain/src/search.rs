//! Searching for links.

use std::borrow::Cow;

use thiserror::Error;

use crate::{
    Comment, Destination, DomainName, Link, LinkKey, LinkStatus, Reach, Tag, UnixSeconds,
    text::without_nul, unicode::folded,
};

/// A text to find in slugs, destinations, comments and tags, whatever its case and its form. It is
/// folded by Unicode and in Normalization Form C, as [`searched_text`] is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchText(Box<str>);

text_form!(SearchText: as_str, Display, FromStr<SearchTextError>);

impl SearchText {
    /// The longest text in UTF-8 bytes, after lower-casing, where `!`, `%` and
    /// `_` count twice. The bound is Sink's and comes from its database.
    pub const MAX_BYTES: usize = 48;

    /// Trims, folds and checks a text. Drops U+0000, which no link holds.
    ///
    /// # Errors
    /// The text is empty or too long.
    pub fn parse(text: &str) -> Result<Self, SearchTextError> {
        let text = without_nul(text);
        let lower = text.trim().to_lowercase();
        let escapes = lower.bytes().filter(|byte| b"!%_".contains(byte)).count();
        match lower.len() + escapes {
            0 => Err(SearchTextError::Empty),
            1..=Self::MAX_BYTES => Ok(Self(folded(text.trim()).into())),
            bytes => Err(SearchTextError::TooLong { bytes }),
        }
    }
}

/// The reason why a text cannot be searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SearchTextError {
    /// It is empty, or only white space.
    #[error("search query is empty")]
    Empty,
    /// It is longer than [`SearchText::MAX_BYTES`].
    #[error("Search query must not exceed {} UTF-8 bytes", SearchText::MAX_BYTES)]
    TooLong {
        /// Its length in bytes, escapes included.
        bytes: usize,
    },
}

/// The links that a listing or a search covers, by status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StatusFilter {
    /// Links that are not over: active, scheduled and disabled ones.
    #[default]
    Current,
    /// Links of this status.
    Only(LinkStatus),
    /// Links that visitors meet now or later, and whose destination is broken. Only the store knows
    /// which are: [`LinkFilter::admits`] takes every link that visitors meet.
    Broken,
    /// Every link.
    All,
}

/// The links that meet every one of these conditions.
#[derive(Clone, Debug, Default)]
pub struct LinkFilter {
    /// Links that hold this text in slug, destination, comment or a tag.
    pub text: Option<SearchText>,
    /// Links with this destination, ignoring query strings.
    pub destination: Option<Destination>,
    /// Links with this tag.
    pub tag: Option<Tag>,
    /// Links of this domain; `None` for those of all.
    pub domain: Option<DomainName>,
    /// Links stored under one of these keys; none if the list is empty.
    pub keys: Option<Vec<LinkKey>>,
    /// Status.
    pub status: StatusFilter,
    /// Links that the caller may see.
    pub reach: Reach,
}

impl LinkFilter {
    /// Returns whether it names something to look for: the other conditions only narrow that down.
    pub fn looks_for_something(&self) -> bool {
        self.text.is_some() || self.destination.is_some()
    }

    /// Returns whether a link meets every condition at this moment.
    pub fn admits(&self, link: &Link, now: UnixSeconds) -> bool {
        let content = &link.content;
        let target = content.destination.without_query();
        let to = |wanted: &Destination| target == wanted.without_query();
        let one_of = |keys: &Vec<LinkKey>| keys.contains(&link.key);
        let of = |domain: &DomainName| link.key.domain == *domain;
        let holds = |text: &SearchText| searched_text(link).contains(text.as_str());
        self.text.as_ref().is_none_or(holds)
            && self.destination.as_ref().is_none_or(to)
            && self
                .tag
                .as_ref()
                .is_none_or(|tag| content.tags.contains(tag))
            && self.domain.as_ref().is_none_or(of)
            && self.keys.as_ref().is_none_or(one_of)
            && self.status.admits(link.status_at(now))
            && self.reach.holds(link)
    }
}

/// Every text that searches look into, folded, one per line. A [`SearchText`] is in it as it is.
pub fn searched_text(link: &Link) -> String {
    let content = &link.content;
    let slug = std::iter::once(link.key.slug.as_str());
    let destinations = content.destinations().map(Destination::as_str);
    let comment = content.comment.as_ref().map(Comment::as_str);
    let tags = content.tags.iter().map(Tag::as_str);
    let texts = slug.chain(destinations).chain(comment).chain(tags);
    folded(&texts.collect::<Vec<_>>().join("\n"))
}

impl StatusFilter {
    fn admits(self, status: LinkStatus) -> bool {
        match self {
            Self::Current => !matches!(status, LinkStatus::Expired | LinkStatus::UsedUp),
            Self::Only(wanted) => status == wanted,
            Self::Broken => matches!(status, LinkStatus::Active | LinkStatus::Scheduled),
            Self::All => true,
        }
    }
}

impl Destination {
    /// The destination without its query string; the fragment stays. A search
    /// treats two destinations as the same if these are equal.
    pub fn without_query(&self) -> Cow<'_, str> {
        let text = self.as_str();
        let (rest, fragment) = match text.find('#') {
            Some(start) => text.split_at(start),
            None => (text, ""),
        };
        match rest.split_once('?') {
            None => Cow::Borrowed(text),
            Some((address, _)) if fragment.is_empty() => Cow::Borrowed(address),
            Some((address, _)) => Cow::Owned(format!("{address}{fragment}")),
        }
    }
}

/// A tag and the number of its links.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TagCount {
    /// The tag.
    pub tag: Tag,
    /// Links that have it, expired ones included.
    pub links: u64,
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[test]
    fn a_search_is_folded_and_bounded_with_its_escapes_as_it_is_in_lower_case() {
        assert_eq!(SearchText::parse("  ÜBER ").unwrap().as_str(), "über");
        assert_eq!(SearchText::parse("U\u{308}ß").unwrap().as_str(), "üss");
        // In lower case it has two bytes, and three when folded.
        assert!(SearchText::parse(&"\u{149}".repeat(24)).is_ok());
        assert_eq!(SearchText::parse("a\0bc").unwrap().as_str(), "abc");
        assert_eq!(SearchText::parse(" \0"), Err(SearchTextError::Empty));
        assert!(SearchText::parse(&"a".repeat(48)).is_ok());
        assert!(SearchText::parse(&"%".repeat(24)).is_ok());
        let long = SearchText::parse(&"%".repeat(25));
        assert_eq!(long, Err(SearchTextError::TooLong { bytes: 50 }));
    }

    #[rstest]
    #[case("https://e.example/a", "https://e.example/a")]
    #[case("https://e.example/a?b=c", "https://e.example/a")]
    #[case("https://e.example/a?b=c#d?e", "https://e.example/a#d?e")]
    #[case("https://e.example/a#d?e", "https://e.example/a#d?e")]
    fn the_query_is_left_out_and_the_fragment_kept(#[case] url: &str, #[case] address: &str) {
        assert_eq!(Destination::restore(url).unwrap().without_query(), address);
    }
}
