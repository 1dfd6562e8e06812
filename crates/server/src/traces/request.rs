//! The span of a request.
//!
//! Like a line of the log output it names no link, no visitor and no secret.

use actix_http::Request;
#[cfg(feature = "otel")]
use actix_web::HttpMessage;
use actix_web::HttpRequest;
use slugline_domain::measure::TRACES;
use tracing::{Span, field::Empty, info_span, span::Entered};

/// A request under way. Dropping this ends its span.
#[derive(Debug)]
pub(crate) struct TracedRequest(Span);

impl TracedRequest {
    /// Begins the span, as a part of the trace that the client's `traceparent` names. `method` is
    /// one of the known ones.
    pub(crate) fn begin(request: &Request, method: impl FnOnce() -> &'static str) -> Self {
        let span = info_span!(
            target: TRACES,
            parent: None,
            "request",
            otel.kind = "server",
            otel.status_code = Empty,
            http.request.method = Empty,
            http.route = Empty,
            http.response.status_code = Empty,
        );
        if !span.is_disabled() {
            span.record("http.request.method", method());
            #[cfg(feature = "otel")]
            super::layer::continue_trace(&span, request.headers());
            #[cfg(not(feature = "otel"))]
            let _ = request;
        }
        Self(span)
    }

    /// Spans that begin until the result is dropped are parts of this one.
    pub(crate) fn enter(&self) -> Entered<'_> {
        self.0.enter()
    }

    /// Records the answer, which a route of the table gave, or a redirect.
    pub(crate) fn answered(&self, request: Option<&HttpRequest>, status: u16) {
        if self.0.is_disabled() {
            return;
        }
        let route = request.and_then(HttpRequest::match_pattern);
        let route = route.as_deref().unwrap_or("redirect");
        self.0.record("http.route", route);
        self.0.record("http.response.status_code", status);
        if status >= 500 {
            self.0.record("otel.status_code", "ERROR");
        }
        #[cfg(feature = "otel")]
        super::layer::rename(&self.0, route);
    }
}
