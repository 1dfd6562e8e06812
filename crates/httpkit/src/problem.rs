//! Rendering problems.

use std::{fmt, time::Instant};

use actix_web::{
    HttpRequest, HttpResponse, ResponseError,
    body::BoxBody,
    http::{
        StatusCode,
        header::{self, HeaderValue},
    },
};
use slugline_application::{Denied, Error, NotChecked, SeenLink};
use slugline_domain::{ports::Version, with_causes};
use slugline_problem::{Code, Problem};

use crate::{body::tell_codings, edge::Door, edge::Edge, log_lines::LineLimit};

/// A problem as a handler returns it. The edge of the adapter, which knows the request,
/// reports it and writes the response; creating or converting a failure has no effect.
#[derive(Clone, Debug)]
pub struct Failure {
    problem: Box<Problem>,
    fault: Option<Fault>,
}

/// A failure of the service, with the cause, which clients do not get.
#[derive(Clone, Debug)]
struct Fault {
    cause: Option<String>,
}

/// Logs a use case's error if the service is at fault, and returns the problem for the
/// client.
pub fn report(error: Error) -> Problem {
    Failure::from(error).report()
}

impl Failure {
    /// Logs the failure if the service is at fault, and returns the problem for the
    /// client.
    pub fn report(&self) -> Problem {
        if let Some(Fault { cause }) = &self.fault {
            log(self.problem.code, cause.as_deref());
        }
        (*self.problem).clone()
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl ResponseError for Failure {
    fn status_code(&self) -> StatusCode {
        status(&self.problem)
    }

    fn error_response(&self) -> HttpResponse<BoxBody> {
        HttpResponse::new(self.status_code())
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Self {
        Self {
            problem: Box::new(problem),
            fault: None,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let cause = std::error::Error::source(&error).map(with_causes);
        let problem = Problem::from(error);
        let fault = (problem.status() >= 500).then_some(Fault { cause });
        Self {
            problem: Box::new(problem),
            fault,
        }
    }
}

/// Logs a failure. While the database is down, every request fails for the same reason,
/// so that line is limited further.
fn log(code: Code, cause: Option<&str>) {
    static UNAVAILABLE: LineLimit = LineLimit::new(1);
    static OTHERS: LineLimit = LineLimit::new(10);
    let lines = if code == Code::Unavailable {
        &UNAVAILABLE
    } else {
        &OTHERS
    };
    if let Some(left_out) = lines.admit(Instant::now()) {
        tracing::error!(code = code.as_str(), cause, left_out, "a request failed");
    }
}

impl From<Denied> for Failure {
    fn from(denied: Denied) -> Self {
        let cause = std::error::Error::source(&denied).map(with_causes);
        let problem = Problem::from(denied);
        let fault = (problem.status() >= 500).then_some(Fault { cause });
        Self {
            problem: Box::new(problem),
            fault,
        }
    }
}

impl From<NotChecked> for Failure {
    fn from(reason: NotChecked) -> Self {
        Problem::from(reason).into()
    }
}

/// Returns the JSON response for a problem with a request that came to this edge.
pub fn problem_response(problem: &Problem, request: &HttpRequest, edge: &Edge) -> HttpResponse {
    let base = match edge.door(request.head()) {
        Door::Administration => edge.api_base_url(request),
        Door::Everything | Door::Links => edge.base_url(request),
    };
    let url = format!("{base}{}", request.uri());
    let body = problem.body(&url, |link| edge.link_view.map(|view| view(link)));
    let body = serde_json::to_string_pretty(&body).expect("a problem is plain data");
    let mut response = HttpResponse::build(status(problem));
    response
        .insert_header((header::CONTENT_TYPE, "application/json"))
        .insert_header((header::X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .insert_header((header::X_FRAME_OPTIONS, "DENY"))
        .insert_header((header::REFERRER_POLICY, "no-referrer"))
        .insert_header((
            header::CONTENT_SECURITY_POLICY,
            "script-src 'none'; frame-ancestors 'none';",
        ))
        .insert_header((header::CACHE_CONTROL, "no-cache"));
    if let Some(challenge) = challenge(problem, request, edge) {
        response.insert_header((header::WWW_AUTHENTICATE, challenge));
    }
    if let Some(link) = problem.current.as_deref().and_then(SeenLink::whole) {
        response.insert_header((header::ETAG, format!("\"{}\"", Version::of(link))));
    }
    if let Some(wait) = problem.retry_after {
        response.insert_header((header::RETRY_AFTER, wait.as_secs().max(1).to_string()));
    }
    let mut response = response.body(body);
    tell_codings(request, &mut response);
    response
}

/// Returns the challenge of RFC 6750 §3: the way to authenticate, and that a token was
/// wrong if one was sent.
fn challenge(problem: &Problem, request: &HttpRequest, edge: &Edge) -> Option<HeaderValue> {
    let sent = request.headers().contains_key(header::AUTHORIZATION);
    if let Some(resource) = edge.protected_at(request) {
        let error = sent.then_some("invalid_token");
        return (problem.code == Code::Unauthorized).then(|| resource.challenge(error));
    }
    (problem.code == Code::Unauthorized).then(|| {
        HeaderValue::from_static(if sent {
            r#"Bearer realm="slugline", error="invalid_token""#
        } else {
            r#"Bearer realm="slugline""#
        })
    })
}

fn status(problem: &Problem) -> StatusCode {
    StatusCode::from_u16(problem.status()).expect("codes have statuses of HTTP")
}
