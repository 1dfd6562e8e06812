//! Preview mode, for a public demonstration that anybody may use and that keeps nothing.

use slugline_domain::UnixSeconds;

use crate::Error;

/// Tells if an instance is a public demonstration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PreviewMode {
    /// The instance is no demonstration.
    #[default]
    Off,
    /// The instance is a demonstration. The token is public, so links expire soon, every
    /// destination is screened even if the author calls it safe, and every [`Forbidden`]
    /// action is refused.
    On,
}

/// An action that preview mode forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// Changing links.
    Edit,
    /// Deleting links.
    Delete,
    /// Importing links.
    Import,
    /// Exporting links, with stored passwords.
    Export,
    /// Explaining what visitors of a link get.
    Explain,
    /// Asking destinations whether they answer.
    Check,
    /// Suggesting slugs and previews.
    Suggest,
    /// Moving links here from an older instance.
    Migrate,
    /// Listing, making and revoking tokens.
    Tokens,
    /// Erasing visits.
    EraseVisits,
    /// Naming, editing and taking away domains.
    Domains,
    /// Reading former versions of links and the trash, and bringing links back.
    History,
}

impl Forbidden {
    /// Returns whether the action needs every link to be here.
    pub(crate) const fn needs_links(self) -> bool {
        match self {
            Self::Edit
            | Self::Delete
            | Self::Import
            | Self::Export
            | Self::Explain
            | Self::Check
            | Self::EraseVisits
            | Self::Domains
            | Self::History => true,
            Self::Suggest | Self::Migrate | Self::Tokens => false,
        }
    }
}

impl PreviewMode {
    /// The lifetime of a link in preview mode, in seconds.
    pub const LIFETIME_SECONDS: i64 = 300;

    pub(crate) fn end_of_link(self, made: UnixSeconds) -> Option<UnixSeconds> {
        match self {
            Self::Off => None,
            Self::On => UnixSeconds::new(made.get().saturating_add(Self::LIFETIME_SECONDS)).ok(),
        }
    }

    /// Returns whether the token is public, so that any stranger can be the author of a
    /// link.
    pub(crate) fn distrusts_authors(self) -> bool {
        self == Self::On
    }

    pub(crate) fn permit(self, action: Forbidden) -> Result<(), Error> {
        match self {
            Self::Off => Ok(()),
            Self::On => Err(Error::PreviewMode(action)),
        }
    }
}
