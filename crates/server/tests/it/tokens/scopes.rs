//! Every operation and every tool names its scope, and tokens without it are refused.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{listed, make};
use crate::{
    api::operations::{guarded, tools},
    mcp::wire::{BOTH, MODERN, claimed},
    support::server::{Server, TOKEN},
};

const SCOPES: [&str; 4] = ["links:read", "links:write", "analytics:read", "admin"];

/// A token for each scope alone.
fn one_each(server: &Server) -> Vec<(&'static str, String)> {
    SCOPES
        .iter()
        .map(|scope| (*scope, make(server, scope, &[scope])))
        .collect()
}

fn permits(held: &str, needed: &str) -> bool {
    needed.is_empty() || held == needed || held == "admin"
}

#[test]
fn every_operation_below_api_needs_its_scope_and_says_so() {
    let server = Server::start();
    let tokens = one_each(&server);
    for row in guarded() {
        let (id, needed) = (row.id, row.scope);
        let told = row.documented["description"].as_str().unwrap();
        assert_eq!(row.may_refuse("missing_scope"), !needed.is_empty(), "{id}");
        assert_eq!(told.contains("Scope: `"), !needed.is_empty(), "{id}");
        assert!(needed.is_empty() || told.ends_with(&format!("Scope: `{needed}`.")));
        for (held, token) in &tokens {
            // An input that every operation refuses once it reads it, so that none runs.
            let path = format!("{}?startAt=soon", row.path);
            let call = server.by(token, &row.method, &path);
            let answer = match &*row.method {
                "GET" | "DELETE" => call.send(),
                _ => call.json(&json!([])).send(),
            };
            let case = format!("{id} with {held}: {}", answer.text);
            if permits(held, needed) {
                assert!(![401, 403, 423].contains(&answer.status), "{case}");
            } else {
                let body = answer.refuses(403, "missing_scope").json();
                assert_eq!(body["data"]["scope"], needed, "{case}");
                let message = body["message"].as_str().unwrap();
                assert!(message.contains(&format!("needs {needed}")), "{case}");
                assert!(message.contains("slugline token add"), "{case}");
            }
        }
    }
    for (name, _) in &tokens {
        assert_eq!(listed(&server, name)["scopes"], json!([name]));
    }
}

/// Sends a request of MCP with this token, and returns the result.
pub(super) fn exchange(server: &Server, token: &str, method: &str, params: Value) -> Value {
    let call = server
        .by(token, "POST", "/api/mcp")
        .header("content-type", "application/json")
        .header("accept", BOTH)
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", method);
    let call = match params["name"].as_str() {
        Some(name) => call.header("mcp-name", name),
        None => call,
    };
    let answer = call
        .body(&claimed(method, params).to_string())
        .send()
        .is(200);
    answer.json()["result"].clone()
}

/// The names of listed tools.
fn names(list: &Value) -> BTreeSet<String> {
    let tools = list["tools"].as_array().unwrap().iter();
    tools
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_token_sees_and_calls_only_the_tools_that_it_permits() {
    let server = Server::start();
    for (held, token) in one_each(&server) {
        let permitted = tools().filter(|(row, _)| permits(held, row.scope));
        let expected: BTreeSet<String> = permitted.map(|(_, tool)| tool.to_owned()).collect();
        let list = exchange(&server, &token, "tools/list", json!({}));
        assert_eq!(names(&list), expected, "{held}");
        let older = server
            .by(&token, "POST", "/api/mcp")
            .header("content-type", "application/json")
            .header("accept", BOTH)
            .body(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
            .send();
        assert_eq!(names(&older.json()["result"]), expected, "{held}");
        for (row, tool) in tools() {
            let needed = row.scope;
            let wrong = json!({"name": tool, "arguments": {"no such member": 1}});
            let called = exchange(&server, &token, "tools/call", wrong);
            let text = called["content"][0]["text"].as_str().unwrap();
            assert_eq!(called["isError"], true, "{held} {tool}: {text}");
            let is_refused = text.contains("403") && text.contains(&format!("needs {needed}"));
            assert_eq!(is_refused, !permits(held, needed), "{held} {tool}: {text}");
        }
    }
}

#[test]
fn links_in_the_order_of_their_visits_need_both_scopes() {
    let server = Server::start();
    let links = make(&server, "links", &["links:read"]);
    let both = make(&server, "both", &["links:read", "analytics:read"]);
    let list = |token: &str| server.by(token, "GET", "/api/link/list?sort=visits").send();
    let refused = list(&links).is(403);
    assert_eq!(refused.json()["data"]["scope"], "analytics:read");
    list(&both).is(200);
    let call = json!({"name": "list_links", "arguments": {"sort": "visits"}});
    let refused = exchange(&server, &links, "tools/call", call.clone());
    assert_eq!(refused["isError"], true, "{refused}");
    assert_eq!(
        exchange(&server, &both, "tools/call", call)["isError"],
        false
    );
}

#[test]
fn metrics_and_advice_are_for_admins() {
    let server = Server::start();
    let reader = make(&server, "reader", &["links:read", "analytics:read"]);
    let admin = make(&server, "prometheus", &["admin"]);
    let metrics = |token: &str| server.by(token, "GET", "/_metrics").send();
    assert_eq!(metrics(&admin).status, 200);
    let refused = metrics(&reader).is(403);
    assert_eq!(refused.json()["code"], "missing_scope");
    let advice = |token: &str| {
        let setup = server.by(token, "GET", "/api/setup").send().json();
        setup["findings"].as_array().unwrap().len()
    };
    assert_eq!(advice(&reader), 0);
    assert!(advice(&admin) > 0 && advice(&admin) == advice(TOKEN));
}
