//! Destinations behind a password are hidden from a token that may not read links, in every
//! answer that tells of visits.

use std::{
    fs,
    io::{BufRead, BufReader},
};

use serde_json::{Value, json};

use crate::{
    mcp::wire::{BOTH, MODERN, claimed},
    support::server::{Answer, Server, TOKEN, command},
    tokens::make,
};

const OPEN: &str = "https://open.example/";
const SECRET: &str = "https://secret.example/private";

fn get(server: &Server, token: &str, path: &str) -> Answer {
    server.by(token, "GET", path).send().is(200)
}

/// The visits of each destination, as REST and MCP tell them alike.
fn urls(server: &Server, token: &str, filter: &[(&str, &str)]) -> Value {
    let mut query = String::new();
    let mut arguments = json!({"type": "url"});
    for (name, value) in filter {
        query = format!("{query}&{name}={value}");
        arguments[*name] = json!(value);
    }
    let path = format!("/api/stats/metrics?type=url&visitors=true{query}");
    let by_rest = get(server, token, &path).json()["data"].clone();
    let params = json!({"name": "get_analytics_metrics", "arguments": arguments});
    let by_mcp = server
        .by(token, "POST", "/api/mcp")
        .header("accept", BOTH)
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", "tools/call")
        .header("mcp-name", "get_analytics_metrics")
        .json(&claimed("tools/call", params))
        .send();
    let by_mcp = by_mcp.json()["result"]["structuredContent"]["data"].clone();
    let counts = |rows: &Value| -> Value {
        let rows = rows.as_array().unwrap().iter();
        rows.map(|row| json!([row["name"], row["count"]])).collect()
    };
    assert_eq!(counts(&by_rest), counts(&by_mcp));
    counts(&by_rest)
}

/// The text of each answer with single visits, or with visits by destination.
fn answers(server: &Server, token: &str) -> Vec<String> {
    [
        "/api/logs/events",
        "/api/logs/export?format=ndjson",
        "/api/logs/export?format=csv",
        "/api/stats/export",
        "/api/stats/metrics?type=url",
    ]
    .map(|path| get(server, token, path).text)
    .into()
}

/// The slug and the destination of the next visit of a stream.
fn next_of(lines: &mut impl Iterator<Item = String>) -> Value {
    let data = lines.find_map(|line| line.strip_prefix("data: ").map(str::to_owned));
    let event: Value = serde_json::from_str(&data.unwrap()).unwrap();
    json!([event["slug"], event["url"]])
}

fn watch(server: &Server, token: &str, query: &str) -> impl Iterator<Item = String> + use<> {
    let url = format!("{}/api/logs/stream{query}", server.origin());
    let answer = ureq::get(url)
        .header("authorization", format!("Bearer {token}"))
        .call();
    let body = answer.unwrap().into_body().into_reader();
    let mut lines = BufReader::new(body).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some(": watching"));
    lines
}

fn visit_locked(server: &Server) {
    let form = server
        .request("POST", "/locked")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("password=pw&confirm=true");
    form.send().is(303);
}

fn change(server: &Server, slug: &str, change: &Value) {
    let path = format!("/api/link/edit?slug={slug}");
    let mut body = change.clone();
    body["slug"] = json!(slug);
    server.call("PATCH", &path, &body).is(200);
}

#[test]
fn a_destination_behind_a_password_is_hidden_also_when_password_and_link_are_gone() {
    let server = Server::start();
    server.create(&json!({"slug": "open", "url": OPEN}));
    server.create(&json!({"slug": "locked", "url": SECRET, "password": "pw"}));
    let guest = make(&server, "guest", &["analytics:read"]);
    let reader = make(&server, "reader", &["analytics:read", "links:read"]);
    let mut seen_by_guest = watch(&server, &guest, "");
    let mut guesses = watch(&server, &guest, &format!("?url={SECRET}"));
    let mut seen_by_reader = watch(&server, &reader, &format!("?url={SECRET}"));
    server.visit("/open").is(301);
    visit_locked(&server);
    server.counters_with("", 2);
    assert_eq!(next_of(&mut seen_by_guest), json!(["open", OPEN]));
    assert_eq!(next_of(&mut seen_by_guest), json!(["locked", ""]));
    assert_eq!(next_of(&mut seen_by_reader), json!(["locked", SECRET]));

    for stage in ["with its password", "without it", "deleted"] {
        for token in [&reader, TOKEN] {
            for answer in answers(&server, token) {
                assert!(answer.contains(SECRET), "{stage}: {answer}");
            }
        }
        for answer in answers(&server, &guest) {
            assert!(!answer.contains("secret.example"), "{stage}: {answer}");
            assert!(answer.contains(OPEN), "{stage}: {answer}");
        }
        let of = |token, filter: &[(&str, &str)]| urls(&server, token, filter);
        assert_eq!(of(&guest, &[]), json!([["", 1], [OPEN, 1]]), "{stage}");
        assert_eq!(of(&reader, &[]), json!([[OPEN, 1], [SECRET, 1]]));
        // Conditions find what is shown, and nothing else.
        assert_eq!(of(&guest, &[("url", SECRET)]), json!([]), "{stage}");
        assert_eq!(of(&guest, &[("url", "(none)")]), json!([["", 1]]));
        let others = format!("!{SECRET}");
        let others: &[(&str, &str)] = &[("url", &others)];
        assert_eq!(of(&guest, others), json!([["", 1], [OPEN, 1]]));
        assert_eq!(of(&reader, others), json!([[OPEN, 1]]));
        let path = format!("/api/stats/counters?url={SECRET}");
        let counters = get(&server, &guest, &path).json();
        assert_eq!(counters["data"][0]["visits"], 0, "{stage}");
        let slugs = get(&server, &guest, "/api/stats/metrics?type=slug").json();
        assert_eq!(slugs["data"][1]["name"], "open", "the visits count");
        if stage == "with its password" {
            change(&server, "locked", &json!({"password": null}));
        } else {
            let gone = server.api("POST", "/api/link/delete");
            gone.json(&json!({"slug": "locked"})).send().is(204);
        }
    }
    server.stop("TERM");
    let rest = guesses.find(|line| line.starts_with("data: "));
    assert_eq!(rest, None);
}

#[test]
fn an_imported_visit_that_does_not_say_it_counts_as_one_behind_a_password() {
    let server = Server::start();
    let link = server.create(&json!({"slug": "open", "url": OPEN}));
    let id = link["link"]["id"].as_str().unwrap();
    let guest = make(&server, "guest", &["analytics:read"]);
    let file = format!("ts_ms,link_id,slug,url,visitor\n1751328000000,{id},open,{OPEN},7\n");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    fs::write(&path, file).unwrap();
    let imported = command(server.folder())
        .args(["visits", "import", path.to_str().unwrap()])
        .output()
        .unwrap();
    assert!(imported.status.success(), "{imported:?}");
    server.counters_with("", 1);

    assert_eq!(urls(&server, &guest, &[]), json!([["", 1]]));
    assert_eq!(urls(&server, TOKEN, &[]), json!([[OPEN, 1]]));
    for answer in answers(&server, &guest) {
        assert!(!answer.contains("open.example"), "{answer}");
    }
}
