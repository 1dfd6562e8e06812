//! Revisions 2024-11-05 to 2025-11-25, without state between requests: no session,
//! plain JSON, batches where a revision has them.

use jsonrpsee::types::ErrorCode;
use serde_json::{Value, json};

use crate::{
    answer::{Raw, Refusal},
    call,
    message::Request,
    server::{Exchange, Headers},
    versions::{ASSUMED, INSTRUCTIONS, LEGACY, unsupported},
};

/// # Errors
/// The client does not accept our answers, or speaks a revision that is not served.
pub(crate) fn check_headers(headers: &Headers) -> Result<(), Refusal> {
    check_accept(headers)?;
    check_version(headers)
}

/// # Errors
/// The client does not take JSON. The revisions require that it lists JSON and event streams, but
/// many list less, and all answers are JSON.
pub(crate) fn check_accept(headers: &Headers) -> Result<(), Refusal> {
    if headers.takes_json {
        return Ok(());
    }
    Err(Refusal::new(
        406,
        ErrorCode::InvalidRequest,
        "Not Acceptable: answers are application/json, which the header Accept excludes",
    ))
}

/// # Errors
/// The header names a revision that is not served.
pub(crate) fn check_version(headers: &Headers) -> Result<(), Refusal> {
    match headers.protocol_version.as_deref() {
        Some(version) if !LEGACY.contains(&version) => Err(unsupported(version)),
        Some(_) | None => Ok(()),
    }
}

pub(crate) fn knows_batches(headers: &Headers) -> bool {
    let version = headers.protocol_version.as_deref().unwrap_or(ASSUMED);
    matches!(version, "2025-03-26" | "2024-11-05")
}

/// # Errors
/// The method is unknown or its parameters are wrong. The status is 200: these clients
/// would take a 404 to mean that a session is gone.
pub(crate) async fn result(exchange: &Exchange<'_>, request: &Request) -> Result<Raw, Refusal> {
    let tools = &exchange.server.tools;
    match request.method.as_str() {
        "initialize" => Ok(initialize(request, tools.version)),
        "ping" => Ok(Raw::of(&json!({}))),
        "tools/list" => {
            call::refuse_cursor(&request.params)?;
            Ok(tools.legacy_list(exchange.caller))
        }
        "tools/call" => {
            let call = call::Call::parse(&request.params)?;
            call.permit(exchange)?;
            let outcome = match call.run(exchange).await {
                Some(outcome) => outcome,
                // The first SDKs did this, and clients understand it.
                None => call::Outcome::unknown_tool(&call.name, tools),
            };
            Ok(Raw::of(&outcome))
        }
        _ => Err(Refusal::new(
            200,
            ErrorCode::MethodNotFound,
            "Method not found",
        )),
    }
}

/// Agrees to the requested revision, or proposes the newest of this generation.
fn initialize(request: &Request, version: &str) -> Raw {
    let asked = request
        .params
        .get("protocolVersion")
        .and_then(Value::as_str);
    let agreed = LEGACY
        .iter()
        .find(|served| Some(**served) == asked)
        .unwrap_or(&LEGACY[0]);
    Raw::of(&json!({
        "protocolVersion": agreed,
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "slugline", "title": "Slugline", "version": version},
        "instructions": INSTRUCTIONS,
    }))
}
