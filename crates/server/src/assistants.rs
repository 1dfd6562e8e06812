//! Connecting assistants: the parts, where the settings allow it.

use std::sync::Arc;

use actix_web::{http::Method, web::Data};
use slugline_application::{Assistants, AssistantsParts, Authenticator, Tokens};
use slugline_domain::{
    Scope,
    assistants::OFFERED,
    ports::{Clock, Random},
};
use slugline_httpkit::{Guard, ProtectedResource};
use slugline_oauth::Connecting;
use slugline_outbound::HttpClientDocuments;
use slugline_rest::ExternalOperation;
use slugline_storage::SqlLinkStore;

use crate::{background::keep_removing, settings::Settings};

/// The other parts that assistants need.
pub(crate) struct Neighbours<'a> {
    pub(crate) store: &'a SqlLinkStore,
    pub(crate) tokens: Tokens,
    pub(crate) authenticator: Arc<Authenticator>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Arc<dyn Random>,
    pub(crate) guard: Data<Guard>,
}

/// The resource that tokens of assistants open; `None` where they cannot connect.
pub(crate) fn resource(settings: &Settings) -> Option<ProtectedResource> {
    let base = settings.base_for_assistants()?;
    let scope = OFFERED.map(Scope::as_str).join(" ");
    Some(ProtectedResource::new(&base, slugline_mcp::PATH, scope))
}

/// The use cases, at their addresses; `None` where assistants cannot connect.
pub(crate) fn connecting(settings: &Settings, parts: Neighbours<'_>) -> Option<Connecting> {
    let resource = resource(settings)?;
    let base = settings.base_for_assistants()?;
    let assistants = Arc::new(Assistants::new(AssistantsParts {
        store: Arc::new(parts.store.assistants()),
        token_store: Arc::new(parts.store.tokens()),
        tokens: parts.tokens,
        authenticator: parts.authenticator,
        documents: Arc::new(HttpClientDocuments::new(settings.checks.clone())),
        clock: parts.clock,
        random: parts.random,
        resource: resource.identifier().to_owned(),
    }));
    Some(Connecting::new(assistants, base, resource, parts.guard))
}

/// Removes connections that have ended, whenever there are some. Never returns, unless assistants
/// cannot connect.
pub(crate) async fn remove_ended(connecting: Option<Data<Connecting>>) {
    if let Some(connecting) = connecting {
        let remove = || connecting.assistants().remove_ended();
        keep_removing("tokens of assistants that ended", remove).await;
    }
}

const FORM: &[&str] = &["application/x-www-form-urlencoded"];

/// The documented routes of the adapter.
pub(crate) const OPERATIONS: [ExternalOperation; 8] = [
    ExternalOperation {
        method: Method::GET,
        path: ProtectedResource::METADATA_PATH,
        id: "resource_describe",
        tag: "Assistants",
        summary: "Describe the MCP endpoint",
        description: "The metadata of the MCP endpoint as a protected resource (RFC 9728), for \
                      clients that ask at the root of the origin.",
        takes: &[],
        answers: &DOCUMENT,
    },
    ExternalOperation {
        method: Method::GET,
        path: slugline_oauth::RESOURCE_METADATA_PATH,
        id: "mcp_describe",
        tag: "Assistants",
        summary: "Describe the MCP endpoint, by its own path",
        description: "The same metadata, at the address that the challenge of the MCP endpoint names.",
        takes: &[],
        answers: &DOCUMENT,
    },
    ExternalOperation {
        method: Method::GET,
        path: slugline_oauth::SERVER_METADATA_PATH,
        id: "authorization_describe",
        tag: "Assistants",
        summary: "Describe how tokens are given out",
        description: "The metadata of the authorization server (RFC 8414): its addresses, and that it \
                      knows PKCE by S256, client id metadata documents and dynamic registration.",
        takes: &[],
        answers: &DOCUMENT,
    },
    ExternalOperation {
        method: Method::POST,
        path: slugline_oauth::REGISTER_PATH,
        id: "client_register",
        tag: "Assistants",
        summary: "Register an application",
        description: "Dynamic registration (RFC 7591): client_name and redirect_uris count. Every \
                      client proves itself by PKCE alone and gets no secret.",
        takes: &["application/json"],
        answers: &[
            (201, "The application is registered"),
            (400, "The name or an address cannot be used"),
            (404, OFF),
            (408, SLOW),
            (413, LARGE),
            (429, "The network registered too often"),
            (503, AWAY),
        ],
    },
    ExternalOperation {
        method: Method::GET,
        path: slugline_oauth::AUTHORIZE_PATH,
        id: "consent_show",
        tag: "Assistants",
        summary: "Ask a person for consent",
        description: "A page on which a person signs in, sees who asks, takes scopes away, binds the \
                      access to tags or slugs, gives it an end, and agrees or refuses.",
        takes: &[],
        answers: &[
            (200, "The page"),
            (303, "Back to the application, with an error"),
            (
                400,
                "The request cannot be answered at the application's address",
            ),
            (404, OFF),
            (503, AWAY),
        ],
    },
    ExternalOperation {
        method: Method::POST,
        path: slugline_oauth::AUTHORIZE_PATH,
        id: "consent_decide",
        tag: "Assistants",
        summary: "Sign in, or decide",
        description: "Takes the form of either page.",
        takes: FORM,
        answers: &[
            (200, "The page again"),
            (
                303,
                "Signed in, or back to the application with a code or an error",
            ),
            (400, "The decision cannot be stored as it is"),
            (
                403,
                "The token is wrong or may not consent, or the form comes from elsewhere",
            ),
            (404, OFF),
            (408, SLOW),
            (413, LARGE),
            (429, "Too many failed attempts"),
            (503, AWAY),
        ],
    },
    ExternalOperation {
        method: Method::POST,
        path: slugline_oauth::TOKEN_PATH,
        id: "token_exchange",
        tag: "Assistants",
        summary: "Exchange a code or a refresh token",
        description: "Gives an access token for an hour and the next refresh token (RFC 6749, RFC \
                      7636). A code or a refresh token that is sent a second time revokes what it gave.",
        takes: FORM,
        answers: &[
            (200, "The tokens"),
            (
                400,
                "The code or the refresh token is wrong, spent or over, or not for this client",
            ),
            (404, OFF),
            (408, SLOW),
            (413, LARGE),
            (429, "Too many failed attempts"),
            (503, AWAY),
        ],
    },
    ExternalOperation {
        method: Method::POST,
        path: slugline_oauth::REVOKE_PATH,
        id: "token_give_back",
        tag: "Assistants",
        summary: "Give tokens back",
        description: "Revokes the connection of an access token or a refresh token (RFC 7009).",
        takes: FORM,
        answers: &[
            (200, "There is no such token any more"),
            (400, "The token was given to another client"),
            (404, OFF),
            (408, SLOW),
            (413, LARGE),
            (429, "Too many failed attempts"),
            (503, AWAY),
        ],
    },
];

const OFF: &str = "Assistants cannot connect here";
const SLOW: &str = "The body came too slowly";
const LARGE: &str = "The body has more than 64 KiB";
const AWAY: &str = "The database cannot be reached";

const DOCUMENT: [(u16, &str); 2] = [(200, "The document"), (404, OFF)];
