//! The official MCP clients, each in every mode, over HTTP and through `slugline mcp`.
//!
//! All of them make the same calls: every tool, once to succeed and once to
//! fail. They validate structured results themselves, and fail on a mismatch.

use std::process::Command;

use rstest::rstest;
use serde_json::{Value, json};

use crate::{
    mcp::{schemas::smallest, wire::list_tools},
    support::{
        programs::{node, python, run},
        server::{Server, TOKEN},
    },
};

/// The option for finding the revision, and the revision that the client then uses.
type Mode = (&'static str, &'static str);

const LEGACY: Mode = ("legacy", "2025-11-25");
const AUTO: Mode = ("auto", "2026-07-28");
const PINNED: Mode = ("2026-07-28", "2026-07-28");

struct Call {
    tool: String,
    arguments: Value,
    /// The text of the error, for a call that must fail.
    fails_with: Option<&'static str>,
}

/// The main job in order, then the remaining tools.
fn calls(server: &Server) -> Vec<Call> {
    let url = "https://example.com/mcp";
    let docs = json!({"url": url, "slug": "docs", "tags": ["agent"]});
    let call = |tool: &str, arguments: Value| Call {
        tool: tool.to_owned(),
        arguments,
        fails_with: None,
    };
    let failing = |tool: &str, arguments: Value, text| Call {
        fails_with: Some(text),
        ..call(tool, arguments)
    };
    let mut calls = vec![
        call("create_link", docs.clone()),
        failing("create_link", docs.clone(), "409 Link already exists"),
        failing(
            "create_link",
            json!({"url": "nonsense"}),
            "url: URL format is invalid",
        ),
        call("get_link", json!({"slug": "docs"})),
        failing("get_link", json!({"slug": "none"}), "404 Link not found"),
        call("list_links", json!({"tag": "agent", "limit": 1})),
        failing(
            "list_links",
            json!({"cursor": "x"}),
            "400 Invalid pagination cursor",
        ),
        call("search_links", json!({"q": "doc"})),
        call(
            "update_link",
            json!({"url": url, "slug": "docs", "comment": "changed"}),
        ),
        call(
            "update_link",
            json!({"slug": "docs", "partial": true, "title": null, "remove": ["comment"]}),
        ),
        failing(
            "update_link",
            json!({"url": url, "slug": "none"}),
            "404 Link not found",
        ),
        call("upsert_link", docs),
        call(
            "create_link",
            json!({"url": url, "slug": "doomed", "geo": {"DE": url}}),
        ),
        call("delete_link", json!({"slug": "doomed"})),
        failing("get_link", json!({"slug": "doomed"}), "404 Link not found"),
    ];
    for tool in list_tools(server) {
        let name = tool["name"].as_str().unwrap();
        let has = |fails: bool| {
            let of_this = |call: &&Call| call.tool == name && call.fails_with.is_some() == fails;
            calls.iter().find(of_this).is_some()
        };
        let (succeeds, fails) = (has(false), has(true));
        if !succeeds {
            let good = smallest(&tool["inputSchema"]).pop().unwrap();
            calls.push(call(name, good));
        }
        let members = tool["inputSchema"]["properties"].as_object().unwrap();
        if let Some(member) = members.keys().next().filter(|_| !fails) {
            let wrong = json!({member: {"an": "object"}});
            calls.push(failing(name, wrong, "Input validation error"));
        }
    }
    calls
}

#[rstest]
#[case::typescript_1(node("drive-1.mjs"), &[LEGACY])]
#[case::typescript_2(node("drive-2.mjs"), &[LEGACY, AUTO, PINNED])]
#[case::python_1(python(1, "python", &["drive_1.py"]), &[LEGACY])]
#[case::python_2(python(2, "python", &["drive_2.py"]), &[LEGACY, AUTO])]
fn official_clients_use_every_tool(#[case] client: Command, #[case] modes: &[Mode]) {
    let sessions: Vec<(Server, Mode, bool)> = modes
        .iter()
        .flat_map(|mode| [(*mode, false), (*mode, true)])
        .map(|(mode, bridged)| {
            let ports = ("SLUGLINE_CHECK_ALLOWED_PORTS", "8443");
            (Server::start_with(&[ports]), mode, bridged)
        })
        .collect();
    let calls = calls(&sessions[0].0);
    let todo: Vec<Value> = sessions
        .iter()
        .map(|(server, (mode, _), bridged)| todo(server, mode, *bridged, &calls))
        .collect();
    let output = run(client, &json!(todo).to_string());
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    for ((server, mode, bridged), told) in sessions.iter().zip(told.as_array().unwrap()) {
        println!("{mode:?}, through the bridge: {bridged}");
        assert_eq!(told["version"], mode.1);
        check(told, &calls);
        let followed = server.visit("/docs");
        assert_eq!(followed.header("location"), "https://example.com/mcp");
    }
}

fn todo(server: &Server, mode: &str, bridged: bool, calls: &[Call]) -> Value {
    let url = format!("--url={}", server.origin());
    let bridge = bridged.then(|| json!([env!("CARGO_BIN_EXE_slugline"), "mcp", url]));
    let calls: Vec<Value> = calls
        .iter()
        .map(|call| json!({"tool": call.tool, "arguments": call.arguments}))
        .collect();
    json!({
        "url": format!("{}/api/mcp", server.origin()), "token": TOKEN,
        "mode": mode, "bridge": bridge, "calls": calls,
    })
}

fn check(told: &Value, calls: &[Call]) {
    assert_eq!(told["server"]["name"], "slugline");
    assert_eq!(told["together"], calls.len());
    let names: Vec<&str> = slugline_mcp::Server::tool_names().collect();
    assert_eq!(told["tools"], json!(names));
    let results = told["results"].as_array().unwrap();
    assert_eq!(results.len(), calls.len());
    for (call, result) in calls.iter().zip(results) {
        let context = format!("{} {}: {result}", call.tool, call.arguments);
        let text = result["content"][0]["text"].as_str().unwrap();
        if let Some(expected) = call.fails_with {
            assert_eq!(result["isError"], true, "{context}");
            assert!(text.contains(expected), "{context}");
        } else {
            assert_ne!(result["isError"], true, "{context}");
            let read: Value = serde_json::from_str(text).unwrap();
            assert_eq!(read, result["structuredContent"], "{context}");
        }
    }
}
