//! A request to a server.

use std::{error::Error as StdError, time::Duration};

use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};
use hyper::{
    HeaderMap, Method,
    body::Bytes,
    header::{HeaderValue, USER_AGENT},
};
use url::Url;

/// The name of this service. Many sites answer no request without one, and every instance takes it
/// for that of a program, which uses no visit of a link.
pub(crate) const OWN_NAME: &str = concat!("Slugline/", env!("CARGO_PKG_VERSION"));
pub(crate) const OWN_USER_AGENT: HeaderValue = HeaderValue::from_static(OWN_NAME);

/// A request.
#[derive(Debug)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The URL.
    pub url: Url,
    /// Headers besides those that the connection needs. Redirects carry them
    /// along, except for `Authorization`, which stays with its origin.
    pub headers: HeaderMap,
    /// The body.
    pub body: Outgoing,
    /// The time limit for look-ups, connections, every hop and the head of the
    /// answer, and for the body if the caller reads it whole.
    pub timeout: Duration,
}

impl Request {
    /// A GET of this service itself, without other headers.
    pub fn get(url: Url, timeout: Duration) -> Self {
        let headers = HeaderMap::from_iter([(USER_AGENT, OWN_USER_AGENT)]);
        Self {
            method: Method::GET,
            url,
            headers,
            body: Outgoing::default(),
            timeout,
        }
    }

    /// Returns whether repeating the request is safe.
    pub(crate) fn is_repeatable(&self) -> bool {
        let reads = self.method == Method::GET || self.method == Method::HEAD;
        reads && matches!(self.body.0, Content::Nothing)
    }
}

/// The body of a request.
#[derive(Debug, Default)]
pub struct Outgoing(Content);

#[derive(Debug, Default)]
enum Content {
    #[default]
    Nothing,
    Whole(Bytes),
    Arriving(SentBody),
}

/// The type in which hyper gets every body.
pub(crate) type SentBody = UnsyncBoxBody<Bytes, BoxError>;
type BoxError = Box<dyn StdError + Send + Sync>;

impl Outgoing {
    /// All bytes at once.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Content::Whole(bytes.into()))
    }

    /// Bytes as they arrive from elsewhere. If the length is known, the server
    /// is told.
    pub fn arriving<B>(body: B) -> Self
    where
        B: hyper::body::Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        Self(Content::Arriving(body.map_err(Into::into).boxed_unsync()))
    }

    pub(crate) fn into_body(self) -> SentBody {
        match self.0 {
            Content::Nothing => Empty::new().map_err(Into::into).boxed_unsync(),
            Content::Whole(bytes) => Full::new(bytes).map_err(Into::into).boxed_unsync(),
            Content::Arriving(body) => body,
        }
    }
}
