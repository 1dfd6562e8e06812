//! The cookie of a person who signed in.

use actix_web::{
    HttpRequest,
    http::header::{COOKIE, HeaderValue},
};
use slugline_application::Assistants;
use slugline_httpkit::Origin;

const NAME: &str = "slugline_consent";

/// The text of the cookie that a request brings.
pub(crate) fn of(request: &HttpRequest) -> Option<&str> {
    let cookies = request.headers().get_all(COOKIE);
    cookies
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(';'))
        .filter_map(|pair| pair.split_once('='))
        .find_map(|(name, value)| (name.trim() == NAME).then(|| value.trim()))
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
    let cookie =
        format!("{NAME}={text}; Path=/_oauth; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&cookie).expect("the text is base64url")
}
