//! Preconditions: the version of a link that a change is meant for.

use slugline_domain::{Link, LinkKey, ports::Version};

use super::LinkWriter;
use crate::error::Error;

/// The versions of a link that a change is meant for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Precondition {
    /// Any version, or no link.
    #[default]
    None,
    /// Any version, as long as there is a link.
    Exists,
    /// One of these versions.
    OneOf(Vec<Version>),
}

impl Precondition {
    /// Checks the current link.
    ///
    /// # Errors
    /// The link is none of the versions that the change is meant for.
    pub(super) fn check(&self, link: &Link, writer: &LinkWriter) -> Result<(), Error> {
        match self {
            Self::None | Self::Exists => Ok(()),
            Self::OneOf(versions) if versions.contains(&Version::of(link)) => Ok(()),
            Self::OneOf(_) => Err(Error::PreconditionFailed {
                key: link.key.clone(),
                current: Some(writer.seen(link.clone())),
            }),
        }
    }

    /// Checks that the precondition of a deletion holds when there is no link.
    ///
    /// # Errors
    /// The deletion requires a link.
    pub(super) fn check_absent(&self, key: &LinkKey) -> Result<(), Error> {
        match self {
            Self::None => Ok(()),
            Self::Exists | Self::OneOf(_) => Err(Error::PreconditionFailed {
                key: key.clone(),
                current: None,
            }),
        }
    }
}
