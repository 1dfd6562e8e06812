//! The texts and keys that are stored beside a link for searches.

use std::fmt::Write;

use sha2::{Digest, Sha256};
use slugline_domain::{Comment, Destination, Link, Tag};

/// Every text that searches look into, in lower case, one per line. A searched
/// text holds no line break, so it cannot match across two of them.
pub(crate) fn search_text(link: &Link) -> String {
    let content = &link.content;
    let mut text = link.key.slug.to_string();
    let comment = content.comment.as_ref().map(Comment::as_str);
    for part in content
        .destinations()
        .map(Destination::as_str)
        .chain(comment)
        .chain(content.tags.iter().map(Tag::as_str))
    {
        // A comment may have several lines.
        write!(text, "\n{part}").expect("writing to a string does not fail");
    }
    text.to_lowercase()
}

/// A short key that is equal for destinations that differ only in their query.
/// A URL itself may be too long for an index entry.
pub(crate) fn destination_key(destination: &Destination) -> String {
    let digest = Sha256::digest(destination.without_query().as_bytes());
    let (half, _) = digest.split_at(16);
    half.iter()
        .fold(String::with_capacity(32), |mut key, byte| {
            write!(key, "{byte:02x}").expect("writing to a string does not fail");
            key
        })
}

#[cfg(test)]
mod tests {
    use slugline_testkit::{destination, link};

    use super::*;

    #[test]
    fn the_text_holds_everything_once_in_lower_case() {
        let link = link("Docs")
            .to("https://E.example/A")
            .comment("Ü b")
            .tags(&["t"])
            .build();
        assert_eq!(search_text(&link), "docs\nhttps://e.example/a\nü b\nt");
    }

    #[test]
    fn the_key_ignores_the_query_alone() {
        let key = |url| destination_key(&destination(url));
        assert_eq!(key("https://e.example/a?x=1"), key("https://e.example/a"));
        assert_ne!(key("https://e.example/a#b"), key("https://e.example/a"));
        assert_eq!(key("https://e.example/a").len(), 32);
    }
}
