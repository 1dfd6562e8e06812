//! The official conformance suite, and a third-party server on our OpenAPI document.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{
    programs::{node, python, run},
    server::{Server, TOKEN},
};

/// Checks that a server with these tools cannot pass, and the reasons.
const NOT_OURS: &str = include_str!("../../mcp-clients/not-ours.json");

fn not_ours() -> BTreeSet<String> {
    let groups: Value = serde_json::from_str(NOT_OURS).unwrap();
    let groups = groups.as_array().unwrap();
    assert!(groups.iter().all(|group| group["reason"].is_string()));
    let checks = groups.iter().filter_map(|group| group["checks"].as_array());
    let ids = checks.flatten().filter_map(Value::as_str);
    ids.map(str::to_owned).collect()
}

#[test]
fn the_conformance_suite_finds_no_fault_but_what_is_not_ours() {
    let server = Server::start();
    let todo = json!({"url": format!("{}/api/mcp", server.origin()), "token": TOKEN});
    let output = run(node("conformance.mjs"), &todo.to_string());
    let checks: Value = serde_json::from_slice(&output.stdout).unwrap();
    let checks = checks.as_array().unwrap();
    let excepted = not_ours();
    let is = |check: &Value, status: &str| check["status"] == status;
    let unexpected: Vec<&Value> = checks
        .iter()
        .filter(|check| {
            is(check, "FAILURE") && !excepted.contains(check["check"].as_str().unwrap())
        })
        .collect();
    assert!(unexpected.is_empty(), "{unexpected:#?}");
    let failed: BTreeSet<String> = checks
        .iter()
        .filter(|check| is(check, "FAILURE"))
        .filter_map(|check| check["check"].as_str().map(str::to_owned))
        .collect();
    let passed: Vec<&String> = excepted.difference(&failed).collect();
    assert!(
        passed.is_empty(),
        "these pass now: take them out of not-ours.json: {passed:?}"
    );
    // A suite that could not start, or lost its scenarios, proves nothing.
    for (revision, least) in [("2025-11-25", 30), ("2026-07-28", 80)] {
        let passed = |check: &&Value| check["revision"] == revision && is(check, "SUCCESS");
        let passed = checks.iter().filter(passed).count();
        assert!(passed >= least, "{revision}: {passed} passed");
    }
}

/// `mcp-openapi-proxy` makes a tool of each operation below a path.
#[test]
fn a_proxy_for_openapi_makes_links_through_our_document() {
    let server = Server::start();
    let todo = json!({
        "origin": server.origin(), "token": TOKEN, "below": "/api/link",
        "tool": "post_link_create",
        "arguments": {"url": "https://example.com/", "slug": "proxied", "tags": ["a"]},
    });
    let client = python(2, "python", &["drive_openapi_proxy.py"]);
    let output = run(client, &todo.to_string());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools: Vec<&str> = told["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    for tool in [
        "post_link_create",
        "get_link_query",
        "put_link_edit",
        "post_link_delete",
    ] {
        assert!(tools.contains(&tool), "{tool}: {tools:?}");
    }
    let made: Value = serde_json::from_str(told["text"].as_str().unwrap()).unwrap();
    assert_eq!(made["link"]["tags"], json!(["a"]));
    server.leads("/proxied", "https://example.com/");
}
