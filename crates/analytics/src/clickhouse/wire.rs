//! How statements travel: what the engine needs of HTTP.
//!
//! This crate knows no HTTP library. Whoever starts the engine brings one, and
//! with it the certificate authorities to trust.

use std::{error::Error as StdError, fmt, time::Duration};

use async_trait::async_trait;
use url::Url;

/// Sends requests to ClickHouse.
#[async_trait]
pub trait ClickHouseWire: fmt::Debug + Send + Sync {
    /// Sends one `POST` and waits for the head of the answer. Redirects are not
    /// followed: the request carries a password.
    ///
    /// # Errors
    /// There is no answer, or none in time.
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError>;
}

/// What is sent.
#[derive(Clone)]
pub struct WireRequest {
    /// Where, with the statement's settings as its query.
    pub url: Url,
    /// Headers beside those that the connection needs.
    pub headers: Vec<(&'static str, String)>,
    /// The body, whole.
    pub body: Vec<u8>,
    /// Time for look-up, connection, and the head of the answer.
    pub within: Duration,
}

impl fmt::Debug for WireRequest {
    /// The headers hold the password, the body what visitors did.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireRequest")
            .field("url", &self.url.as_str())
            .field("body", &self.body.len())
            .field("within", &self.within)
            .finish_non_exhaustive()
    }
}

/// What comes back.
#[derive(Debug)]
pub struct WireAnswer {
    /// Status.
    pub status: u16,
    /// The body, as it arrives.
    pub body: Box<dyn WireBody>,
}

/// A body on its way.
#[async_trait]
pub trait WireBody: fmt::Debug + Send {
    /// The next bytes, none at the end.
    ///
    /// # Errors
    /// It broke off.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError>;
}

/// Why a request came to nothing.
pub type WireError = Box<dyn StdError + Send + Sync>;
