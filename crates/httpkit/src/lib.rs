//! What the actix adapters share, and nothing else: who is asking (client
//! address, place, token), under which public origin, how a problem is rendered,
//! and which names of an input were ignored. A sixth thing needs a better home or a change of this sentence.
//!
//! It knows HTTP and actix; it does not know any route, SQL or the protocol of
//! an adapter.

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod cdn;
mod client;
mod cors;
mod edge;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod guard;
mod ignored;
mod line_limit;
mod origin;
mod problem;
mod proxy_watch;
mod refusals;

pub use cdn::{Cdn, PlaceHeaders, PlaceHeadersError};
pub use client::{ClientHeader, ClientHeaderError, TrustedProxies, header, probe_caller};
pub use edge::Edge;
#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_headers;
pub use guard::{guarded, public};
pub use ignored::IgnoredNames;
pub use origin::{Origin, OriginError};
pub use problem::{Failure, problem_response, report, unreadable_body};
pub use slugline_contract::{Code, Problem};
