//! The documents in which applications describe themselves.

use std::{fmt, time::Duration};

use async_trait::async_trait;
use thiserror::Error;
use url::Url;

/// The description of an application, as its document has it; nothing is checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientDocument {
    /// The identifier that it names. Only a document that names its own address counts.
    pub client_id: String,
    /// The name.
    pub client_name: Option<String>,
    /// The addresses to which answers may go.
    pub redirect_uris: Vec<String>,
    /// The time for which the document may be kept; `None` if it does not say.
    pub fresh_for: Option<Duration>,
}

/// Fetches documents in which applications describe themselves.
///
/// Strangers choose the addresses, so an implementation must not enter networks that only the
/// service can reach.
#[async_trait]
pub trait ClientDocuments: fmt::Debug + Send + Sync {
    /// The document at this address.
    async fn fetch(&self, address: &Url) -> Result<ClientDocument, DocumentFailure>;
}

/// The reason why there is no document.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DocumentFailure {
    /// The address leads where the service does not go.
    #[error("the service does not go to this address")]
    Refused,
    /// There is no answer, or another one than a document.
    #[error("the address does not answer with the document: {0}")]
    Unreachable(String),
    /// The answer is no description of an application.
    #[error("the document is not one of a client: {0}")]
    Unreadable(String),
}
