//! Checks the token before the handlers of an adapter, and renders their errors.

use std::sync::Arc;

use actix_web::{
    Error, HttpMessage, HttpRequest, Resource,
    body::{BoxBody, MessageBody},
    dev::{AppService, HttpServiceFactory, ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header},
    middleware::{Next, from_fn},
    web::Data,
};
use slugline_application::Caller;
use slugline_contract::{Code, Problem};

use crate::{
    cors,
    edge::Edge,
    guard::Guard,
    ignored::IgnoredNames,
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
    if cors::is_preflight(request.request()) {
        let response = cors::preflight(request.request());
        return Ok(request.into_response(response));
    }
    let mut response = authenticated(&guard, request, next).await?;
    cors::allow(response.headers_mut());
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
            render(guard, request, next).await
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
