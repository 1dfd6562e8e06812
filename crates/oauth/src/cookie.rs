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

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::public("https://sl.example", "__Host-slugline_consent", "; Secure")]
    #[case::here("http://127.0.0.1:8080", "slugline_consent", "")]
    fn no_script_and_no_other_host_has_the_cookie(
        #[case] origin: &str,
        #[case] name: &str,
        #[case] secure: &str,
    ) {
        let origin = Origin::parse(origin).unwrap();
        for (header, value) in [
            (set("x", &origin), "x; Path=/; Max-Age=600"),
            (remove(&origin), "; Path=/; Max-Age=0"),
        ] {
            let expected = format!("{name}={value}; HttpOnly; SameSite=Lax{secure}");
            assert_eq!(header, expected.as_str());
        }
    }
}
