//! The parts that the actix adapters share: the client (address, place, token), the
//! public origin, rendering of problems, and the ignored names of an input. Anything
//! else needs another home.
//!
//! This crate knows HTTP and actix. It knows no routes, no SQL and no adapter's
//! protocol.
//!
//! ```
//! use actix_web::test::TestRequest;
//! use slugline_httpkit::{ClientHeader, TrustedProxies};
//!
//! let proxies = TrustedProxies::new(vec!["10.0.0.0/8".parse()?], ClientHeader::default());
//! let from = |peer: &str| {
//!     let request = TestRequest::default().insert_header(("x-forwarded-for", "203.0.113.9"));
//!     request.peer_addr(peer.parse().unwrap()).to_http_request()
//! };
//! assert_eq!(proxies.client_address(&from("10.0.0.7:80")).to_string(), "203.0.113.9");
//! assert_eq!(proxies.client_address(&from("192.0.2.1:80")).to_string(), "192.0.2.1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `header`, `body`, `compressed` | headers as texts and lists; bodies as their bytes; answers compressed |
//! | `client`, `proxy_watch` | the client's address behind trusted proxies; proxies that no setting names |
//! | `cdn` | the headers in which content delivery networks name a place |
//! | `edge`, `base_url` | settings towards clients, hosts for some paths only, the sides of splits; the public address |
//! | `guard`, `guarded` | who a token lets in; its check before the handlers, calls from web pages, names of ignored members |
//! | `problem`, `log_lines` | problems as answers and as log output |
//! | `protected` | the address that tokens of assistants open, as clients find it |
//! | `facts` | what rules of links ask of a visitor; what a redirect would answer |
//! | `locale` | the visitor's language |
//! | `fuzzing` | entry points for `fuzz/` |

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

mod base_url;
mod body;
mod cdn;
mod client;
mod compressed;
mod edge;
mod facts;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod guard;
mod guarded;
mod header;
mod locale;
mod log_lines;
mod problem;
mod protected;
mod proxy_watch;

pub use body::{read_body, tell_codings};
pub use cdn::{Cdn, PlaceHeaders, PlaceHeadersError};
pub use client::{ClientHeader, ClientHeaderError, TrustedProxies, probe_caller};
pub use edge::{Door, Edge, SplitSides};
pub use facts::{Foresight, RequestFacts, local_time};
#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_headers;
pub use guard::Guard;
pub use guarded::{IgnoredNames, caller, guarded, public};
pub use header::{cookie, elements_from_end, header, media_type, takes_gzip, takes_json};
pub use locale::Locale;
pub use problem::{Failure, problem_response, report};
pub use protected::ProtectedResource;
pub use proxy_watch::ProxyDoubt;
pub use slugline_problem::{Code, Problem};
