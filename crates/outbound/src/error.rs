//! Why a request was not made, or came to nothing.

use std::{error::Error as _, io, net::IpAddr, time::Duration};

use thiserror::Error;

/// An outbound request failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// The URL, or one it redirects to, leads where requests must not go.
    /// Nothing was sent there.
    #[error("destination is refused")]
    Refused(#[from] Refusal),
    /// The name has no address.
    #[error("name cannot be resolved")]
    Resolve(#[source] io::Error),
    /// No address of the host took the connection.
    #[error("connection failed")]
    Connect(#[source] io::Error),
    /// No secure connection came about.
    #[error("TLS handshake failed")]
    Tls(#[source] io::Error),
    /// The answer is not HTTP, breaks off or has too large a head.
    #[error("no usable HTTP answer")]
    Http(#[source] hyper::Error),
    /// The URL or a header cannot be put into an HTTP request.
    #[error("request cannot be written")]
    Unwritable(#[source] hyper::http::Error),
    /// The answer redirects to something that is no URL.
    #[error("redirects to something that is not a URL")]
    BadRedirect,
    /// The chain of redirects is too long, or a circle.
    #[error("more than {max} redirects")]
    TooManyRedirects {
        /// Redirects that are followed.
        max: usize,
    },
    /// The body is too large.
    #[error("body has more than {max} bytes")]
    TooLarge {
        /// Bytes that are read.
        max: usize,
    },
    /// The whole of it took too long.
    #[error("not done after {} s", after.as_secs_f32())]
    TimedOut {
        /// The time there was.
        after: Duration,
    },
}

impl Error {
    /// The error and what led to it, in one line.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut source = self.source();
        while let Some(reason) = source {
            text.push_str(": ");
            text.push_str(&reason.to_string());
            source = reason.source();
        }
        text
    }
}

/// What makes a URL one that we do not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Refusal {
    /// Another scheme than http and https.
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
