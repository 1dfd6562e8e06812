//! The versions that the server speaks, and its name.

use serde_json::{Value, json};

use crate::answer::{Refusal, UNSUPPORTED_VERSION};

/// The one revision of the modern generation.
pub(crate) const MODERN: &str = "2026-07-28";

/// Revisions of the older generation, newest first.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Every revision that is served, newest first.
pub(crate) const ALL: [&str; 5] = [MODERN, LEGACY[0], LEGACY[1], LEGACY[2], LEGACY[3]];

/// The revision of an older client whose header names none, as the revisions demand.
pub(crate) const ASSUMED: &str = "2025-03-26";

/// Returns the error for a revision that a request cannot name for itself, with all
/// served revisions. `initialize` negotiates the older ones.
pub(crate) fn unsupported(requested: &str) -> Refusal {
    let message = if LEGACY.contains(&requested) {
        format!("Protocol version {requested} begins with initialize; _meta names {MODERN} only")
    } else {
        format!("Protocol version {requested} is not supported")
    };
    let data = json!({"supported": ALL, "requested": requested});
    Refusal::with_data(400, UNSUPPORTED_VERSION, &message, Some(data))
}

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
