//! The assistant that a token belongs to.

use crate::{UnixSeconds, assistants::ClientName};

/// The assistant that a token belongs to, and the purpose for which it got the token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assistant {
    /// The name that the application gives itself. The service has not verified it.
    pub name: ClientName,
    /// The host that publishes the application's description, or the one to which its answers
    /// go.
    pub host: Box<str>,
    /// The address that the token opens (RFC 8707), and no other.
    pub resource: Box<str>,
    /// The moment from which the assistant cannot renew the token any more.
    pub ends_at: UnixSeconds,
}
