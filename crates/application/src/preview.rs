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
    /// It is. The token is public, so links end soon, are screened whatever
    /// their author says, and everything that [`Forbidden`] names is refused.
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
    /// Having the service ask destinations whether they answer.
    Check,
    /// Asking the operator's language model.
    Suggest,
    /// Moving links here from an older instance.
    Migrate,
}

impl Forbidden {
    /// True when the action needs every link to be here.
    pub(crate) const fn needs_links(self) -> bool {
        match self {
            Self::Edit | Self::Delete | Self::Import | Self::Export | Self::Check => true,
            Self::Suggest | Self::Migrate => false,
        }
    }
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

    /// True when the token is public: the author of a link may be any stranger.
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
