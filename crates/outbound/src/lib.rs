//! HTTP requests to addresses that others chose, kept out of private networks.
//!
//! A short link leads wherever its author says. A server that follows it can
//! be made to knock on doors which only it can reach: a database on the same
//! machine, a cloud's metadata service, a router (server-side request forgery).
//! This crate knows addresses, name look-ups and enough HTTP for guarded requests;
//! it does not know links, stores or the service's own routes. It opens every
//! connection itself, to an address that it has judged, and hands it to hyper;
//! no HTTP library gets to look up a name.
//!
//! ```
//! use std::time::Duration;
//! use slugline_outbound::{Client, Error, Policy, Request};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let client = Client::new(Policy::default());
//! let inward = "http://0x7f.1/".parse()?; // 127.0.0.1 in other words
//! let request = Request::get(inward, Duration::from_secs(6));
//! assert!(matches!(client.status(request).await, Err(Error::Refused(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `address` | [`is_public`]: the special blocks of both address families |
//! | `policy` | what may be reached beyond that, and what becomes of redirects |
//! | `target` | what a URL's look alone forbids |
//! | `resolver`, `connection`, `tls` | a name → judged addresses → a connection to one of them |
//! | `request`, `answer` | what is asked and what comes back, whole or bit by bit |
//! | `client` | redirects, deadline, size limits |
//! | `prober`, `screen`, `model`, `forwarder` | the domain's ports on top |
//! | `webhook` | telling a receiver of visits, in the background |
//! | `page_text` | what a model is told of a page |

mod address;
mod answer;
mod client;
mod connection;
mod error;
mod forwarder;
#[cfg(feature = "fuzzing")]
mod fuzzing;
mod model;
mod page_text;
mod policy;
mod prober;
mod request;
mod resolver;
mod screen;
mod target;
mod tls;
mod webhook;

pub use address::is_public;
pub use answer::{Answer, Arriving, Fetched};
pub use client::Client;
pub use error::{Error, Refusal};
pub use forwarder::HttpForwarder;
#[cfg(feature = "fuzzing")]
pub use fuzzing::fuzz_page;
pub use hyper::{HeaderMap, Method};
pub use model::{ApiKey, ApiKeyError, LanguageModel, ModelOptions};
pub use policy::{AddressPolicy, Policy, PortPolicy, Redirects};
pub use prober::HttpProber;
pub use request::{Outgoing, Request};
pub use resolver::{Resolve, SystemResolver};
pub use screen::NameServiceScreen;
pub use webhook::{Persistence, Webhook, WebhookOptions, WebhookSecret, WebhookSecretError};
