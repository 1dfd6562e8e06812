//! The cookie of a person who signed in.

use actix_web::{HttpRequest, http::header::HeaderValue};
use slugline_application::Assistants;
use slugline_httpkit::{Origin, cookie};

const NAME: &str = "slugline_consent";

/// The text of the cookie that a request brings.
pub(crate) fn of(request: &HttpRequest) -> Option<String> {
    cookie(request, NAME)
}

/// Sets the cookie for the pages of this crate. No script reads it, and no page of another site
/// sends it with a form.
pub(crate) fn set(text: &str, origin: &Origin) -> HeaderValue {
    with(text, Assistants::SESSION_SECONDS, origin)
}

/// Removes the cookie.
pub(crate) fn remove(origin: &Origin) -> HeaderValue {
    with("", 0, origin)
}

fn with(text: &str, seconds: i64, origin: &Origin) -> HeaderValue {
    let secure = if origin.scheme() == "https" {
        "; Secure"
    } else {
        ""
    };
    let set =
        format!("{NAME}={text}; Path=/_oauth; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&set).expect("the text is base64url")
}
