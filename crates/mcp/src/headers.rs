//! The headers that go with a body, for programs that forward bodies.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::modern::VERSION_KEY;

/// Returns the headers that a message of the modern generation needs over HTTP, read from
/// its own body; none for older messages and for other JSON.
///
/// ```
/// let body = serde_json::json!({
///     "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
///         "name": "get_link",
///         "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
///     },
/// });
/// let headers = slugline_mcp::headers_for(&body);
/// assert_eq!(headers[2], ("mcp-name", "get_link".to_owned()));
/// ```
pub fn headers_for(message: &Value) -> Vec<(&'static str, String)> {
    let params = &message["params"];
    let Some(version) = params["_meta"][VERSION_KEY].as_str() else {
        return Vec::new();
    };
    let mut headers = vec![("mcp-protocol-version", version.to_owned())];
    let Some(method) = message["method"].as_str() else {
        return headers;
    };
    headers.push(("mcp-method", method.to_owned()));
    let name = match method {
        "tools/call" | "prompts/get" => params["name"].as_str(),
        "resources/read" => params["uri"].as_str(),
        _ => None,
    };
    headers.extend(name.map(|name| ("mcp-name", encoded(name))));
    headers
}

/// Encodes a text for a header.
fn encoded(text: &str) -> String {
    let plain = text.bytes().all(|byte| byte.is_ascii_graphic());
    if plain && !text.starts_with("=?") {
        return text.to_owned();
    }
    format!("=?base64?{}?=", STANDARD.encode(text))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_modern_messages_have_headers_of_their_own() {
        let modern = |method: &str, params: Value| {
            let mut params = params;
            params["_meta"] = json!({VERSION_KEY: "2026-07-28"});
            headers_for(&json!({"method": method, "params": params}))
        };
        assert_eq!(modern("tools/list", json!({})).len(), 2);
        assert_eq!(
            modern("tools/call", json!({"name": "größe 1"}))[2].1,
            "=?base64?Z3LDtsOfZSAx?="
        );
        assert_eq!(headers_for(&json!({"method": "ping"})), []);
        assert_eq!(headers_for(&json!([])), []);
        assert_eq!(headers_for(&json!(5)), []);
    }
}
