//! Requests to other servers.

use std::fmt;

use async_trait::async_trait;

use crate::{
    Destination, ForwardFailure, ForwardedAnswer, ForwardedRequest, ProbeOutcome, ProbeRequest,
    ScreenVerdict,
};

/// Checks that destinations answer.
///
/// Authors choose the destinations, so an implementation must not enter networks that only the
/// service can reach.
#[async_trait]
pub trait LinkProber: fmt::Debug + Send + Sync {
    /// Requests one destination once, following its redirects.
    async fn probe(&self, request: ProbeRequest) -> ProbeOutcome;
}

/// Lists destinations that visitors must be warned of.
#[async_trait]
pub trait DestinationScreen: fmt::Debug + Send + Sync {
    /// Returns a verdict on each destination, in their order. The author of a
    /// link waits for it.
    async fn judge(&self, destinations: &[Destination]) -> Vec<ScreenVerdict>;
}

/// Passes visitors' requests on to destinations.
///
/// Authors choose the destinations, so an implementation must not enter networks that only the
/// service can reach.
#[async_trait]
pub trait Forwarder: fmt::Debug + Send + Sync {
    /// The destination's answer, as soon as its headers have arrived.
    async fn forward(&self, request: ForwardedRequest) -> Result<ForwardedAnswer, ForwardFailure>;
}
