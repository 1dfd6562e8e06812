//! Links in answers to changes.

use slugline_domain::{Link, LinkKey};

/// A link in the answer to a change, as far as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenLink {
    /// All of it.
    Whole(Box<Link>),
    /// Only its key, because the caller may not read links.
    Key(LinkKey),
}

impl SeenLink {
    /// The link; `None` if the caller may not see all of it.
    pub fn whole(&self) -> Option<&Link> {
        match self {
            Self::Whole(link) => Some(link),
            Self::Key(_) => None,
        }
    }

    /// The key.
    pub fn key(&self) -> &LinkKey {
        match self {
            Self::Whole(link) => &link.key,
            Self::Key(key) => key,
        }
    }
}
