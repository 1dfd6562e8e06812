//! Names the ignored members of an input in the response.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

/// Lists them, separated by commas.
const HEADER: HeaderName = HeaderName::from_static("slugline-ignored");

/// Names that an input had and nothing knows. A handler leaves them in the
/// request's extensions, and the response carries them.
#[derive(Clone, Debug)]
pub struct IgnoredNames(pub Vec<String>);

impl IgnoredNames {
    pub(crate) fn tell(&self, headers: &mut HeaderMap) {
        /// More than that help nobody, and clients bound their headers.
        const TOLD: usize = 16;
        const LONGEST: usize = 64;
        let names = self.0.iter().take(TOLD);
        let names: Vec<String> = names
            .map(|name| name.escape_default().take(LONGEST).collect())
            .collect();
        // Escaped text is visible ASCII.
        if let Ok(value) = HeaderValue::from_str(&names.join(", ")) {
            headers.insert(HEADER, value);
        }
    }
}
