//! The shapes of the MCP endpoint, by raw HTTP.

use serde_json::{Value, json};

use crate::support::server::{Answer, Call, Server, shared};

pub(crate) const BOTH: &str = "application/json, text/event-stream";
pub(crate) const MODERN: &str = "2026-07-28";
/// All versions that docs/mcp.md names.
const VERSIONS: [&str; 5] = [
    MODERN,
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

/// A request as an older client sends it.
pub(crate) fn legacy(server: &Server) -> Call<'_> {
    server
        .api("POST", "/api/mcp")
        .header("content-type", "application/json")
        .header("accept", BOTH)
}

/// A request of the modern generation with headers that fit its body.
pub(crate) fn modern(server: &Server, method: &str, params: Value) -> Answer {
    let call = legacy(server)
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", method);
    let call = match params["name"].as_str() {
        Some(name) => call.header("mcp-name", name),
        None => call,
    };
    call.body(&claimed(method, params).to_string()).send()
}

pub(crate) fn claimed(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": "a-1", "method": method, "params": params})
}

/// Calls a tool and returns its result.
pub(crate) fn call_tool(server: &Server, name: &str, arguments: &Value) -> Value {
    answer_of_tool(server, name, arguments).json()["result"].clone()
}

/// Calls a tool and returns the whole answer.
pub(crate) fn answer_of_tool(server: &Server, name: &str, arguments: &Value) -> Answer {
    let params = json!({"name": name, "arguments": arguments});
    modern(server, "tools/call", params).is(200)
}

/// Every tool as it is listed.
pub(crate) fn list_tools(server: &Server) -> Vec<Value> {
    let listed = modern(server, "tools/list", json!({})).json();
    listed["result"]["tools"].as_array().unwrap().clone()
}

/// The result of the older generation's handshake.
pub(crate) fn initialize(server: &Server) -> Value {
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let request = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let answer = legacy(server).body(&request.to_string()).send().is(200);
    assert_eq!(answer.header("mcp-session-id"), "");
    answer.json()["result"].clone()
}

pub(crate) fn ping() -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string()
}

impl Answer {
    /// The same answer, which must be an error of JSON-RPC.
    #[track_caller]
    pub(crate) fn fails(self, status: u16, code: i32) -> Self {
        let answer = self.is(status);
        assert_eq!(answer.json()["error"]["code"], code, "{}", answer.text);
        assert_eq!(answer.header("content-type"), "application/json");
        answer
    }
}

#[test]
fn older_clients_shake_hands_and_are_answered_without_a_session() {
    let server = shared();
    let told = initialize(server);
    assert_eq!(told["protocolVersion"], "2025-06-18");
    assert_eq!(told["capabilities"], json!({"tools": {}}));
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": MODERN}});
    let proposed = legacy(server).body(&unknown.to_string()).send().json();
    assert_eq!(proposed["result"]["protocolVersion"], "2025-11-25");

    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let taken = legacy(server).body(&note).send();
    assert_eq!((taken.status, taken.text.as_str()), (202, ""));
    let response = json!({"jsonrpc": "2.0", "id": 5, "result": {}}).to_string();
    legacy(server).body(&response).send().is(202);

    for method in ["prompts/list", "server/discover", "nonsense"] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        legacy(server).body(&request).send().fails(200, -32601);
    }
}

#[test]
fn a_call_without_an_id_does_nothing() {
    let server = Server::start();
    let call = json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "create_link", "arguments": {"url": "https://example.com/", "slug": "ghost"}}});
    legacy(&server).body(&call.to_string()).send().is(202);
    server.visit("/ghost").is(404);
}

#[test]
fn the_oldest_revisions_know_batches() {
    let server = shared();
    let one = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let post = |body: Value| legacy(server).body(&body.to_string()).send();
    assert_eq!(
        post(json!([one])).json(),
        json!([{"jsonrpc": "2.0", "id": 1, "result": {}}])
    );
    let mixed = post(json!([one, note, {"jsonrpc": "2.0", "id": "x", "method": "nope"}, 5])).json();
    let answers = mixed.as_array().unwrap();
    assert_eq!(answers.len(), 3);
    assert_eq!(answers[1]["id"], "x");
    assert_eq!(answers[1]["error"]["code"], -32601);
    assert_eq!(answers[2]["error"]["code"], -32600);
    post(json!([])).fails(400, -32600);
    post(json!(vec![one.clone(); 51])).fails(400, -32600);
    post(json!([{"jsonrpc": "2.0", "id": 1, "method": "initialize"}])).fails(400, -32600);
    post(json!([claimed("tools/list", json!({}))])).fails(400, -32600);
}

#[test]
fn modern_clients_discover_list_and_call() {
    let server = shared();
    let found = modern(server, "server/discover", json!({})).json();
    assert_eq!(found["id"], "a-1");
    let found = &found["result"];
    assert_eq!(found["supportedVersions"], json!(VERSIONS));
    assert_eq!(found["resultType"], "complete");
    assert_eq!(found["ttlMs"], 300_000);
    assert_eq!(found["cacheScope"], "private");
    assert_eq!(
        found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "slugline"
    );

    let listed = modern(server, "tools/list", json!({})).json()["result"].clone();
    assert!(listed.get("nextCursor").is_none());
    assert_eq!(listed["resultType"], "complete");
    let older = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let older = legacy(server).body(&older).send().json()["result"].clone();
    assert_eq!(older["tools"], listed["tools"]);
    assert!(older.get("resultType").is_none() && older.get("ttlMs").is_none());
    modern(server, "tools/list", json!({"cursor": "x"})).fails(200, -32602);

    for method in [
        "initialize",
        "ping",
        "resources/list",
        "subscriptions/listen",
    ] {
        modern(server, method, json!({})).fails(404, -32601);
    }
    let called = call_tool(server, "get_link", &json!({"slug": "none"}));
    assert_eq!(called["resultType"], "complete");
    assert_eq!(called["isError"], true);
    assert!(called.get("structuredContent").is_none());
}

#[test]
fn modern_requests_are_checked_rung_by_rung() {
    let with = |name: &str, value: Value| {
        let mut meta = meta(MODERN);
        meta[format!("io.modelcontextprotocol/{name}")] = value;
        meta
    };
    let without_capabilities = json!({"io.modelcontextprotocol/protocolVersion": MODERN});
    let version = [("mcp-protocol-version", MODERN)];
    for (meta, headers, code) in [
        (without_capabilities, &[][..], -32602),
        (with("protocolVersion", json!(5)), &[], -32602),
        (with("clientInfo", json!({"name": "x"})), &[], -32602),
        (meta("v999.0.0"), &version, -32020),
        (meta(MODERN), &[("mcp-method", "tools/call")], -32020),
        (meta("2099-01-01"), &[], -32022),
        (meta(MODERN), &[("mcp-method", "tools/list")], -32020),
        (meta(MODERN), &version, -32020),
    ] {
        let params = json!({"_meta": meta});
        let request = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params});
        let call = legacy(shared()).headers(headers);
        let answer = call.body(&request.to_string()).send().fails(400, code);
        assert_eq!(answer.json()["id"], 7);
        if code == -32022 {
            let expected = json!({"supported": VERSIONS, "requested": "2099-01-01"});
            assert_eq!(answer.json()["error"]["data"], expected);
        }
    }
}

fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn a_header_of_another_version_than_the_body_is_answered_with_both() {
    let asked = json!({"protocolVersion": "2025-06-18"});
    let handshake = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": asked});
    for (header, body, named) in [
        ("2025-11-25", claimed("tools/list", json!({})), MODERN),
        ("2025-11-25", claimed("initialize", json!({})), MODERN),
        (MODERN, handshake, "2025-06-18"),
    ] {
        let call = legacy(shared()).header("mcp-protocol-version", header);
        let refused = call.body(&body.to_string()).send().fails(400, -32020);
        assert_eq!(refused.json()["id"], body["id"]);
        let error = &refused.json()["error"];
        let said = error["message"].as_str().unwrap();
        let both = format!("is {header:?} in the header and {named:?} in the body");
        assert!(said.contains(&both), "{said}");
        let both = json!({"name": "MCP-Protocol-Version", "header": header, "body": named});
        assert_eq!(error["data"]["mismatch"], both);
    }
}

#[test]
fn names_of_tools_are_cross_checked_with_their_header() {
    let server = shared();
    let call = |name: Option<&str>| {
        let params = json!({"name": "list_links"});
        let call = legacy(server)
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", "tools/call");
        let name = name.map(|name| ("mcp-name", name));
        let call = call.headers(name.as_slice());
        call.body(&claimed("tools/call", params).to_string()).send()
    };
    assert_eq!(call(Some("list_links")).status, 200);
    assert_eq!(call(Some("=?base64?bGlzdF9saW5rcw==?=")).status, 200);
    call(None).fails(400, -32020);
    call(Some("get_link")).fails(400, -32020);
    call(Some("=?base64?bGlzdF9saW5rcw?=")).fails(400, -32020);
}

#[test]
fn wrong_calls_are_told_apart() {
    let server = shared();
    modern(server, "tools/call", json!({"name": "nope"})).fails(200, -32602);
    modern(server, "tools/call", json!({})).fails(200, -32602);
    let wrong = json!({"name": "get_link", "arguments": []});
    modern(server, "tools/call", wrong).fails(200, -32602);
    let older = |params: Value| {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        legacy(server).body(&request.to_string()).send().json()
    };
    assert_eq!(older(json!({"name": "nope"}))["result"]["isError"], true);
    assert_eq!(older(json!({"arguments": {}}))["error"]["code"], -32602);
    let empty = older(json!({"name": "list_links"}));
    assert_eq!(
        empty["result"]["structuredContent"],
        json!({"links": [], "list_complete": true})
    );
    assert!(empty["result"].get("resultType").is_none());
}
