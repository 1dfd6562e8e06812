//! HTTP: origin, media type, body limit. The only file that knows actix.

#![expect(
    clippy::future_not_send,
    reason = "actix runs each handler on one thread"
)]

use actix_web::{
    HttpRequest, HttpResponse, Resource, Route,
    http::{Method, StatusCode, header},
    web::{Data, Payload, ServiceConfig},
};
use jsonrpsee::types::ErrorCode;
use slugline_domain::Origin;
use slugline_httpkit::{
    Guard, caller, guarded, header as text_header, media_type, probe_caller, read_body, takes_json,
    tell_codings,
};

use crate::{
    answer::{Answer, Refusal},
    server::{Exchange, Headers, Server},
};

/// The endpoint's path.
pub const PATH: &str = "/api/mcp";

/// The most bytes of a body. The protocol sets no limit; 4 MiB is the default of its Rust
/// SDK.
const BODY_LIMIT: usize = 4 << 20;

/// Mounts the endpoint, with any number of trailing slashes.
pub fn configure(server: &Data<Server>, guard: &Data<Guard>, config: &mut ServiceConfig) {
    let resource = Resource::new(format!("{PATH}{{slashes:/*}}"))
        .route(Route::new().method(Method::POST).to(handle));
    config
        .app_data(server.clone())
        .service(guarded(resource, guard));
}

async fn handle(server: Data<Server>, request: HttpRequest, body: Payload) -> HttpResponse {
    let answer = match receive(&request, body).await {
        Ok(bytes) => {
            let headers = headers(&request);
            let guard = Guard::of(&request);
            let (base, dashboard) = (guard.base_url(&request), guard.api_base_url(&request));
            let caller = caller(&request).expect("the endpoint needs a token");
            let exchange = Exchange {
                server: &server,
                headers: &headers,
                base: &base,
                dashboard: &dashboard,
                caller: &caller,
                author: &Guard::of(&request).author(&caller, &request),
                client: &probe_caller(&request),
            };
            exchange.answer(&bytes).await
        }
        Err(refusal) => refusal.into(),
    };
    respond(&request, answer)
}

async fn receive(request: &HttpRequest, body: Payload) -> Result<actix_web::web::Bytes, Refusal> {
    let refuse = |status, message: &str| Refusal::new(status, ErrorCode::InvalidRequest, message);
    if !origin_allowed(request) {
        return Err(refuse(403, "Origin not allowed"));
    }
    if media_type(request) != "application/json" {
        return Err(refuse(
            415,
            "Unsupported Media Type: Content-Type must be application/json",
        ));
    }
    let read = read_body(request, body, BODY_LIMIT).await;
    read.map_err(|problem| refuse(problem.status(), &problem.to_string()))
}

fn headers(request: &HttpRequest) -> Headers {
    let text = |name| text_header(request, name).map(|value| value.trim().to_owned());
    Headers {
        takes_json: takes_json(request),
        protocol_version: text("mcp-protocol-version"),
        method: text("mcp-method"),
        name: text("mcp-name"),
    }
}

fn respond(request: &HttpRequest, answer: Answer) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).expect("answers name real statuses");
    let mut response = HttpResponse::build(status);
    response.insert_header((header::CACHE_CONTROL, "no-store"));
    if !answer.needs.is_empty() {
        let scope: Vec<&str> = answer.needs.iter().map(|scope| scope.as_str()).collect();
        let challenge = Guard::of(request).insufficient_scope(request, &scope.join(" "));
        if let Some(challenge) = challenge {
            response.insert_header((header::WWW_AUTHENTICATE, challenge));
        }
    }
    let mut response = match answer.body {
        Some(body) => response.content_type("application/json").body(body),
        None => response.finish(),
    };
    tell_codings(request, &mut response);
    response
}

/// Checks the `Origin` header, in which browsers name the page that makes them send a
/// request. Only our own pages may. An origin that merely equals the request's host
/// proves nothing if a stranger points a domain name at this machine. So a server that
/// listens on loopback accepts loopback names only, unless its origin was configured.
fn origin_allowed(request: &HttpRequest) -> bool {
    let Some(sent) = request.headers().get(header::ORIGIN) else {
        return true;
    };
    let guard = Guard::of(request);
    let own = guard.api_base_url(request);
    let own = own.origin();
    let sent = sent.to_str().ok().and_then(|sent| Origin::parse(sent).ok());
    if sent.as_ref() != Some(own) {
        return false;
    }
    guard.configured_base_url.is_some() || !guard.loopback_only || own.is_loopback()
}
