//! HTTP requests to addresses that others chose, kept out of private networks.
//!
//! A short link leads wherever its author says. An author can make a server that
//! follows it connect to places that only the server can reach: a database on the
//! same machine, a cloud's metadata service, a router (server-side request
//! forgery). So this crate opens every connection itself, to an address that it
//! has checked, and hands it to hyper; no HTTP library looks up names.
//!
//! It knows addresses, name look-ups and enough HTTP for guarded requests. It does
//! not know links, stores or the service's own routes.
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
//! | `policy` | the targets that may be reached besides, and the treatment of redirects |
//! | `accepted_url` | checks of a URL that need no look-up |
//! | `resolver`, `connection`, `tls` | a name → checked addresses → a connection to one of them |
//! | `request`, `answer` | requests and answers, with bodies whole or in parts |
//! | `client` | redirects, deadline, size limits |
//! | `prober`, `screen`, `forwarder`, `client_documents` | the domain's ports on top |
//! | `webhook` | sending visits to a receiver, in the background |
//! | `error` | the reasons why a request was refused or failed |

mod accepted_url;
mod address;
mod answer;
mod client;
mod client_documents;
mod connection;
mod error;
mod forwarder;
mod policy;
mod prober;
mod request;
mod resolver;
mod screen;
mod tls;
mod webhook;

pub use address::is_public;
pub use answer::{Answer, Arriving, Fetched};
pub use client::Client;
pub use client_documents::HttpClientDocuments;
pub use error::{Error, Refusal};
pub use forwarder::HttpForwarder;
pub use hyper::{HeaderMap, Method};
pub use ipnet::IpNet;
pub use policy::{AddressPolicy, Policy, PortPolicy, Redirects};
pub use prober::HttpProber;
pub use request::{Outgoing, Request};
pub use resolver::{Resolve, SystemResolver};
pub use screen::NameServiceScreen;
pub use url::Url;
pub use webhook::{RetryPolicy, Webhook, WebhookOptions, WebhookSecret, WebhookSecretError};
