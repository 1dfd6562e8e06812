//! The password in front of a destination, as visits remember it.

use crate::FollowedLink;

/// The protection of a link's destination at the moment of a visit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Protection {
    /// The link had no password: each visitor reached the destination.
    None,
    /// The link asked for a password.
    Password,
}

impl Protection {
    /// The protection of a link as it is.
    pub fn of(link: &FollowedLink) -> Self {
        match link.terms().password {
            None => Self::None,
            Some(_) => Self::Password,
        }
    }

    /// The text that stands for it in stored visits.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Password => "password",
        }
    }
}
