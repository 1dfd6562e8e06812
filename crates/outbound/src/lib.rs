//! HTTP requests to addresses that others chose, kept out of private networks.
//!
//! A short link leads wherever its author says. A server that follows it can
//! be made to knock on doors which only it can reach: a database on the same
//! machine, a cloud's metadata service, a router (server-side request forgery).
//! This crate knows addresses, name look-ups and enough HTTP for a guarded GET;
//! it does not know links, stores or the service's own routes. It opens every
//! connection itself, to an address that it has judged, and hands it to hyper;
//! no HTTP library gets to look up a name.
//!
//! ```
//! use std::time::Duration;
//! use slugline_outbound::{Client, Error, Get, HeaderMap, Policy};
//!
//! # tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(async {
//! let client = Client::new(Policy::default());
//! let get = Get {
//!     url: "http://0x7f.1/".parse()?, // 127.0.0.1 in other words
//!     headers: HeaderMap::new(),
//!     within: Duration::from_secs(6),
//! };
//! assert!(matches!(client.status(get).await, Err(Error::Refused(_))));
//! # Ok::<(), Box<dyn std::error::Error>>(()) })?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | holds |
//! |---|---|
//! | `address` | [`is_public`]: the special blocks of both address families |
//! | `policy` | what may be reached beyond that |
//! | `target` | what a URL's look alone forbids |
//! | `resolver`, `connection`, `tls` | a name → judged addresses → a connection to one of them |
//! | `client` | redirects, deadline, size limits |
//! | `prober` | the domain's port on top |

mod address;
mod client;
mod connection;
mod error;
mod policy;
mod prober;
mod resolver;
mod target;
mod tls;

pub use address::is_public;
pub use client::{Client, Fetched, Get, Policy};
pub use error::{Error, Refusal};
pub use hyper::HeaderMap;
pub use policy::{AddressPolicy, PortPolicy};
pub use prober::HttpProber;
pub use resolver::{Resolve, SystemResolver};
