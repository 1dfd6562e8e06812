//! Preview mode: a public demonstration in which everybody may try, and nothing
//! stays.

use slugline_domain::UnixSeconds;

use crate::Error;

/// Whether an instance is a public demonstration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewMode {
    /// It is not.
    #[default]
    Off,
    /// It is: links end soon and cannot be changed or deleted.
    On,
}

/// What preview mode forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// Changing links.
    Edit,
    /// Deleting links.
    Delete,
    /// Importing links.
    Import,
}

impl PreviewMode {
    /// How long a link lives in preview mode, in seconds.
    pub const LIFETIME_SECONDS: i64 = 300;

    pub(crate) fn end_of_link(self, made: UnixSeconds) -> Option<UnixSeconds> {
        match self {
            Self::Off => None,
            Self::On => UnixSeconds::new(made.get().saturating_add(Self::LIFETIME_SECONDS)).ok(),
        }
    }

    pub(crate) fn permit(self, action: Forbidden) -> Result<(), Error> {
        match self {
            Self::Off => Ok(()),
            Self::On => Err(Error::PreviewMode(action)),
        }
    }
}
