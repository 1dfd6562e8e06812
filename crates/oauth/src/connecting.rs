//! The use case, the guard and the paths, which the routes share.

use std::sync::Arc;

use actix_web::web::Data;
use slugline_application::Assistants;
use slugline_domain::BaseUrl;
use slugline_httpkit::{Guard, ProtectedResource};

/// The use cases of assistants, and the addresses under which clients find them. These come from
/// the settings, never from a request: clients compare them.
#[derive(Debug)]
pub struct Connecting {
    pub(crate) assistants: Arc<Assistants>,
    pub(crate) base: BaseUrl,
    pub(crate) resource: ProtectedResource,
    pub(crate) guard: Data<Guard>,
}

impl Connecting {
    /// The use cases at this public address, for this resource. The guard tells clients apart.
    pub fn new(
        assistants: Arc<Assistants>,
        base: BaseUrl,
        resource: ProtectedResource,
        guard: Data<Guard>,
    ) -> Self {
        Self {
            assistants,
            base,
            resource,
            guard,
        }
    }

    /// The use cases.
    pub fn assistants(&self) -> &Assistants {
        &self.assistants
    }

    /// An address of the service.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

/// The path at which people decide.
pub const AUTHORIZE_PATH: &str = "/_oauth/authorize";
/// The path at which codes and refresh tokens are exchanged.
pub const TOKEN_PATH: &str = "/_oauth/token";
/// The path at which applications register.
pub const REGISTER_PATH: &str = "/_oauth/register";
/// The path at which applications give tokens back.
pub const REVOKE_PATH: &str = "/_oauth/revoke";
/// The path of the authorization server's metadata (RFC 8414).
pub const SERVER_METADATA_PATH: &str = "/.well-known/oauth-authorization-server";

/// The path of the style sheet, which pages name relative to their own.
pub(crate) const STYLE_PATH: &str = "/_oauth/page.css";

/// The path at which clients find the resource's document, besides the root of the origin.
pub const RESOURCE_METADATA_PATH: &str = "/.well-known/oauth-protected-resource/api/mcp";
