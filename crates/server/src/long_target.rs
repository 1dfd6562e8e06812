//! Answers requests whose target is too long.

use std::sync::Arc;

use actix_http::Request;
use actix_web::{
    HttpMessage, HttpRequest, HttpResponse,
    guard::fn_guard,
    http::Uri,
    web::{self, ServiceConfig},
};
use slugline_httpkit::{Code, Problem, problem_response};
use slugline_redirect::Redirects;

use crate::service_path::may_be_service_path;

/// The longest target that actix reads; it is a limit of its type for addresses. Actix answers a
/// longer one with 400 and no body, before there is a request that the service could answer.
pub(crate) const LONGEST_TARGET: usize = 65_534;

/// Marks a request that lacks a part of its target.
struct TooLong;

/// Marks a request. Its path, as far as it is short, stays for the answer and for the log output.
pub(crate) fn mark(request: &mut Request) {
    const SHORT: usize = 256;
    let path: String = request.path().chars().take(SHORT).collect();
    request.head_mut().uri = Uri::try_from(path).unwrap_or_default();
    request.extensions_mut().insert(TooLong);
}

/// Serves the marked requests. It comes before all other services.
pub(crate) fn configure(redirects: &Arc<Redirects>, config: &mut ServiceConfig) {
    let redirects = Arc::clone(redirects);
    let marked = web::scope("")
        .guard(fn_guard(|context| context.req_data().contains::<TooLong>()))
        .default_service(web::to(move |request: HttpRequest| {
            let response = refuse(&redirects, &request);
            async { response }
        }));
    config.service(marked);
}

fn refuse(redirects: &Redirects, request: &HttpRequest) -> HttpResponse {
    let problem = Problem::new(
        Code::UriTooLong,
        format!("send an address of at most {LONGEST_TARGET} bytes, or the values in a body"),
    );
    if may_be_service_path(request.path()) {
        problem_response(&problem, request, &redirects.edge)
    } else {
        redirects.refuse(&problem, request)
    }
}
