//! Changes that are meant for a version of a link.

use slugline_domain::{Link, Slug, ports::Version};

use crate::Error;

/// The versions of a link that a change is meant for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Any, even none.
    #[default]
    None,
    /// Any, as long as there is a link.
    Exists,
    /// One of these.
    OneOf(Vec<Version>),
}

impl Precondition {
    /// Checks the link that is there.
    ///
    /// # Errors
    /// It is none of the versions that the change is meant for.
    pub(super) fn check(&self, link: &Link) -> Result<(), Error> {
        match self {
            Self::None | Self::Exists => Ok(()),
            Self::OneOf(versions) if versions.contains(&Version::of(link)) => Ok(()),
            Self::OneOf(_) => Err(Error::PreconditionFailed {
                slug: link.slug.clone(),
                current: Some(Box::new(link.clone())),
            }),
        }
    }

    /// Checks that a deletion may find no link.
    ///
    /// # Errors
    /// The deletion is meant for a link.
    pub(super) fn check_absent(&self, slug: &Slug) -> Result<(), Error> {
        match self {
            Self::None => Ok(()),
            Self::Exists | Self::OneOf(_) => Err(Error::PreconditionFailed {
                slug: slug.clone(),
                current: None,
            }),
        }
    }
}
