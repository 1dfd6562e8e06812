//! Settings of proxied links.

use slugline_outbound::Policy;
use slugline_redirect::ProxyLimits;

/// Reach and limits of proxied links.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProxySettings {
    /// The addresses and ports they may reach.
    pub reach: Policy,
    /// Their number, timeouts and size.
    pub limits: ProxyLimits,
}
