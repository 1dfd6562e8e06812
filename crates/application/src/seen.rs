//! Links in answers to changes.

use slugline_domain::{Link, LinkKey, Revision};

/// A link in the answer to a change, as far as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenLink {
    /// All of it.
    Whole(Box<Link>),
    /// Only its key and revision, because the caller may not read links.
    Key(LinkKey, Revision),
}

impl SeenLink {
    /// The link; `None` if the caller may not see all of it.
    pub fn whole(&self) -> Option<&Link> {
        match self {
            Self::Whole(link) => Some(link),
            Self::Key(..) => None,
        }
    }

    /// The key.
    pub fn key(&self) -> &LinkKey {
        match self {
            Self::Whole(link) => &link.key,
            Self::Key(key, _) => key,
        }
    }

    /// The revision.
    pub fn revision(&self) -> Revision {
        match self {
            Self::Whole(link) => link.revision,
            Self::Key(_, revision) => *revision,
        }
    }
}
