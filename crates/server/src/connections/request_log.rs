//! Logs a line for each request, with the request's id.
//!
//! The line identifies no visitor or link and contains no secret: the route is the pattern of
//! the table of routes, or `redirect` for everything else.

use std::time::{Duration, Instant};

use actix_http::Request;
use actix_web::{
    HttpMessage, HttpRequest,
    http::{
        Method,
        header::{HeaderMap, HeaderName, HeaderValue},
    },
};
use slugline_domain::ports::Random;
use slugline_system::OsRandom;
use tracing::{Span, error_span, span::Entered};

use crate::logging;

static REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// A request under way. Dropping this writes its line.
#[derive(Debug)]
pub(super) struct LoggedRequest {
    /// Every event logged inside this span has the request's id.
    span: Span,
    id: HeaderValue,
    method: &'static str,
    route: Option<String>,
    status: Option<u16>,
    bytes: u64,
    begun: Instant,
}

impl LoggedRequest {
    pub(super) fn begin(request: &Request) -> Self {
        let id = sent_id(request.headers()).unwrap_or_else(mint_id);
        let shown = id.to_str().unwrap_or_default();
        Self {
            // The level is `error`, so that every filter keeps the span.
            span: error_span!(target: logging::REQUESTS, "request", id = shown),
            method: known_method(request.method()),
            id,
            route: None,
            status: None,
            bytes: 0,
            begun: Instant::now(),
        }
    }

    /// Events logged until the result is dropped belong to this request.
    pub(super) fn enter(&self) -> Entered<'_> {
        self.span.enter()
    }

    /// Records the route that took the request.
    pub(super) fn routed(&mut self, request: &HttpRequest) {
        self.route = request.match_pattern();
    }

    /// Records the start of the answer.
    pub(super) fn answered(&mut self, status: u16, headers: &mut HeaderMap) {
        self.status = Some(status);
        headers.insert(REQUEST_ID.clone(), self.id.clone());
    }

    /// Adds bytes of the answer's body.
    pub(super) fn sent(&mut self, bytes: usize) {
        self.bytes += u64::try_from(bytes).unwrap_or(u64::MAX);
    }
}

impl Drop for LoggedRequest {
    fn drop(&mut self) {
        let _entered = self.span.enter();
        let route = self.route.as_deref().unwrap_or("redirect");
        let (method, bytes) = (self.method, self.bytes);
        let milliseconds = milliseconds(self.begun.elapsed());
        if let Some(status) = self.status {
            tracing::info!(
                target: logging::REQUESTS,
                method, route, status, milliseconds, bytes,
                "answered"
            );
        } else {
            tracing::info!(
                target: logging::REQUESTS,
                method, milliseconds,
                "the client left before the answer"
            );
        }
    }
}

/// With three decimals.
fn milliseconds(duration: Duration) -> f64 {
    let microseconds = u32::try_from(duration.as_micros()).unwrap_or(u32::MAX);
    f64::from(microseconds) / 1000.0
}

/// The client's own id, if it is valid: up to 128 letters, digits and signs that have no
/// special meaning in a log line or in JSON.
fn sent_id(headers: &HeaderMap) -> Option<HeaderValue> {
    const MOST: usize = 128;

    let id = headers.get(&REQUEST_ID)?;
    let bytes = id.as_bytes();
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~:;,/+=@".contains(byte);
    ((1..=MOST).contains(&bytes.len()) && bytes.iter().all(plain)).then(|| id.clone())
}

/// 128 random bits in hexadecimal.
fn mint_id() -> HeaderValue {
    let mut bits = [0; 16];
    OsRandom.fill(&mut bits);
    let id = format!("{:032x}", u128::from_be_bytes(bits));
    HeaderValue::try_from(id).expect("digits are a header's value")
}

/// Maps unknown methods to one name, because clients may send any word.
pub(super) fn known_method(method: &Method) -> &'static str {
    const KNOWN: [(&Method, &str); 8] = [
        (&Method::GET, "GET"),
        (&Method::HEAD, "HEAD"),
        (&Method::POST, "POST"),
        (&Method::PUT, "PUT"),
        (&Method::PATCH, "PATCH"),
        (&Method::DELETE, "DELETE"),
        (&Method::OPTIONS, "OPTIONS"),
        (&Method::TRACE, "TRACE"),
    ];
    KNOWN
        .iter()
        .find(|(known, _)| *known == method)
        .map_or("other", |(_, name)| name)
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("7d0b1c6e-9a", true)]
    #[case("Root=1-67891233-abcdef012345678912345678", true)]
    #[case("", false)]
    #[case("two words", false)]
    #[case("a\"}b", false)]
    #[case("\u{e9}", false)]
    fn only_a_plain_id_is_taken(#[case] id: &str, #[case] taken: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(
            REQUEST_ID.clone(),
            HeaderValue::from_bytes(id.as_bytes()).unwrap(),
        );
        assert_eq!(sent_id(&headers).is_some(), taken);
    }

    #[rstest]
    #[case(128, true)]
    #[case(129, false)]
    fn an_id_is_bounded(#[case] length: usize, #[case] taken: bool) {
        let mut headers = HeaderMap::new();
        headers.insert(REQUEST_ID.clone(), "a".repeat(length).parse().unwrap());
        assert_eq!(sent_id(&headers).is_some(), taken);
    }

    #[test]
    fn a_method_of_the_clients_own_is_not_repeated() {
        assert_eq!(known_method(&Method::PATCH), "PATCH");
        let own = Method::from_bytes(b"SECRET").unwrap();
        assert_eq!(known_method(&own), "other");
    }
}
