//! The protocol revisions that are served. Each is named by its date, so later
//! ones compare greater as text.

use serde_json::json;

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
