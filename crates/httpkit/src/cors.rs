//! Lets web pages of any origin call the API if the operator wants it.
//!
//! Pages cannot send the token by accident: it travels in a header that only
//! their own script can set, so there are no credentials to protect from them.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        Method,
        header::{self, HeaderMap, HeaderValue},
    },
};

/// Returns whether the request is a browser's CORS preflight. A preflight never carries
/// the token, so it is answered before the token is checked.
pub(crate) fn is_preflight(request: &HttpRequest) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Allows the requested method and headers by name: `*` would not cover `Authorization`
/// (Fetch standard, "CORS-preflight fetch").
pub(crate) fn preflight(request: &HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::NoContent().finish();
    let headers = response.headers_mut();
    allow(headers);
    for (asked, answered) in [
        (
            header::ACCESS_CONTROL_REQUEST_METHOD,
            header::ACCESS_CONTROL_ALLOW_METHODS,
        ),
        (
            header::ACCESS_CONTROL_REQUEST_HEADERS,
            header::ACCESS_CONTROL_ALLOW_HEADERS,
        ),
    ] {
        if let Some(value) = request.headers().get(asked) {
            headers.insert(answered, value.clone());
        }
    }
    response
}

/// Lets the page read the response.
pub(crate) fn allow(headers: &mut HeaderMap) {
    let any = HeaderValue::from_static("*");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, any.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, any.clone());
    // Exposes `ETag` and the ignored names. Requests carry no credentials in the sense of
    // the Fetch standard, so `*` means every header.
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, any);
    headers.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static("0"),
    );
}
