//! JSON, errors and the headers of every answer to applications.

use std::{error::Error, time::Duration};

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{self, HeaderMap, HeaderValue},
    },
};
use serde_json::{Value, json};
use slugline_application::AssistantError;
use slugline_httpkit::{Problem, tell_codings};

/// The time after which a failed store is worth another request.
const STORE_RETRY_AFTER: Duration = Duration::from_secs(5);

/// JSON that no cache keeps, and that web pages of any origin may read.
pub(crate) fn json(status: StatusCode, value: &Value) -> HttpResponse {
    let mut response = HttpResponse::build(status)
        .content_type("application/json")
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(value.to_string());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::PRAGMA, HeaderValue::from_static("no-cache"));
    allow_any_origin(headers);
    response
}

/// An error as the standards name it.
pub(crate) fn error(error: &AssistantError) -> HttpResponse {
    let Named { code, status, wait } = named(error);
    report(error);
    let mut response = json(
        status,
        &json!({"error": code, "error_description": error.to_string()}),
    );
    if let Some(wait) = wait {
        let seconds = HeaderValue::from(wait.as_secs().max(1));
        response.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    response
}

/// An error in the form of the request, which no use case sees.
pub(crate) fn invalid_request(text: &str) -> HttpResponse {
    refusal("invalid_request", text)
}

/// An error about a body that cannot be read.
pub(crate) fn unreadable(request: &HttpRequest, problem: &Problem) -> HttpResponse {
    let mut response = json(
        status(problem),
        &json!({"error": "invalid_request", "error_description": problem.detail}),
    );
    tell_codings(request, &mut response);
    response
}

/// The status of a problem.
pub(crate) fn status(problem: &Problem) -> StatusCode {
    StatusCode::from_u16(problem.status()).expect("codes name real statuses")
}

/// An error with a code of the standards.
pub(crate) fn refusal(code: &str, text: &str) -> HttpResponse {
    json(
        StatusCode::BAD_REQUEST,
        &json!({"error": code, "error_description": text}),
    )
}

/// An error's code, its status, and the time to wait.
pub(crate) struct Named {
    pub(crate) code: &'static str,
    pub(crate) status: StatusCode,
    pub(crate) wait: Option<Duration>,
}

/// The names of RFC 6749 (sections 4.1.2.1 and 5.2), RFC 7591 (section 3.2.2) and RFC 8707
/// (section 2).
pub(crate) fn named(error: &AssistantError) -> Named {
    let bad = |code| Named {
        code,
        status: StatusCode::BAD_REQUEST,
        wait: None,
    };
    match error {
        AssistantError::Parameter { .. } | AssistantError::ForeignRedirect => {
            bad("invalid_request")
        }
        AssistantError::ResponseType => bad("unsupported_response_type"),
        AssistantError::ClientId(_)
        | AssistantError::UnknownClient
        | AssistantError::Document(_) => bad("invalid_client"),
        AssistantError::Redirect { .. } | AssistantError::RedirectCount { .. } => {
            bad("invalid_redirect_uri")
        }
        AssistantError::Name(_) => bad("invalid_client_metadata"),
        AssistantError::Scope | AssistantError::ScopeNotGranted => bad("invalid_scope"),
        AssistantError::WrongResource { .. } => bad("invalid_target"),
        AssistantError::WrongGrant(_) => bad("invalid_grant"),
        AssistantError::TooMany(wait) => Named {
            code: "temporarily_unavailable",
            status: StatusCode::TOO_MANY_REQUESTS,
            wait: Some(wait.retry_after),
        },
        AssistantError::Store(_) => Named {
            code: "temporarily_unavailable",
            status: StatusCode::SERVICE_UNAVAILABLE,
            wait: Some(STORE_RETRY_AFTER),
        },
    }
}

/// Logs a failure of the service.
pub(crate) fn report(error: &AssistantError) {
    if let AssistantError::Store(failure) = error {
        let cause = failure.source().map(ToString::to_string);
        tracing::error!(cause, "an assistant was not answered: {failure}");
    }
}

/// The answer to a browser that asks whether a web page may send a request.
pub(crate) async fn preflight(request: HttpRequest) -> HttpResponse {
    let mut response = HttpResponse::NoContent().finish();
    let headers = response.headers_mut();
    allow_any_origin(headers);
    let methods = HeaderValue::from_static("GET, POST, OPTIONS");
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
    let asked = request
        .headers()
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS);
    if let Some(asked) = asked {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked.clone());
    }
    let hour = HeaderValue::from_static("3600");
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, hour);
    response
}

fn allow_any_origin(headers: &mut HeaderMap) {
    let any = HeaderValue::from_static("*");
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
}
