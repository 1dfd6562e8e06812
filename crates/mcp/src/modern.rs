//! Revision 2026-07-28: no handshake, every request names its revision.

use base64::{Engine, engine::general_purpose::STANDARD};
use jsonrpsee::types::ErrorCode;
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{
    answer::{Answer, HEADER_MISMATCH, Raw, Refusal},
    call,
    message::Request,
    server::{CACHE_MS, Exchange, Headers},
    text,
    versions::{ALL, INSTRUCTIONS, MODERN, server_info, unsupported},
};

/// The member of `params._meta` in which a request claims its revision.
pub(crate) const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The header that repeats it.
pub(crate) const VERSION_HEADER: &str = "MCP-Protocol-Version";

const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const CLIENT_KEY: &str = "io.modelcontextprotocol/clientInfo";

/// # Errors
/// The request breaks a rule of the revision, or asks for an unknown method.
pub(crate) async fn answer(exchange: &Exchange<'_>, request: &Request) -> Result<Answer, Refusal> {
    check(exchange.headers, request)?;
    let tools = &exchange.server.tools;
    let result = match request.method.as_str() {
        "server/discover" => discover(tools.version),
        "tools/list" => {
            call::refuse_cursor(&request.params)?;
            tools.modern_list(exchange.caller)
        }
        "tools/call" => {
            let call = call::Call::parse(&request.params)?;
            call.permit(exchange)?;
            let Some(outcome) = call.run(exchange).await else {
                let message = text::of_error(&format!("Unknown tool: {}", call.name));
                return Err(Refusal::new(200, ErrorCode::InvalidParams, &message));
            };
            Raw::of(&Complete {
                result_type: "complete",
                outcome,
                meta: server_info(tools.version),
            })
        }
        _ => {
            return Err(Refusal::new(
                404,
                ErrorCode::MethodNotFound,
                "Method not found",
            ));
        }
    };
    Ok(Answer::result(&request.id, &result))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Complete {
    result_type: &'static str,
    #[serde(flatten)]
    outcome: call::Outcome,
    #[serde(rename = "_meta")]
    meta: Value,
}

fn discover(version: &str) -> Raw {
    Raw::of(&json!({
        "resultType": "complete",
        "supportedVersions": ALL,
        "capabilities": {"tools": {}},
        "instructions": INSTRUCTIONS,
        "ttlMs": CACHE_MS,
        "cacheScope": "private",
        "_meta": server_info(version),
    }))
}

/// Makes the checks in the revision's order; the first failed check decides the answer.
/// The version is checked before missing headers, so that a client of a later revision
/// learns which revisions are served.
fn check(headers: &Headers, request: &Request) -> Result<(), Refusal> {
    let claimed = check_meta(&request.params)?;
    if let Some(header) = &headers.protocol_version
        && *header != claimed
    {
        return Err(mismatch(VERSION_HEADER, Some(header), Some(&claimed)));
    }
    if let Some(header) = &headers.method
        && *header != request.method
    {
        return Err(mismatch("Mcp-Method", Some(header), Some(&request.method)));
    }
    if claimed != MODERN {
        return Err(unsupported(&claimed));
    }
    if headers.protocol_version.is_none() {
        return Err(mismatch(VERSION_HEADER, None, Some(&claimed)));
    }
    if headers.method.is_none() {
        return Err(mismatch("Mcp-Method", None, Some(&request.method)));
    }
    if request.method == "tools/call"
        && let Some(name) = request.params.get("name").and_then(Value::as_str)
    {
        let header = headers.name.as_deref();
        if header.and_then(decode).as_deref() != Some(name) {
            return Err(mismatch("Mcp-Name", header, Some(name)));
        }
    }
    Ok(())
}

/// Returns the claimed version, once `_meta` is complete.
fn check_meta(params: &Map<String, Value>) -> Result<String, Refusal> {
    let incomplete = |what: &str| {
        let message =
            format!("Invalid params: params._meta[\"{what}\"] is missing or of the wrong type");
        Refusal::new(400, ErrorCode::InvalidParams, &message)
    };
    let meta = params
        .get("_meta")
        .and_then(Value::as_object)
        .ok_or_else(|| incomplete(VERSION_KEY))?;
    let version = meta.get(VERSION_KEY).and_then(Value::as_str);
    let version = version.ok_or_else(|| incomplete(VERSION_KEY))?;
    if !meta.get(CAPABILITIES_KEY).is_some_and(Value::is_object) {
        return Err(incomplete(CAPABILITIES_KEY));
    }
    if let Some(client) = meta.get(CLIENT_KEY)
        && !["name", "version"]
            .iter()
            .all(|member| client[*member].is_string())
    {
        return Err(incomplete(CLIENT_KEY));
    }
    Ok(version.to_owned())
}

/// Reads a header value, which may hold base64 for text that headers cannot hold.
pub(crate) fn decode(value: &str) -> Option<String> {
    let Some(encoded) = value
        .strip_prefix("=?base64?")
        .and_then(|rest| rest.strip_suffix("?="))
    else {
        return Some(value.to_owned());
    };
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok()
}

/// The error for a header that does not repeat what the body says.
pub(crate) fn mismatch(name: &str, header: Option<&str>, body: Option<&str>) -> Refusal {
    let said = |text: Option<&str>| text.map_or("missing".into(), |text| format!("{text:?}"));
    let message = text::of_error(&format!(
        "{name} is {} in the header and {} in the body; the client, or what passes its requests \
         on, has to send the same in both",
        said(header),
        said(body)
    ));
    let data = json!({"mismatch": {"name": name, "header": header, "body": body}});
    Refusal::with_data(400, HEADER_MISMATCH, &message, Some(data))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_be_encoded() {
        assert_eq!(decode("get_link").as_deref(), Some("get_link"));
        assert_eq!(
            decode("=?base64?Z2V0X2xpbms=?=").as_deref(),
            Some("get_link")
        );
        assert_eq!(
            decode("=?base64?Z2V0X2xpbms?="),
            None,
            "padding is required"
        );
        assert_eq!(decode("=?base64?###?="), None);
        assert_eq!(decode("=?base64?abc").as_deref(), Some("=?base64?abc"));
    }
}
