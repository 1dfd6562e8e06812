//! `/_oauth/token` and `/_oauth/revoke`.

use actix_web::{
    HttpRequest, HttpResponse,
    http::StatusCode,
    web::{Data, Payload},
};
use serde_json::json;
use slugline_application::{AssistantError, Exchange, Granted, Refresh};
use slugline_domain::Scope;

use crate::{answer, connecting::Connecting, parameters::Parameters};

/// Every parameter that is read here.
const NAMES: [&str; 10] = [
    "grant_type",
    "code",
    "client_id",
    "code_verifier",
    "redirect_uri",
    "resource",
    "refresh_token",
    "scope",
    "token",
    "token_type_hint",
];

pub(crate) async fn token(
    connecting: Data<Connecting>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let sent = match form(&request, body).await {
        Ok(sent) => sent,
        Err(refusal) => return refusal,
    };
    let asked = match TokenRequest::read(&sent) {
        Ok(asked) => asked,
        Err(Unread::Missing(name)) => return answer::invalid_request(&missing(name)),
        Err(Unread::GrantType) => {
            let text = "grant_type must be authorization_code or refresh_token";
            return answer::refusal("unsupported_grant_type", text);
        }
    };
    let from = connecting.guard.client_address(&request);
    shown(match asked {
        TokenRequest::Exchange(exchange) => connecting.assistants.exchange(exchange, from).await,
        TokenRequest::Refresh(refresh) => connecting.assistants.refresh(refresh, from).await,
    })
}

/// A request for tokens.
enum TokenRequest<'a> {
    Exchange(Exchange<'a>),
    Refresh(Refresh<'a>),
}

/// The reason why a form is no request for tokens.
enum Unread {
    /// A parameter is missing.
    Missing(&'static str),
    /// Tokens are not given out this way.
    GrantType,
}

impl<'a> TokenRequest<'a> {
    fn read(sent: &'a Parameters) -> Result<Self, Unread> {
        let required = |name| sent.get(name).ok_or(Unread::Missing(name));
        match required("grant_type")? {
            "authorization_code" => Ok(Self::Exchange(Exchange {
                code: required("code")?,
                client_id: required("client_id")?,
                code_verifier: required("code_verifier")?,
                redirect_uri: sent.get("redirect_uri"),
                resource: sent.get("resource"),
            })),
            "refresh_token" => Ok(Self::Refresh(Refresh {
                refresh_token: required("refresh_token")?,
                client_id: required("client_id")?,
                scope: sent.get("scope"),
                resource: sent.get("resource"),
            })),
            _ => Err(Unread::GrantType),
        }
    }
}

pub(crate) async fn revoke(
    connecting: Data<Connecting>,
    request: HttpRequest,
    body: Payload,
) -> HttpResponse {
    let sent = match form(&request, body).await {
        Ok(sent) => sent,
        Err(refusal) => return refusal,
    };
    let Some(token) = sent.get("token") else {
        return answer::invalid_request(&missing("token"));
    };
    let from = connecting.guard.client_address(&request);
    let client_id = sent.get("client_id");
    match connecting
        .assistants
        .give_back(token, client_id, from)
        .await
    {
        Ok(()) => answer::json(StatusCode::OK, &json!({})),
        Err(error) => answer::error(&error),
    }
}

async fn form(request: &HttpRequest, body: Payload) -> Result<Parameters, HttpResponse> {
    let sent = Parameters::of_body(request, body).await;
    let sent = sent.map_err(|problem| answer::unreadable(request, &problem))?;
    match sent.repeated(&NAMES) {
        Some(name) => Err(answer::invalid_request(&format!("{name} is there twice"))),
        None => Ok(sent),
    }
}

fn missing(name: &str) -> String {
    format!("{name} is missing")
}

fn shown(granted: Result<Granted, AssistantError>) -> HttpResponse {
    let granted = match granted {
        Ok(granted) => granted,
        Err(error) => return answer::error(&error),
    };
    let scopes: Vec<&str> = granted.scopes.iter().map(Scope::as_str).collect();
    answer::json(
        StatusCode::OK,
        &json!({
            "access_token": granted.access.as_str(),
            "token_type": "Bearer",
            "expires_in": granted.seconds,
            "refresh_token": granted.refresh,
            "scope": scopes.join(" "),
        }),
    )
}
