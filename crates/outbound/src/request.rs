//! What is asked of a server.

use std::{error::Error as StdError, time::Duration};

use http_body_util::{BodyExt, Empty, Full, combinators::UnsyncBoxBody};
use hyper::{HeaderMap, Method, body::Bytes};
use url::Url;

/// A request to be made.
#[derive(Debug)]
pub struct Request {
    /// What to do there.
    pub method: Method,
    /// Where.
    pub url: Url,
    /// Headers beside the ones that the connection needs. Hops that redirects
    /// lead to get them too, but for `Authorization`, which stays with the
    /// origin that it was meant for.
    pub headers: HeaderMap,
    /// What is sent along.
    pub body: Outgoing,
    /// Time for look-ups, connections, every hop and the head of the answer,
    /// and for its body where that is waited for.
    pub within: Duration,
}

impl Request {
    /// A GET without headers of its own.
    pub fn get(url: Url, within: Duration) -> Self {
        Self {
            method: Method::GET,
            url,
            headers: HeaderMap::new(),
            body: Outgoing::default(),
            within,
        }
    }

    /// Whether sending it again asks for the same thing again.
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

/// The shape in which hyper gets every body.
pub(crate) type SentBody = UnsyncBoxBody<Bytes, BoxError>;
type BoxError = Box<dyn StdError + Send + Sync>;

impl Outgoing {
    /// All of it at once.
    pub fn whole(bytes: impl Into<Bytes>) -> Self {
        Self(Content::Whole(bytes.into()))
    }

    /// Bit by bit, as it arrives from elsewhere. If its length is known, the
    /// server is told.
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
