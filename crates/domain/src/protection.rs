//! The password in front of a destination, as visits remember it.

use crate::FollowedLink;

named_values! {
    /// The protection of a link's destination at the moment of a visit.
    pub enum Protection {
        /// The link had no password: each visitor reached the destination.
        None = "none",
        /// The link asked for a password.
        Password = "password",
    }
}

impl Protection {
    /// The protection of a link as it is.
    pub fn of(link: &FollowedLink) -> Self {
        match link.terms().password {
            None => Self::None,
            Some(_) => Self::Password,
        }
    }
}
