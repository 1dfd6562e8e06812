//! The format of announced changes; the triggers that write it are in `migrations`.

use slugline_domain::{LinkKey, Revision, ports::LinkChange};

/// A message in the outbox.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Announcement {
    /// These links changed.
    Links(Vec<LinkChange>),
    /// Tokens changed.
    Tokens,
    /// Domains changed.
    Domains,
    /// Any link may have changed.
    Everything,
}

impl Announcement {
    /// Parses a message: `_tokens`, `_domains`, or a line for each change, with the text of a key and, after a blank, the
    /// number of the version. A line that does not parse, such as one of a later version, means that
    /// every link may have changed.
    pub(super) fn parse(message: &str) -> Self {
        // No key begins like this.
        match message {
            "_tokens" => return Self::Tokens,
            "_domains" => return Self::Domains,
            _ => {}
        }
        let changes: Option<Vec<LinkChange>> = message.lines().map(change).collect();
        changes.map_or(Self::Everything, Self::Links)
    }
}

fn change(line: &str) -> Option<LinkChange> {
    let (key, revision) = match line.split_once(' ') {
        Some((key, number)) => (key, Some(Revision::new(number.parse().ok()?))),
        None => (line, None),
    };
    let key = LinkKey::parse(key).ok()?;
    Some(LinkChange { key, revision })
}

#[cfg(test)]
mod tests {
    use slugline_testkit::key;

    use super::*;

    fn changed(text: &str, revision: Option<i64>) -> LinkChange {
        LinkChange {
            key: key(text),
            revision: revision.map(Revision::new),
        }
    }

    #[test]
    fn a_message_names_keys_and_their_versions() {
        assert_eq!(
            Announcement::parse("docs\ngo.example/docs 3\nOther-One 12"),
            Announcement::Links(vec![
                changed("docs", None),
                changed("go.example/docs", Some(3)),
                changed("Other-One", Some(12)),
            ])
        );
    }

    #[test]
    fn a_message_about_tokens_names_no_link() {
        assert_eq!(Announcement::parse("_tokens"), Announcement::Tokens);
        assert_eq!(
            Announcement::parse("tokens"),
            Announcement::Links(vec![changed("tokens", None)])
        );
    }

    #[test]
    fn what_cannot_be_read_stands_for_everything() {
        for message in ["*", "docs\n*", "docs x", "docs 1 2", "docs\n\nother", " "] {
            let read = Announcement::parse(message);
            assert_eq!(read, Announcement::Everything, "{message:?}");
        }
    }
}
