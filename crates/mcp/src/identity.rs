//! The server as it introduces itself.

use serde_json::{Value, json};

const SERVER_KEY: &str = "io.modelcontextprotocol/serverInfo";

/// The instructions that a model gets about the server as a whole.
pub(crate) const INSTRUCTIONS: &str = "Slugline shortens links and counts their visits. A link is addressed \
    by its slug, the last part of the short URL; create_link makes a random slug when you give \
    none. Passwords are never shown: never send a password mask back. Analytics come from a \
    sampled access log: `sampling.exact` says whether the numbers of an answer \
    are exact.";

/// The member of `_meta` that names the server.
pub(crate) fn server_info(version: &str) -> Value {
    json!({SERVER_KEY: {"name": "slugline", "title": "Slugline", "version": version}})
}
