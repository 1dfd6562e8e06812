//! The paths of the service in this crate.

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

/// The path of the style sheet.
pub(crate) const STYLE_PATH: &str = "/_oauth/page.css";

/// The path at which clients find the resource's document, besides the root of the origin.
pub const RESOURCE_METADATA_PATH: &str = "/.well-known/oauth-protected-resource/api/mcp";
