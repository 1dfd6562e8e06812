//! The port through which the engine sends HTTP requests.
//!
//! This crate has no HTTP library. The program that starts the engine provides one, and with it
//! the certificate authorities to trust.

use std::{error::Error as StdError, fmt, time::Duration};

use async_trait::async_trait;
use url::Url;

/// Sends requests to ClickHouse.
#[async_trait]
pub trait ClickHouseWire: fmt::Debug + Send + Sync {
    /// Sends one `POST` and waits for the head of the answer. It must not
    /// follow redirects, because the request carries a password.
    ///
    /// # Errors
    /// There is no answer, or none in time.
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError>;
}

/// A request.
#[derive(Clone)]
pub struct WireRequest {
    /// The URL, with the statement's settings as its query.
    pub url: Url,
    /// Headers besides those that the connection needs.
    pub headers: Vec<(&'static str, String)>,
    /// The whole body.
    pub body: Vec<u8>,
    /// The time limit for look-up, connection and the head of the answer.
    pub timeout: Duration,
}

impl fmt::Debug for WireRequest {
    /// The headers hold the password, and the body holds visits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WireRequest")
            .field("url", &self.url.as_str())
            .field("body", &self.body.len())
            .field("timeout", &self.timeout)
            .finish_non_exhaustive()
    }
}

/// An answer.
#[derive(Debug)]
pub struct WireAnswer {
    /// The status.
    pub status: u16,
    /// The body, as it arrives.
    pub body: Box<dyn WireBody>,
}

/// A body that is still arriving.
#[async_trait]
pub trait WireBody: fmt::Debug + Send {
    /// Returns the next bytes, none at the end.
    ///
    /// # Errors
    /// The connection broke off.
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError>;
}

/// The reason why a request failed.
pub type WireError = Box<dyn StdError + Send + Sync>;
