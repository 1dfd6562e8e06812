//! The reasons why a request was refused or failed.

use std::{io, net::IpAddr, time::Duration};

use thiserror::Error;

/// An outbound request failed.
#[derive(Debug, Error)]
pub enum Error {
    /// The URL, or one that it redirects to, leads where requests must not go.
    /// Nothing was sent there.
    #[error("destination is refused")]
    Refused(#[from] Refusal),
    /// The name has no address.
    #[error("name cannot be resolved")]
    Resolve(#[source] io::Error),
    /// No address of the host accepted the connection.
    #[error("connection failed")]
    Connect(#[source] io::Error),
    /// The TLS handshake failed.
    #[error("TLS handshake failed")]
    Tls(#[source] io::Error),
    /// The answer is not HTTP, breaks off or has too large a head.
    #[error("no usable HTTP answer")]
    Http(#[source] hyper::Error),
    /// The URL or a header cannot be put into an HTTP request.
    #[error("request cannot be written")]
    Unwritable(#[source] hyper::http::Error),
    /// The answer redirects to a text that is not a URL.
    #[error("redirects to something that is not a URL")]
    BadRedirect,
    /// The chain of redirects is too long or a circle.
    #[error("more than {max} redirects")]
    TooManyRedirects {
        /// The most redirects that are followed.
        max: usize,
    },
    /// The body is too large.
    #[error("body has more than {max} bytes")]
    TooLarge {
        /// The most bytes that are read.
        max: usize,
    },
    /// The whole request took too long.
    #[error("not done after {} s", after.as_secs_f32())]
    TimedOut {
        /// The time limit.
        after: Duration,
    },
}

/// The reason why a URL is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The scheme is neither http nor https.
    #[error("scheme is neither http nor https")]
    Scheme,
    /// The URL carries a user name or a password.
    #[error("URL has user information")]
    UserInfo,
    /// The URL has no host.
    #[error("URL has no host")]
    NoHost,
    /// `localhost`, or a name below it.
    #[error("name is this machine's own")]
    LocalName,
    /// A port that the policy does not list.
    #[error("port {0} is not allowed")]
    Port(u16),
    /// The host is, or one of its addresses is, not on the public internet.
    #[error("address {0} is not allowed")]
    Address(IpAddr),
}
