//! What happens before and after every handler of an adapter.

use std::{net::IpAddr, sync::Arc};

use actix_web::{
    Error, HttpRequest, Resource,
    body::{BoxBody, MessageBody},
    dev::{AppService, HttpServiceFactory, ServiceRequest, ServiceResponse},
    http::{Method, StatusCode, header},
    middleware::{Next, from_fn},
    web,
};
use slugline_application::Authenticator;
use slugline_contract::{Code, Problem};
use slugline_domain::Country;

use crate::{
    client::{TrustedProxies, header as text_header},
    origin::Origin,
    problem::{Failure, problem_response},
};

/// How the service meets the outside; every adapter finds it in the app's data.
#[derive(Debug)]
pub struct Edge {
    authenticator: Arc<Authenticator>,
    proxies: TrustedProxies,
    configured_origin: Option<Origin>,
}

impl Edge {
    /// The token to ask for, the proxies to believe, and the public origin if
    /// it was configured.
    pub fn new(
        authenticator: Arc<Authenticator>,
        proxies: TrustedProxies,
        configured_origin: Option<Origin>,
    ) -> Self {
        Self {
            authenticator,
            proxies,
            configured_origin,
        }
    }

    /// The app's edge.
    ///
    /// # Panics
    /// The app was built without one.
    pub fn of(request: &HttpRequest) -> &Edge {
        request
            .app_data::<web::Data<Edge>>()
            .expect("the app is built with an edge")
    }

    /// Who is asking.
    pub fn client_address(&self, request: &HttpRequest) -> IpAddr {
        self.proxies.client_address(request)
    }

    /// Where they are, if a trusted proxy says so.
    pub fn client_country(&self, request: &HttpRequest) -> Option<Country> {
        self.proxies.client_country(request)
    }

    /// The public origin of the service, as this client sees it.
    pub fn origin(&self, request: &HttpRequest) -> Origin {
        Origin::of(request, self.configured_origin.as_ref(), &self.proxies)
    }

    /// The public origin, if it was configured.
    pub fn configured_origin(&self) -> Option<&Origin> {
        self.configured_origin.as_ref()
    }

    fn authenticate(&self, request: &HttpRequest) -> Result<(), Failure> {
        let presented = text_header(request, "authorization").map(bearer_token);
        Ok(self
            .authenticator
            .authenticate(presented, self.client_address(request))?)
    }
}

/// A resource that only holders of the site token reach, whatever the method.
pub fn guarded(resource: Resource) -> impl HttpServiceFactory + 'static {
    Registered(resource.wrap(from_fn(guard)))
}

/// A resource open to everybody.
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
    if let Err(Failure(problem)) = Edge::of(request.request()).authenticate(request.request()) {
        let response = problem_response(&problem, request.request());
        return Ok(request.into_response(response));
    }
    render(request, next).await
}

/// Writes the body of whatever went wrong inside.
async fn render(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let response = next.call(request).await?;
    let Some(problem) = problem_of(&response) else {
        return Ok(response.map_into_boxed_body());
    };
    let (request, inner) = response.into_parts();
    let mut outer = problem_response(&problem, &request);
    if let Some(methods) = inner.headers().get(header::ALLOW) {
        outer.headers_mut().insert(header::ALLOW, methods.clone());
    }
    Ok(ServiceResponse::new(request, outer))
}

fn problem_of(response: &ServiceResponse<impl MessageBody>) -> Option<Problem> {
    if let Some(error) = response.response().error() {
        let failure = error.as_error::<Failure>();
        return Some(failure.map_or_else(
            || Problem::new(Code::InternalError, "the server failed"),
            |Failure(problem)| problem.clone(),
        ));
    }
    // Actix answers a wrong method itself, without an error.
    (response.status() == StatusCode::METHOD_NOT_ALLOWED).then(|| {
        let method = method_name(response.request().method());
        Problem::new(
            Code::MethodNotAllowed,
            format!("Method {method} is not allowed on this route."),
        )
    })
}

fn method_name(method: &Method) -> String {
    method.as_str().to_ascii_lowercase()
}

/// The token behind a `Bearer` of any case; a bare token is taken too, as Sink
/// does.
fn bearer_token(authorization: &str) -> &str {
    const SCHEME: usize = "bearer".len();
    let (scheme, rest) = authorization
        .split_at_checked(SCHEME)
        .unwrap_or(("", authorization));
    if scheme.eq_ignore_ascii_case("bearer") && rest.starts_with([' ', '\t']) {
        rest.trim()
    } else {
        authorization.trim()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scheme_is_optional_and_of_any_case() {
        for spelled in [
            "Bearer secret",
            "bearer  secret",
            "BEARER\tsecret ",
            "secret",
        ] {
            assert_eq!(bearer_token(spelled), "secret", "{spelled:?}");
        }
        assert_eq!(bearer_token("Bearersecret"), "Bearersecret");
        assert_eq!(bearer_token("Bearer"), "Bearer");
    }
}
