//! The terms of a change of one link.

use slugline_domain::OwnAddresses;

use super::Precondition;

/// The terms of a change of one link.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangeTerms {
    /// The versions that the change is meant for.
    pub precondition: Precondition,
    /// The addresses to which the link may not lead.
    pub own_addresses: OwnAddresses,
    /// `true` checks everything and stores nothing.
    pub validate_only: bool,
}

impl ChangeTerms {
    /// The terms of a change that is meant for these versions.
    pub fn of(precondition: Precondition) -> Self {
        Self {
            precondition,
            ..Self::default()
        }
    }

    /// Sets [`own_addresses`](Self#structfield.own_addresses).
    #[must_use]
    pub fn with_own_addresses(mut self, own_addresses: OwnAddresses) -> Self {
        self.own_addresses = own_addresses;
        self
    }

    /// Sets [`validate_only`](Self#structfield.validate_only).
    #[must_use]
    pub fn with_validate_only(mut self, validate_only: bool) -> Self {
        self.validate_only = validate_only;
        self
    }
}
