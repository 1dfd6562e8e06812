//! Names the ignored members of an input in the response.

use actix_web::http::header::{HeaderMap, HeaderName, HeaderValue};

/// The header that lists the names, separated by commas.
const HEADER: HeaderName = HeaderName::from_static("slugline-ignored");

/// Unknown names of an input. A handler leaves them in the request's extensions, and the
/// response lists them.
#[derive(Clone, Debug)]
pub struct IgnoredNames(pub Vec<String>);

impl IgnoredNames {
    pub(crate) fn tell(&self, headers: &mut HeaderMap) {
        /// A longer list helps no caller, and clients limit headers.
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
