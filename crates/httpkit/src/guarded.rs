//! Checks the token before the handlers of an adapter, answers web pages of other origins, and renders
//! the errors and ignored names of handlers.
//!
//! Pages cannot send the token by accident: it travels in a header that only
//! their own script can set, so there are no credentials to protect from them.

use std::sync::Arc;

use actix_web::{
    Error, HttpMessage, HttpRequest, HttpResponse, Resource,
    body::{BoxBody, MessageBody},
    dev::{AppService, HttpServiceFactory, ServiceRequest, ServiceResponse},
    http::{
        Method, StatusCode,
        header::{self, HeaderMap, HeaderName, HeaderValue},
    },
    middleware::{Next, from_fn},
    web::Data,
};
use slugline_application::Caller;
use slugline_problem::{Code, Problem};

use crate::{
    compressed::compressed,
    edge::Edge,
    guard::Guard,
    problem::{Failure, problem_response},
};

/// A resource that requires a token, whatever the method. Its handlers find the guard by
/// [`Guard::of`].
pub fn guarded(resource: Resource, guard: &Data<Guard>) -> impl HttpServiceFactory + 'static {
    let data = guard.clone();
    let guard = guard.clone();
    Registered(resource.app_data(data).wrap(from_fn(move |request, next| {
        admit(guard.clone(), request, next)
    })))
}

/// Returns the caller of a request to a [`guarded`] resource; `None` elsewhere.
pub fn caller(request: &HttpRequest) -> Option<Caller> {
    request.extensions().get::<Caller>().cloned()
}

/// A resource that requires no token.
pub fn public(resource: Resource, edge: &Arc<Edge>) -> impl HttpServiceFactory + 'static {
    let edge = Arc::clone(edge);
    Registered(resource.wrap(from_fn(move |request, next| {
        render_for_all(Arc::clone(&edge), request, next)
    })))
}

/// Hides the wrapped resource's unnameable type.
struct Registered<S>(S);

impl<S: HttpServiceFactory> HttpServiceFactory for Registered<S> {
    fn register(self, config: &mut AppService) {
        self.0.register(config);
    }
}

async fn admit(
    guard: Data<Guard>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if !guard.any_origin {
        return authenticated(&guard, request, next).await;
    }
    if is_preflight(request.request()) {
        let response = preflight(request.request());
        return Ok(request.into_response(response));
    }
    let mut response = authenticated(&guard, request, next).await?;
    allow(response.headers_mut());
    Ok(response)
}

async fn authenticated(
    guard: &Guard,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match guard.authenticate(request.request()).await {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            render(guard, request, next).await.map(compressed)
        }
        Err(denied) => {
            let problem = Failure::from(denied).report();
            let response = problem_response(&problem, request.request(), guard);
            Ok(request.into_response(response))
        }
    }
}

async fn render_for_all(
    edge: Arc<Edge>,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    render(&edge, request, next).await
}

/// Writes the body of any error that a handler returned.
async fn render(
    edge: &Edge,
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let response = next.call(request).await?;
    let ignored = response.request().extensions_mut().remove::<IgnoredNames>();
    let mut response = answer(edge, response);
    if let Some(ignored) = ignored {
        ignored.tell(response.headers_mut());
    }
    Ok(response)
}

fn answer(
    edge: &Edge,
    response: ServiceResponse<impl MessageBody + 'static>,
) -> ServiceResponse<BoxBody> {
    let Some(problem) = problem_of(&response) else {
        return response.map_into_boxed_body();
    };
    let (request, inner) = response.into_parts();
    let mut outer = problem_response(&problem, &request, edge);
    if let Some(methods) = inner.headers().get(header::ALLOW) {
        outer.headers_mut().insert(header::ALLOW, methods.clone());
    }
    ServiceResponse::new(request, outer)
}

fn problem_of(response: &ServiceResponse<impl MessageBody>) -> Option<Problem> {
    if let Some(error) = response.response().error() {
        let failure = error.as_error::<Failure>();
        return Some(failure.map_or_else(
            || Problem::new(Code::InternalError, "the server failed"),
            Failure::report,
        ));
    }
    // Actix answers a wrong method itself, without an error.
    (response.status() == StatusCode::METHOD_NOT_ALLOWED).then(|| {
        let method = method_name(response.request().method());
        let allowed = response.headers().get(header::ALLOW);
        let allowed = allowed.and_then(|methods| methods.to_str().ok());
        let advice = allowed.map_or_else(String::new, |methods| format!(" Use {methods}."));
        Problem::new(
            Code::MethodNotAllowed,
            format!("Method {method} is not allowed on this route.{advice}"),
        )
    })
}

fn method_name(method: &Method) -> String {
    method.as_str().to_ascii_lowercase()
}

/// Returns whether the request is a browser's CORS preflight. A preflight never carries
/// the token, so it is answered before the token is checked.
fn is_preflight(request: &HttpRequest) -> bool {
    let headers = request.headers();
    request.method() == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// Allows the requested method and headers by name: `*` would not cover `Authorization`
/// (Fetch standard, "CORS-preflight fetch").
fn preflight(request: &HttpRequest) -> HttpResponse {
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
fn allow(headers: &mut HeaderMap) {
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

/// The header that lists the names, separated by commas.
const HEADER: HeaderName = HeaderName::from_static("slugline-ignored");

/// Unknown names of an input. A handler leaves them in the request's extensions, and the
/// response lists them.
#[derive(Clone, Debug)]
pub struct IgnoredNames(pub Vec<String>);

impl IgnoredNames {
    pub(crate) fn tell(&self, headers: &mut HeaderMap) {
        /// A longer list helps no caller, and clients limit headers.
        const TOLD: usize = 16;
        const LONGEST: usize = 64;
        let names = self.0.iter().take(TOLD);
        let names: Vec<String> = names
            .map(|name| name.escape_default().take(LONGEST).collect())
            .collect();
        // Escaped text is visible ASCII.
        if let Ok(value) = HeaderValue::from_str(&names.join(", ")) {
            headers.insert(HEADER, value);
        }
    }
}
