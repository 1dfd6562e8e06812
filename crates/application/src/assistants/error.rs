//! The errors that applications get.

use slugline_domain::{
    assistants::{ClientIdError, ClientNameError, RedirectAddressError},
    ports::StoreError,
};
use thiserror::Error;

use crate::attempts::TooManyAttempts;

/// The reason why an application does not get what it asks for. The texts are for its developers.
#[derive(Debug, Error)]
pub enum AssistantError {
    /// A parameter is missing, or has another form than the standard gives it.
    #[error("{parameter} {expected}")]
    Parameter {
        /// The parameter.
        parameter: &'static str,
        /// The end of a sentence that begins with the parameter: "is missing", "must be S256".
        expected: &'static str,
    },
    /// A request asks for another kind of answer than a code.
    #[error("response_type must be code")]
    ResponseType,
    /// The identifier has the form of none.
    #[error(transparent)]
    ClientId(#[from] ClientIdError),
    /// No application has the identifier.
    #[error("no client has this client_id; register again")]
    UnknownClient,
    /// The document in which the application describes itself is of no use.
    #[error("the client_id cannot be used: {0}")]
    Document(String),
    /// The address is none that the application registered. Nothing is sent there.
    #[error("redirect_uri is not one that the client registered")]
    ForeignRedirect,
    /// An address of a new application cannot be used.
    #[error("redirect_uris: {address} {reason}")]
    Redirect {
        /// The address.
        address: String,
        /// The reason: the rest of a sentence about the address.
        reason: RedirectAddressError,
    },
    /// A new application has no address, or too many.
    #[error("redirect_uris must have 1 to {most} addresses")]
    RedirectCount {
        /// The most addresses.
        most: usize,
    },
    /// The name of an application cannot be shown.
    #[error("client_name: {0}")]
    Name(#[from] ClientNameError),
    /// Nothing is left of the scopes.
    #[error("scope must have at least one of links:read, links:write and analytics:read")]
    Scope,
    /// More is asked for than the person gave.
    #[error("scope goes beyond what was granted")]
    ScopeNotGranted,
    /// The tokens would be for another address.
    #[error("resource must be {own}")]
    WrongResource {
        /// The only address that tokens open.
        own: String,
    },
    /// The code or the refresh token is wrong, spent or over, or belongs to another application.
    #[error("{0}")]
    WrongGrant(&'static str),
    /// The client's network asked too often.
    #[error(transparent)]
    TooMany(#[from] TooManyAttempts),
    /// The store failed.
    #[error("the database cannot be reached")]
    Store(#[from] StoreError),
}
