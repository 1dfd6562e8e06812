//! Tags, which group links.

use thiserror::Error;

use crate::{
    text::{trimmed, without_nul},
    unicode::composed,
};

/// A tag: trimmed, lower-cased, in Normalization Form C (Unicode Standard Annex #15), so that tags that
/// look the same are one. It holds any characters but U+0000.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tag(Box<str>);

text_form!(Tag: as_str, Display, FromStr<TagError>);

impl Tag {
    /// Longest tag in characters, in its form.
    pub const MAX_CHARS: usize = 32;

    /// Trims, lower-cases and composes a tag, and checks it as it will be stored: a few scripts
    /// become longer, and a link must take back the tags that it shows.
    ///
    /// # Errors
    /// The tag is empty or longer than [`Tag::MAX_CHARS`].
    pub fn parse(text: &str) -> Result<Self, TagError> {
        let text = trimmed(&without_nul(text)).to_lowercase();
        let text = composed(&text);
        match text.chars().count() {
            0 => Err(TagError::Empty),
            length if length > Self::MAX_CHARS => Err(TagError::TooLong { length }),
            _ => Ok(Self(text.into())),
        }
    }
}

/// The reason why a text is not a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum TagError {
    /// It is empty, or only white space.
    #[error("tag is empty")]
    Empty,
    /// It is longer than [`Tag::MAX_CHARS`].
    #[error("tag has {length} characters, at most {} are allowed", Tag::MAX_CHARS)]
    TooLong {
        /// Its length in characters.
        length: usize,
    },
}

/// The tags of a link: all different, in the author's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tags(Vec<Tag>);

impl Tags {
    /// The most tags that a link can have.
    pub const MAX: usize = 10;

    /// Drops repeated tags, keeping the first of each, then checks the number.
    ///
    /// # Errors
    /// There are more than [`Tags::MAX`] different tags.
    pub fn new(tags: impl IntoIterator<Item = Tag>) -> Result<Self, TagsError> {
        let mut kept = Vec::new();
        for tag in tags {
            if !kept.contains(&tag) {
                kept.push(tag);
            }
        }
        if kept.len() > Self::MAX {
            Err(TagsError { count: kept.len() })
        } else {
            Ok(Self(kept))
        }
    }

    /// The tags in code-point order, as reads return them.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        self.0.sort();
        self
    }

    /// The tags in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Tag> {
        self.0.iter()
    }

    /// Returns whether the link has this tag.
    pub fn contains(&self, tag: &Tag) -> bool {
        self.0.contains(tag)
    }
}

impl<'a> IntoIterator for &'a Tags {
    type Item = &'a Tag;
    type IntoIter = std::slice::Iter<'a, Tag>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// A link has too many tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{count} tags, at most {} are allowed", Tags::MAX)]
pub struct TagsError {
    /// The number of different tags.
    pub count: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unicode::{characters, decomposed};

    fn tag(text: &str) -> Tag {
        Tag::parse(text).unwrap()
    }

    #[test]
    fn a_tag_is_trimmed_and_lower_cased() {
        assert_eq!(tag("  Über, Uns ").as_str(), "über, uns");
        assert_eq!(tag("\0 a\0b").as_str(), "ab");
        assert_eq!(tag("\u{feff}\u{200b} a\u{ad} ").as_str(), "a");
        for kept in ["می\u{200c}خواهم", "👩\u{200d}🚀", "❤\u{fe0f}"] {
            assert_eq!(tag(kept).as_str(), kept);
        }
        assert_eq!(Tag::parse(" "), Err(TagError::Empty));
        assert_eq!(tag("CAFE\u{301}"), tag("caf\u{e9}"));
        let long = Tag::parse(&"x".repeat(33));
        assert_eq!(long, Err(TagError::TooLong { length: 33 }));
    }

    #[test]
    fn a_tag_is_measured_as_it_is_stored() {
        let apart = tag(&"e\u{301}".repeat(32));
        assert_eq!(apart, tag(&"\u{e9}".repeat(32)));
        // No character of Normalization Form C stands for this one, so it becomes three.
        let excluded = |count| Tag::parse(&"\u{fb2c}".repeat(count));
        let stored = excluded(10).unwrap();
        assert_eq!(Tag::parse(stored.as_str()), Ok(stored));
        assert_eq!(excluded(11), Err(TagError::TooLong { length: 33 }));
    }

    #[test]
    fn every_form_of_a_character_is_one_tag_which_is_its_own_form() {
        for text in characters().map(|character| format!("a{character}b")) {
            let known = tag(&text);
            assert_eq!(tag(&decomposed(&text)), known, "{text:?}");
            assert_eq!(tag(known.as_str()), known, "{text:?}");
        }
    }

    #[test]
    fn repeated_tags_collapse_before_they_are_counted() {
        let eleven = (0..11).map(|i| tag(&format!("t{}", i % 10)));
        assert_eq!(Tags::new(eleven).unwrap().iter().count(), 10);
        let many = Tags::new((0..11).map(|i| tag(&i.to_string())));
        assert_eq!(many, Err(TagsError { count: 11 }));
    }

    #[test]
    fn submitted_order_is_kept_until_sorted() {
        let tags = Tags::new([tag("b"), tag("a"), tag("B")]).unwrap();
        assert_eq!(tags.iter().map(Tag::as_str).collect::<Vec<_>>(), ["b", "a"]);
        assert_eq!(
            tags.sorted().iter().map(Tag::as_str).collect::<Vec<_>>(),
            ["a", "b"]
        );
    }
}
