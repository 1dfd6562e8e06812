//! Checks the token before the handlers of an adapter, and renders their errors.

use actix_web::{
    Error, HttpMessage, HttpRequest, Resource,
    body::{BoxBody, MessageBody},
    dev::{AppService, HttpServiceFactory, ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header},
    middleware::{Next, from_fn},
};
use slugline_application::Caller;
use slugline_contract::{Code, Problem};

use crate::{
    cors,
    edge::Edge,
    ignored::IgnoredNames,
    problem::{Failure, problem_response},
};

/// A resource that requires a token, whatever the method.
pub fn guarded(resource: Resource) -> impl HttpServiceFactory + 'static {
    Registered(resource.wrap(from_fn(guard)))
}

/// Returns the caller of a request to a [`guarded`] resource; `None` elsewhere.
pub fn caller(request: &HttpRequest) -> Option<Caller> {
    request.extensions().get::<Caller>().cloned()
}

/// A resource that requires no token.
pub fn public(resource: Resource) -> impl HttpServiceFactory + 'static {
    Registered(resource.wrap(from_fn(render)))
}

/// Hides the wrapped resource's unnameable type.
struct Registered<S>(S);

impl<S: HttpServiceFactory> HttpServiceFactory for Registered<S> {
    fn register(self, config: &mut AppService) {
        self.0.register(config);
    }
}

async fn guard(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    if !Edge::of(request.request()).is_open_to_any_origin() {
        return authenticated(request, next).await;
    }
    if cors::is_preflight(request.request()) {
        let response = cors::preflight(request.request());
        return Ok(request.into_response(response));
    }
    let mut response = authenticated(request, next).await?;
    cors::allow(response.headers_mut());
    Ok(response)
}

async fn authenticated(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    match Edge::of(request.request())
        .authenticate(request.request())
        .await
    {
        Ok(caller) => {
            request.extensions_mut().insert(caller);
            render(request, next).await
        }
        Err(denied) => {
            let problem = Failure::from(denied).report();
            let response = problem_response(&problem, request.request());
            Ok(request.into_response(response))
        }
    }
}

/// Writes the body of any error that a handler returned.
async fn render(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let response = next.call(request).await?;
    let ignored = response.request().extensions_mut().remove::<IgnoredNames>();
    let mut response = answer(response);
    if let Some(ignored) = ignored {
        ignored.tell(response.headers_mut());
    }
    Ok(response)
}

fn answer(response: ServiceResponse<impl MessageBody + 'static>) -> ServiceResponse<BoxBody> {
    let Some(problem) = problem_of(&response) else {
        return response.map_into_boxed_body();
    };
    let (request, inner) = response.into_parts();
    let mut outer = problem_response(&problem, &request);
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
