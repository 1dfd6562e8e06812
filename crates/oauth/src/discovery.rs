//! Discovery, and the registration of clients.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use serde::Deserialize;
use serde_json::json;
use slugline_application::NewClient;
use slugline_domain::{
    Scope,
    assistants::{Client, OFFERED, RedirectAddress},
};
use slugline_httpkit::read_body;

use crate::{
    answer,
    connecting::{AUTHORIZE_PATH, Connecting, REGISTER_PATH, REVOKE_PATH, TOKEN_PATH},
    parameters::Parameters,
};

/// The resource that tokens open (RFC 9728, section 2).
pub(crate) async fn resource(connecting: Data<Connecting>) -> HttpResponse {
    let scopes = OFFERED.map(Scope::as_str);
    answer::json(
        StatusCode::OK,
        &json!({
            "resource": connecting.resource.identifier(),
            "authorization_servers": [connecting.base.as_str()],
            "scopes_supported": scopes,
            "bearer_methods_supported": ["header"],
            "resource_name": "Slugline",
        }),
    )
}

/// The server that gives tokens out (RFC 8414, section 2).
pub(crate) async fn server(connecting: Data<Connecting>) -> HttpResponse {
    let scopes = OFFERED.map(Scope::as_str);
    let scopes: Vec<&str> = scopes.into_iter().chain(["offline_access"]).collect();
    answer::json(
        StatusCode::OK,
        &json!({
            "issuer": connecting.base.as_str(),
            "authorization_endpoint": connecting.at(AUTHORIZE_PATH),
            "token_endpoint": connecting.at(TOKEN_PATH),
            "registration_endpoint": connecting.at(REGISTER_PATH),
            "revocation_endpoint": connecting.at(REVOKE_PATH),
            "scopes_supported": scopes,
            "response_types_supported": ["code"],
            "response_modes_supported": ["query"],
            "grant_types_supported": ["authorization_code", "refresh_token"],
            "token_endpoint_auth_methods_supported": ["none"],
            "revocation_endpoint_auth_methods_supported": ["none"],
            "code_challenge_methods_supported": ["S256"],
            "client_id_metadata_document_supported": true,
            "authorization_response_iss_parameter_supported": true,
        }),
    )
}

/// Addresses that clients probe besides, such as that of `OpenID` Connect, which is not spoken here.
pub(crate) async fn nothing(request: HttpRequest) -> HttpResponse {
    let text = format!("nothing is at {}", request.path());
    answer::json(
        StatusCode::NOT_FOUND,
        &json!({"error": "not_found", "error_description": text}),
    )
}

/// The answer where assistants cannot connect.
pub(crate) async fn off() -> HttpResponse {
    let text = "assistants cannot connect here: that needs SLUGLINE_BASE_URL with https, or with \
                http and a loopback address such as http://127.0.0.1:8080, and SLUGLINE_OAUTH not \
                switched off";
    let body = json!({"error": "not_found", "error_description": text});
    answer::json(StatusCode::NOT_FOUND, &body)
}

/// The members that count. Addresses of logos and the like are ignored: no check covers them.
#[derive(Deserialize)]
struct Metadata {
    client_name: Option<String>,
    #[serde(default)]
    redirect_uris: Vec<String>,
}

pub(crate) async fn register(
    connecting: Data<Connecting>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let bytes = match read_body(&request, body, Parameters::LIMIT).await {
        Ok(bytes) => bytes,
        Err(problem) => return answer::unreadable(&request, &problem),
    };
    let Metadata {
        client_name,
        redirect_uris,
    } = match serde_json::from_slice(&bytes) {
        Ok(metadata) => metadata,
        Err(error) => return answer::refusal("invalid_client_metadata", &error.to_string()),
    };
    let new = NewClient {
        name: client_name,
        redirects: redirect_uris,
    };
    let from = connecting.guard.client_address(&request);
    match connecting.assistants.register(new, from).await {
        Ok(client) => registered(&client),
        Err(error) => answer::error(&error),
    }
}

/// Says what was registered. Whatever a client asked for, it proves itself by PKCE alone.
fn registered(client: &Client) -> HttpResponse {
    let redirects: Vec<&str> = client
        .redirects
        .iter()
        .map(RedirectAddress::as_str)
        .collect();
    answer::json(
        StatusCode::CREATED,
        &json!({
            "client_id": client.id.as_str(),
            "client_id_issued_at": client.created_at.get(),
            "client_name": client.name.as_str(),
            "redirect_uris": redirects,
            "grant_types": ["authorization_code", "refresh_token"],
            "response_types": ["code"],
            "token_endpoint_auth_method": "none",
        }),
    )
}
