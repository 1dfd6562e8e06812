//! The terms of a change of one link.

use slugline_domain::OwnAddresses;

use super::Precondition;

/// The terms of a change of one link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeTerms {
    /// The versions that the change is meant for.
    pub precondition: Precondition,
    /// The addresses to which the link may not lead.
    pub own_addresses: OwnAddresses,
    /// `true` checks everything and stores nothing.
    pub validate_only: bool,
}
