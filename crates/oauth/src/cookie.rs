//! The cookie of a person who signed in.

use actix_web::{HttpRequest, http::header::HeaderValue};
use slugline_application::Assistants;
use slugline_domain::Origin;
use slugline_httpkit::cookie;

/// The text of the cookie that a request brings.
pub(crate) fn of(request: &HttpRequest, origin: &Origin) -> Option<String> {
    let (name, _) = form(origin);
    cookie(request, name)
}

/// Sets the cookie. No script reads it, and no page of another site sends it with a form.
pub(crate) fn set(text: &str, origin: &Origin) -> HeaderValue {
    with(text, Assistants::SESSION_SECONDS, origin)
}

/// Removes the cookie.
pub(crate) fn remove(origin: &Origin) -> HeaderValue {
    with("", 0, origin)
}

fn with(text: &str, seconds: i64, origin: &Origin) -> HeaderValue {
    let (name, secure) = form(origin);
    let set = format!("{name}={text}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&set).expect("the text is base64url")
}

/// The name, and the attribute that goes with it. Browsers take `__Host-` from this host alone, over
/// `https` and for every path, so no sibling can plant a session (RFC 6265bis, section 4.1.3.2).
fn form(origin: &Origin) -> (&'static str, &'static str) {
    if origin.scheme() == "https" {
        ("__Host-slugline_consent", "; Secure")
    } else {
        ("slugline_consent", "")
    }
}
