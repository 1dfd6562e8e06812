//! Bounds that settings set.

use slugline_domain::{BaseUrl, DestinationRules, OwnAddresses, RowLimit};

/// The bounds that an instance's settings set.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// The schemes and the length that destinations may have.
    pub destinations: DestinationRules,
    /// The most rows in an answer about visits, and the number of rows if a query gives
    /// no limit.
    pub rows_max: RowLimit,
    /// The origins of short links, so that no link leads to itself.
    pub own_addresses: OwnAddresses,
}

impl Bounds {
    /// Returns the same bounds for an instance that clients reach under this address.
    #[must_use]
    pub fn seen_at(&self, base: &BaseUrl) -> Self {
        Self {
            own_addresses: self.own_addresses.at(base),
            ..self.clone()
        }
    }
}
