//! The cookie of a person who signed in.

use actix_web::{HttpRequest, http::header::HeaderValue};
use slugline_application::Assistants;
use slugline_domain::BaseUrl;
use slugline_httpkit::cookie;

/// The text of the cookie that a request brings.
pub(crate) fn of(request: &HttpRequest, base: &BaseUrl) -> Option<String> {
    let (name, _) = form(base);
    cookie(request, name)
}

/// Sets the cookie. No script reads it, and no page of another site sends it with a form.
pub(crate) fn set(text: &str, base: &BaseUrl) -> HeaderValue {
    with(text, Assistants::SESSION_SECONDS, base)
}

/// Removes the cookie.
pub(crate) fn remove(base: &BaseUrl) -> HeaderValue {
    with("", 0, base)
}

fn with(text: &str, seconds: i64, base: &BaseUrl) -> HeaderValue {
    let (name, secure) = form(base);
    let path = base.path();
    let set =
        format!("{name}={text}; Path={path}/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::from_str(&set).expect("the text is base64url")
}

/// The name, and the attribute that goes with it. Browsers take `__Host-` from this host alone, over
/// `https` and for every path, so no sibling can plant a session (RFC 6265bis, section 4.1.3.2). Below
/// a path the rest of the host belongs to others, who are not to get the session.
fn form(base: &BaseUrl) -> (&'static str, &'static str) {
    match (base.origin().scheme(), base.path()) {
        ("https", "") => ("__Host-slugline_consent", "; Secure"),
        ("https", _) => ("__Secure-slugline_consent", "; Secure"),
        _ => ("slugline_consent", ""),
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case::public("https://sl.example", "__Host-slugline_consent", "/", "; Secure")]
    #[case::below("https://sl.example/s", "__Secure-slugline_consent", "/s/", "; Secure")]
    #[case::here("http://127.0.0.1:8080", "slugline_consent", "/", "")]
    fn no_script_and_no_other_host_has_the_cookie(
        #[case] base: &str,
        #[case] name: &str,
        #[case] path: &str,
        #[case] secure: &str,
    ) {
        let base: BaseUrl = base.parse().unwrap();
        for (header, text, seconds) in [(set("x", &base), "x", 600), (remove(&base), "", 0)] {
            let value = format!("{text}; Path={path}; Max-Age={seconds}");
            let expected = format!("{name}={value}; HttpOnly; SameSite=Lax{secure}");
            assert_eq!(header, expected.as_str());
        }
    }
}
