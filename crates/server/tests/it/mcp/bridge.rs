//! `slugline mcp`, line by line. `mcp_clients` drives it with official clients.

use std::{
    net::TcpListener,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    programs::run,
    server::{Server, TOKEN, command},
};

fn bridge(url: &str, token: (&str, &str)) -> Command {
    // The folder does not exist: the bridge stores nothing.
    let mut command = command(Path::new("/nowhere"));
    command
        .env_remove("SLUGLINE_SITE_TOKEN")
        .env(token.0, token.1)
        .args(["mcp", "--url", url]);
    command
}

/// The bridge's answers to these lines, by id; the bridge must end by itself.
fn answers(bridge: Command, lines: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let output = run(bridge, &lines.join("\n"));
    let text = String::from_utf8(output.stdout).unwrap();
    let mut answers: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    answers.sort_by_key(|answer| answer["id"].to_string());
    answers
}

fn call(id: &Value, tool: &str, arguments: &Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
}

#[test]
fn every_line_is_answered_once_and_the_end_of_input_ends_it() {
    let server = Server::start();
    let link = json!({"url": "https://example.com/", "slug": "docs"});
    let mut lines = vec![
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": null, "method": "notifications/initialized", "params": null}),
        call(&json!("made"), "create_link", &link),
        json!({"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "delete_link", "arguments": {"slug": "docs"}}}),
        json!("no message"),
    ];
    lines.extend((0..100).map(|id| call(&json!(id), "count_links", &json!({}))));
    let answers = answers(
        bridge(server.origin(), ("SLUGLINE_SITE_TOKEN", TOKEN)),
        &lines,
    );
    assert_eq!(answers.len(), 102);
    for answer in &answers {
        if answer["id"].is_null() {
            assert_eq!(answer["error"]["code"], -32600);
        } else if answer["id"] == "made" {
            let short = &answer["result"]["structuredContent"]["shortLink"];
            assert_eq!(*short, format!("{}/docs", server.origin()));
        } else {
            assert!(answer["result"]["structuredContent"]["count"].is_u64());
        }
    }
    server.visit("/docs").is(301);
}

#[test]
fn the_token_may_be_in_a_file() {
    let server = Server::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{TOKEN}\n")).unwrap();
    let path = file.path().to_str().unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let told = answers(
        bridge(server.origin(), ("SLUGLINE_SITE_TOKEN_FILE", path)),
        &[ping],
    );
    assert_eq!(told, [json!({"jsonrpc": "2.0", "id": 1, "result": {}})]);
}

#[test]
fn a_token_that_others_can_see_is_warned_of() {
    let server = Server::start();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), TOKEN).unwrap();
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let told = |flags: [&str; 2]| {
        let mut bridge = bridge(server.origin(), ("LANG", "C"));
        bridge.args(flags);
        let output = run(bridge, &ping);
        assert!(String::from_utf8(output.stdout).unwrap().contains("result"));
        String::from_utf8(output.stderr).unwrap()
    };
    let warned = told(["--site-token", TOKEN]);
    assert!(
        warned.contains("--site-token; set SLUGLINE_SITE_TOKEN or SLUGLINE_SITE_TOKEN_FILE"),
        "{warned}"
    );
    assert!(!warned.contains(TOKEN), "{warned}");
    assert_eq!(
        told(["--site-token-file", file.path().to_str().unwrap()]),
        ""
    );
}

#[test]
fn what_is_wrong_with_the_instance_is_the_error_of_each_request() {
    let lines = [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": null, "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": "a", "method": "initialize"}),
    ];
    let said = |url: &str, token: &str| {
        let told = answers(bridge(url, ("SLUGLINE_SITE_TOKEN", token)), &lines);
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["id"], "a");
        assert_eq!(told[0]["error"]["code"], -32603);
        told[0]["error"]["message"].as_str().unwrap().to_owned()
    };
    let server = Server::start();
    let text = said(server.origin(), "another-token");
    assert!(
        text.contains("refuses the token: set SLUGLINE_SITE_TOKEN"),
        "{text}"
    );
    assert!(!text.contains("another-token"), "{text}");

    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!("http://{}", free.local_addr().unwrap());
    drop(free);
    let text = said(&nobody, TOKEN);
    assert!(
        text.contains("cannot be reached") && text.contains("--url"),
        "{text}"
    );

    // A path that the instance does not serve.
    let text = said(&format!("{}/elsewhere", server.origin()), TOKEN);
    assert!(text.contains("check --url"), "{text}");
}

#[test]
fn a_bridge_without_a_token_or_with_a_wrong_url_does_not_start() {
    for (mut command, fix) in [
        (
            bridge("http://127.0.0.1:1", ("LANG", "C")),
            "SLUGLINE_SITE_TOKEN is not set",
        ),
        (
            bridge("nonsense", ("SLUGLINE_SITE_TOKEN", TOKEN)),
            "such as https://sl.example",
        ),
        (
            bridge("http://sl.example", ("SLUGLINE_SITE_TOKEN", TOKEN)),
            "--allow-plain-http",
        ),
        (
            bridge(
                "http://127.0.0.1:1",
                ("SLUGLINE_SITE_TOKEN_FILE", "/nowhere"),
            ),
            "the file /nowhere cannot be read",
        ),
    ] {
        let output = command.stdin(Stdio::null()).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(output.stdout, b"");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains(fix), "{errors}");
    }
}
