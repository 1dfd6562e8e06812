//! `/_oauth/register`: applications register themselves (RFC 7591).

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use serde::Deserialize;
use serde_json::json;
use slugline_application::NewClient;
use slugline_domain::assistants::{Client, RedirectAddress};

use crate::{answer, connecting::Connecting, parameters};

/// The members that count. Addresses of logos and the like are ignored: nobody checked them.
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
    let bytes = match parameters::bytes(body).await {
        Ok(bytes) => bytes,
        Err(reason) => return answer::unreadable(reason),
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
