//! Traces of requests, for a collector of OpenTelemetry, with the cargo feature `otel`.
//!
//! Every build marks requests and calls of the store as spans of the target
//! [`TRACES`](slugline_domain::measure::TRACES), which costs next to nothing while no subscriber takes
//! them. Only a build with the feature can send them somewhere; a build without it refuses the
//! setting that asks for it. Traces are no log output, which shows none of these spans.

#[cfg(feature = "otel")]
mod collector;
#[cfg(feature = "otel")]
mod layer;
mod request;

#[cfg(feature = "otel")]
pub(crate) use layer::{finish, layer};
pub(crate) use request::TracedRequest;
use url::Url;

/// The collector, and the share of requests that are traced.
#[derive(Clone, Debug, PartialEq)]
pub struct TraceOptions {
    /// The collector's address for traces, by OTLP over HTTP.
    pub(crate) collector: Url,
    /// The share of requests that are traced, 0 to 1, unless their client decides.
    pub(crate) share: f64,
}

/// Sends what was not sent yet. A build without traces has nothing to send.
#[cfg(not(feature = "otel"))]
pub(crate) fn finish() {}
