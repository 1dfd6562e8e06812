//! One followed link.

use std::{net::IpAddr, sync::Arc};

use crate::{Country, Link, UnixMillis};

/// What is known of a visit at the moment of the redirect. Small, because it
/// waits in a queue; everything that can be worked out later is.
#[derive(Clone, Debug)]
pub struct Visit {
    /// When.
    pub at: UnixMillis,
    /// The link as it was at that moment.
    pub link: Arc<Link>,
    /// The visitor's address. It never reaches a disk: the access log keeps a
    /// keyed hash of it.
    pub client: IpAddr,
    /// The `User-Agent` header, empty when absent.
    pub user_agent: Box<str>,
    /// The `Referer` header, empty when absent.
    pub referer: Box<str>,
    /// The `Accept-Language` header, empty when absent.
    pub accept_language: Box<str>,
    /// Where the visitor is, if known.
    pub country: Option<Country>,
}
