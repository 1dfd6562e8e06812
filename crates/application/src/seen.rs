//! Links in answers to changes.

use slugline_domain::{Link, Slug};

/// A link in the answer to a change, as far as the caller may see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SeenLink {
    /// All of it.
    Whole(Box<Link>),
    /// Only its slug, because the caller may not read links.
    Slug(Slug),
}

impl SeenLink {
    /// The link; `None` if the caller may not see all of it.
    pub fn whole(&self) -> Option<&Link> {
        match self {
            Self::Whole(link) => Some(link),
            Self::Slug(_) => None,
        }
    }

    /// The slug.
    pub fn slug(&self) -> &Slug {
        match self {
            Self::Whole(link) => &link.slug,
            Self::Slug(slug) => slug,
        }
    }
}
