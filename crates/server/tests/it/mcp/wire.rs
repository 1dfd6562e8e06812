//! The gates and shapes of the MCP endpoint, by raw HTTP.

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::server::{Answer, Call, Server};

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
fn modern(server: &Server, method: &str, params: Value) -> Answer {
    let name = params
        .get("name")
        .and_then(Value::as_str)
        .map(str::to_owned);
    let call = legacy(server)
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", method);
    let call = match name {
        Some(name) => call.header("mcp-name", &name),
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
    let answer = modern(server, "tools/call", params);
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer
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

#[track_caller]
pub(crate) fn assert_refused(answer: &Answer, status: u16, code: i32) {
    assert_eq!(answer.status, status, "{}", answer.text);
    assert_eq!(answer.json()["error"]["code"], code, "{}", answer.text);
    assert_eq!(answer.header("content-type"), "application/json");
}

#[test]
fn only_post_is_served_with_any_number_of_slashes() {
    let server = Server::start();
    for path in ["/api/mcp", "/api/mcp/", "/api/mcp//"] {
        for method in ["GET", "DELETE", "PUT"] {
            let answer = server.api(method, path).send();
            assert_eq!(
                (answer.status, answer.header("allow")),
                (405, "POST"),
                "{method} {path}"
            );
        }
        let call = server
            .api("POST", path)
            .header("content-type", "application/json");
        let answer = call.header("accept", BOTH).body(&ping()).send();
        assert_eq!(
            answer.json(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}})
        );
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[test]
fn gates_of_the_transport() {
    let server = Server::start();
    let own = server.origin().to_owned();
    let post = || server.api("POST", "/api/mcp");
    let json_type = "application/json";
    for foreign in [
        "https://evil.example",
        "null",
        &format!("{own}.evil.example"),
        &format!("{own}@evil.example"),
    ] {
        assert_refused(
            &legacy(&server)
                .header("origin", foreign)
                .body(&ping())
                .send(),
            403,
            -32600,
        );
    }
    legacy(&server)
        .header("origin", &own)
        .body(&ping())
        .send()
        .is(200);
    // A stranger's host name that resolves to this machine.
    let rebound = legacy(&server)
        .header("host", "evil.example")
        .header("origin", "http://evil.example");
    assert_refused(&rebound.body(&ping()).send(), 403, -32600);

    let wrong_type = post()
        .header("content-type", "text/plain")
        .header("accept", BOTH);
    assert_refused(&wrong_type.body(&ping()).send(), 415, -32600);
    assert_refused(
        &post()
            .header("accept", BOTH)
            .header("content-type", "application/jsonx")
            .body(&ping())
            .send(),
        415,
        -32600,
    );
    for accept in ["application/json", "*/*", "text/event-stream"] {
        let call = post()
            .header("content-type", json_type)
            .header("accept", accept);
        assert_refused(&call.body(&ping()).send(), 406, -32600);
    }
    assert_refused(&legacy(&server).body("{").send(), 400, -32700);
    assert_refused(&legacy(&server).body("5").send(), 400, -32600);
    assert_refused(
        &legacy(&server)
            .body(&format!("\"{}\"", "x".repeat(5 << 20)))
            .send(),
        413,
        -32600,
    );
}

#[test]
fn older_clients_shake_hands_and_are_answered_without_a_session() {
    let server = Server::start();
    let told = initialize(&server);
    assert_eq!(told["protocolVersion"], "2025-06-18");
    assert_eq!(told["capabilities"], json!({"tools": {}}));
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": MODERN}});
    let proposed = legacy(&server).body(&unknown.to_string()).send().json();
    assert_eq!(proposed["result"]["protocolVersion"], "2025-11-25");

    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
    let taken = legacy(&server).body(&note).send();
    assert_eq!((taken.status, taken.text.as_str()), (202, ""));
    let response = json!({"jsonrpc": "2.0", "id": 5, "result": {}}).to_string();
    legacy(&server).body(&response).send().is(202);

    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let call = legacy(&server).header("mcp-protocol-version", version);
        assert_eq!(call.body(&ping()).send().status, 200, "{version}");
    }
    let old = || legacy(&server).header("mcp-protocol-version", "1900-01-01");
    assert_refused(&old().body(&ping()).send(), 400, -32022);
    assert_eq!(old().body(&ping()).send().json()["id"], 1);
    assert_refused(&old().body(&note).send(), 400, -32022);

    for method in ["prompts/list", "server/discover", "nonsense"] {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        assert_refused(&legacy(&server).body(&request).send(), 200, -32601);
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
    let server = Server::start();
    let one = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let post = |body: Value| legacy(&server).body(&body.to_string()).send();
    assert_eq!(
        post(json!([one])).json(),
        json!([{"jsonrpc": "2.0", "id": 1, "result": {}}])
    );
    let mixed = post(json!([one, note, {"jsonrpc": "2.0", "id": "x", "method": "nope"}, 5])).json();
    let answers = mixed.as_array().unwrap();
    assert_eq!(answers.len(), 3);
    assert_eq!(
        (&answers[1]["id"], &answers[1]["error"]["code"]),
        (&json!("x"), &json!(-32601))
    );
    assert_eq!(answers[2]["error"]["code"], -32600);
    assert_eq!(post(json!([note])).status, 202);
    assert_refused(&post(json!([])), 400, -32600);
    assert_refused(&post(json!(vec![one.clone(); 51])), 400, -32600);
    assert_refused(
        &post(json!([{"jsonrpc": "2.0", "id": 1, "method": "initialize"}])),
        400,
        -32600,
    );
    assert_refused(
        &post(json!([claimed("tools/list", json!({}))])),
        400,
        -32600,
    );
    let later = legacy(&server).header("mcp-protocol-version", "2025-06-18");
    assert_refused(&later.body(&json!([one]).to_string()).send(), 400, -32600);
}

#[test]
fn modern_clients_discover_list_and_call() {
    let server = Server::start();
    let found = modern(&server, "server/discover", json!({})).json();
    assert_eq!(found["id"], "a-1");
    let found = &found["result"];
    assert_eq!(found["supportedVersions"], json!(VERSIONS));
    assert_eq!(found["resultType"], "complete");
    assert_eq!(
        (&found["ttlMs"], &found["cacheScope"]),
        (&json!(300_000), &json!("private"))
    );
    assert_eq!(
        found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"],
        "slugline"
    );

    let listed = modern(&server, "tools/list", json!({})).json()["result"].clone();
    assert!(listed.get("nextCursor").is_none());
    assert_eq!(listed["resultType"], "complete");
    let older = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).to_string();
    let older = legacy(&server).body(&older).send().json()["result"].clone();
    assert_eq!(older["tools"], listed["tools"]);
    assert!(older.get("resultType").is_none() && older.get("ttlMs").is_none());
    assert_refused(
        &modern(&server, "tools/list", json!({"cursor": "x"})),
        200,
        -32602,
    );

    for method in [
        "initialize",
        "ping",
        "resources/list",
        "subscriptions/listen",
    ] {
        assert_refused(&modern(&server, method, json!({})), 404, -32601);
    }
    let called = call_tool(&server, "get_link", &json!({"slug": "none"}));
    assert_eq!(
        (&called["resultType"], &called["isError"]),
        (&json!("complete"), &json!(true))
    );
    assert!(called.get("structuredContent").is_none());
}

#[rstest]
#[case(json!({"io.modelcontextprotocol/protocolVersion": MODERN}), &[], -32602)]
#[case(json!({"io.modelcontextprotocol/protocolVersion": 5, "io.modelcontextprotocol/clientCapabilities": {}}), &[], -32602)]
#[case(json!({"io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}, "io.modelcontextprotocol/clientInfo": {"name": "x"}}), &[], -32602)]
#[case(meta("v999.0.0"), &[("mcp-protocol-version", MODERN)], -32020)]
#[case(meta(MODERN), &[("mcp-method", "tools/call")], -32020)]
#[case(meta("2099-01-01"), &[], -32022)]
#[case(meta(MODERN), &[("mcp-method", "tools/list")], -32020)]
#[case(meta(MODERN), &[("mcp-protocol-version", MODERN)], -32020)]
fn modern_requests_are_checked_rung_by_rung(
    #[case] meta: Value,
    #[case] headers: &[(&str, &str)],
    #[case] code: i32,
) {
    let server = Server::start();
    let request =
        json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": {"_meta": meta}});
    let call = headers.iter().fold(legacy(&server), |call, (name, value)| {
        call.header(name, value)
    });
    let answer = call.body(&request.to_string()).send();
    assert_refused(&answer, 400, code);
    assert_eq!(answer.json()["id"], 7);
    if code == -32022 {
        let expected = json!({"supported": VERSIONS, "requested": "2099-01-01"});
        assert_eq!(answer.json()["error"]["data"], expected);
    }
}

fn meta(version: &str) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

#[test]
fn a_modern_header_needs_a_modern_body() {
    let server = Server::start();
    let with_header = |method: &str| {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": method}).to_string();
        legacy(&server)
            .header("mcp-protocol-version", MODERN)
            .body(&request)
            .send()
    };
    assert_refused(&with_header("tools/list"), 400, -32602);
    assert_refused(&with_header("initialize"), 400, -32020);
}

#[test]
fn names_of_tools_are_cross_checked_with_their_header() {
    let server = Server::start();
    let call = |name: Option<&str>| {
        let params = json!({"name": "list_links"});
        let call = legacy(&server)
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", "tools/call");
        let call = match name {
            Some(name) => call.header("mcp-name", name),
            None => call,
        };
        call.body(&claimed("tools/call", params).to_string()).send()
    };
    assert_eq!(call(Some("list_links")).status, 200);
    assert_eq!(call(Some("=?base64?bGlzdF9saW5rcw==?=")).status, 200);
    assert_refused(&call(None), 400, -32020);
    assert_refused(&call(Some("get_link")), 400, -32020);
    assert_refused(&call(Some("=?base64?bGlzdF9saW5rcw?=")), 400, -32020);
}

#[test]
fn wrong_calls_are_told_apart() {
    let server = Server::start();
    assert_refused(
        &modern(&server, "tools/call", json!({"name": "nope"})),
        200,
        -32602,
    );
    assert_refused(&modern(&server, "tools/call", json!({})), 200, -32602);
    let wrong = json!({"name": "get_link", "arguments": []});
    assert_refused(&modern(&server, "tools/call", wrong), 200, -32602);
    let older = |params: Value| {
        let request = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
        legacy(&server).body(&request.to_string()).send().json()
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
