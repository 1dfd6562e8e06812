//! The scopes of tokens, as clients name them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use slugline_domain::Scope;

/// What a token permits. `admin` permits everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ScopeName {
    /// Reads links.
    #[serde(rename = "links:read")]
    LinksRead,
    /// Makes, changes and deletes links; without `links:read` answers show no more of a link than
    /// the caller wrote.
    #[serde(rename = "links:write")]
    LinksWrite,
    /// Reads the access log; without `links:read` no destinations that stood behind a password.
    #[serde(rename = "analytics:read")]
    AnalyticsRead,
    /// Everything, tokens included.
    #[serde(rename = "admin")]
    Admin,
}

impl From<Scope> for ScopeName {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::LinksRead => Self::LinksRead,
            Scope::LinksWrite => Self::LinksWrite,
            Scope::AnalyticsRead => Self::AnalyticsRead,
            Scope::Admin => Self::Admin,
        }
    }
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Self {
        match name {
            ScopeName::LinksRead => Self::LinksRead,
            ScopeName::LinksWrite => Self::LinksWrite,
            ScopeName::AnalyticsRead => Self::AnalyticsRead,
            ScopeName::Admin => Self::Admin,
        }
    }
}
