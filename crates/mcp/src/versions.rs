//! The protocol revisions that are served. Each is named by its date, so later
//! ones compare greater as text.

use serde_json::json;

use crate::answer::{Refusal, UNSUPPORTED_VERSION};

/// The one revision of the modern generation.
pub(crate) const MODERN: &str = "2026-07-28";

/// Revisions of the older generation, newest first.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// Assumed of an older client whose header says nothing, as the revisions
/// demand.
pub(crate) const ASSUMED: &str = "2025-03-26";

/// A revision that is not served, with the one that a client may switch to.
pub(crate) fn unsupported(requested: &str) -> Refusal {
    let message = format!("Protocol version {requested} is not supported");
    let data = json!({"supported": [MODERN], "requested": requested});
    Refusal::with_data(400, UNSUPPORTED_VERSION, &message, Some(data))
}
