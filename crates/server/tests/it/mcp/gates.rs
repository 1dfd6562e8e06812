//! Every gate of the MCP endpoint, on every path that leads to it. `mcp_wire` tests the
//! protocol behind them.

use serde_json::{Value, json};

use crate::{
    mcp::wire::{BOTH, MODERN, assert_refused, claimed, legacy, ping},
    support::server::{Answer, Call, Server, TOKEN},
};

const PATHS: [&str; 3] = ["/api/mcp", "/api/mcp/", "/api/mcp//"];

fn post<'s>(server: &'s Server, path: &str) -> Call<'s> {
    server.api("POST", path)
}

fn of_json(call: Call<'_>) -> Call<'_> {
    call.header("content-type", "application/json")
        .header("accept", BOTH)
}

/// No answer may be cached, and none starts a session.
#[track_caller]
fn assert_bare(answer: &Answer) {
    assert_eq!(
        answer.header("cache-control"),
        "no-store",
        "{}",
        answer.text
    );
    assert_eq!(answer.header("mcp-session-id"), "");
    assert_eq!(answer.header("access-control-allow-origin"), "");
}

#[test]
fn each_gate_stands_on_each_path() {
    let server = Server::start();
    for path in PATHS {
        let refused = of_json(post(&server, path))
            .header("origin", "https://evil.example")
            .body(&ping())
            .send();
        assert_refused(&refused, 403, -32600);
        assert_bare(&refused);

        for kind in [
            "text/plain",
            "application/jsonx",
            "text/application/json",
            "x",
        ] {
            let call = post(&server, path)
                .header("accept", BOTH)
                .header("content-type", kind);
            let refused = call.body(&ping()).send();
            assert_refused(&refused, 415, -32600);
            assert_bare(&refused);
        }
        let untyped = post(&server, path)
            .header("accept", BOTH)
            .body(&ping())
            .send();
        assert_refused(&untyped, 415, -32600);

        let large = format!("\"{}\"", "x".repeat(5 << 20));
        let refused = of_json(post(&server, path)).body(&large).send();
        assert_refused(&refused, 413, -32600);
        assert_bare(&refused);

        for (body, code) in [("{", -32700), ("", -32700), ("5", -32600), ("[]", -32600)] {
            let refused = of_json(post(&server, path)).body(body).send();
            assert_refused(&refused, 400, code);
            assert_eq!(refused.json()["id"], Value::Null);
            assert_bare(&refused);
        }
        let plain = post(&server, path).header("content-type", "application/json");
        let unaccepting = plain.body(&ping()).send();
        assert_refused(&unaccepting, 406, -32600);
        assert_bare(&unaccepting);

        let old = of_json(post(&server, path)).header("mcp-protocol-version", "1900-01-01");
        let refused = old.body(&ping()).send();
        assert_refused(&refused, 400, -32022);
        assert_eq!(refused.json()["id"], 1);
        assert_bare(&refused);
    }
}

#[test]
fn nobody_gets_past_the_token_and_nobody_is_sent_to_log_in() {
    let server = Server::start();
    for path in PATHS {
        for method in ["POST", "GET", "DELETE"] {
            for token in [
                None,
                Some("Bearer another-token"),
                Some("Basic x"),
                Some("Bearer"),
            ] {
                // The other gates would refuse it as well, but this gate is first.
                let call = server
                    .request(method, path)
                    .header("content-type", "text/plain");
                let call = match token {
                    Some(token) => call.header("authorization", token),
                    None => call,
                };
                let refused = call.send();
                assert!(matches!(refused.status, 401 | 429), "{method} {token:?}");
                if refused.status == 401 {
                    let challenge = refused.header("www-authenticate");
                    assert!(challenge.starts_with("Bearer realm="), "{challenge}");
                    assert!(!challenge.contains("resource_metadata"), "{challenge}");
                }
            }
        }
    }
}

#[test]
fn the_token_counts_in_its_header_only_and_there_is_no_oauth() {
    let server = Server::start();
    let by_query = server.request(
        "POST",
        &format!("/api/mcp?token={TOKEN}&access_token={TOKEN}"),
    );
    of_json(by_query).body(&ping()).send().is(401);
    let lower = server
        .request("POST", "/api/mcp")
        .header("authorization", &format!("bearer {TOKEN}"));
    of_json(lower).body(&ping()).send().is(200);
    for document in [
        "oauth-protected-resource",
        "oauth-authorization-server",
        "openid-configuration",
    ] {
        for suffix in ["", "/api/mcp"] {
            let path = format!("/.well-known/{document}{suffix}");
            assert_eq!(server.visit(&path).status, 404, "{path}");
        }
    }
}

#[test]
fn media_types_are_compared_as_media_types() {
    let server = Server::start();
    for kind in [
        "application/json",
        "Application/JSON; charset=utf-8",
        "application/json;x=\"a;b\"",
    ] {
        let call = post(&server, "/api/mcp")
            .header("content-type", kind)
            .header("accept", BOTH);
        assert_eq!(call.body(&ping()).send().status, 200, "{kind}");
    }
    for accept in [
        "text/event-stream, application/json",
        "application/json;q=0.1,text/event-stream;q=1, */*",
    ] {
        let call = post(&server, "/api/mcp")
            .header("content-type", "application/json")
            .header("accept", accept);
        assert_eq!(call.body(&ping()).send().status, 200, "{accept}");
    }
}

#[test]
fn sessions_and_streams_of_older_clients_are_not_reacted_to() {
    let server = Server::start();
    for body in [
        ping(),
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-03-26"}}).to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}).to_string(),
        json!({"jsonrpc": "2.0", "method": "notifications/of/nobody"}).to_string(),
    ] {
        let call = legacy(&server)
            .header("mcp-session-id", "not ours")
            .header("last-event-id", "7");
        let answer = call.body(&body).send();
        assert!(matches!(answer.status, 200 | 202), "{}", answer.text);
        assert_eq!(answer.status == 202, answer.text.is_empty());
        assert_bare(&answer);
    }
}

#[test]
fn batches_belong_to_the_revisions_that_have_them() {
    let server = Server::start();
    let batch = json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}]).to_string();
    for (version, status) in [
        (Some("2024-11-05"), 200),
        (Some("2025-03-26"), 200),
        (None, 200),
        (Some("2025-06-18"), 400),
        (Some("2025-11-25"), 400),
        (Some(MODERN), 400),
    ] {
        let call = legacy(&server);
        let call = match version {
            Some(version) => call.header("mcp-protocol-version", version),
            None => call,
        };
        let answer = call.body(&batch).send();
        assert_eq!(answer.status, status, "{version:?}: {}", answer.text);
        assert_eq!(answer.json().is_array(), status == 200, "{version:?}");
    }
}

#[test]
fn modern_headers_are_exact_and_others_do_not_matter() {
    let server = Server::start();
    let call = |method: &str, extra: &[(&str, &str)]| {
        let call = post(&server, "/api/mcp")
            .header("content-type", "application/json")
            .header("accept", BOTH)
            .header("mcp-protocol-version", MODERN)
            .header("mcp-method", method);
        let call = extra
            .iter()
            .fold(call, |call, (name, value)| call.header(name, value));
        call.body(&claimed("tools/list", json!({})).to_string())
            .send()
    };
    let all = [
        ("mcp-param-slug", "x"),
        ("mcp-name", "nobody asks"),
        ("mcp-session-id", "x"),
        ("traceparent", "00-0-0-00"),
    ];
    assert_eq!(call("tools/list", &all).status, 200);
    // Blanks around a value are not part of it.
    assert_eq!(call(" tools/list ", &[]).status, 200);
    for wrong in ["Tools/List", "tools/call", "=?base64?dG9vbHMvbGlzdA==?="] {
        assert_refused(&call(wrong, &[]), 400, -32020);
    }
}

/// A message with the status for each version header, and the code of a refusal.
struct Row {
    message: Value,
    none: Expected,
    old: Expected,
    newer: Expected,
    modern: Expected,
    before_all: Expected,
    after_all: Expected,
}

type Expected = (u16, Option<i32>);

#[test]
fn every_kind_of_message_is_held_to_the_version_header() {
    const OK: Expected = (200, None);
    const TAKEN: Expected = (202, None);
    const INVALID: Expected = (400, Some(-32600));
    const INCOMPLETE: Expected = (400, Some(-32602));
    const MISMATCH: Expected = (400, Some(-32020));
    const UNSUPPORTED: Expected = (400, Some(-32022));
    let server = Server::start();
    let request: Value = serde_json::from_str(&ping()).unwrap();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
    let mut claimed_note = claimed("notifications/cancelled", json!({}));
    claimed_note.as_object_mut().unwrap().remove("id");
    let row = |message, none, old, newer, modern, before_all, after_all| Row {
        message,
        none,
        old,
        newer,
        modern,
        before_all,
        after_all,
    };
    let handshake = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    for row in [
        row(
            request.clone(),
            OK,
            OK,
            OK,
            INCOMPLETE,
            UNSUPPORTED,
            INCOMPLETE,
        ),
        row(handshake, OK, OK, OK, MISMATCH, OK, MISMATCH),
        row(
            note.clone(),
            TAKEN,
            TAKEN,
            TAKEN,
            TAKEN,
            UNSUPPORTED,
            UNSUPPORTED,
        ),
        row(
            response,
            TAKEN,
            TAKEN,
            TAKEN,
            TAKEN,
            UNSUPPORTED,
            UNSUPPORTED,
        ),
        row(
            claimed_note.clone(),
            TAKEN,
            TAKEN,
            TAKEN,
            TAKEN,
            UNSUPPORTED,
            UNSUPPORTED,
        ),
        row(
            json!([request]),
            OK,
            OK,
            INVALID,
            INVALID,
            UNSUPPORTED,
            UNSUPPORTED,
        ),
        row(
            json!([note]),
            TAKEN,
            TAKEN,
            INVALID,
            INVALID,
            UNSUPPORTED,
            UNSUPPORTED,
        ),
        row(
            json!([claimed_note]),
            INVALID,
            INVALID,
            INVALID,
            INVALID,
            UNSUPPORTED,
            UNSUPPORTED,
        ),
    ] {
        for (version, (status, code)) in [
            (None, row.none),
            (Some("2024-11-05"), row.old),
            (Some("2025-03-26"), row.old),
            (Some("2025-06-18"), row.newer),
            (Some(" 2025-11-25 "), row.newer),
            (Some(MODERN), row.modern),
            (Some("1900-01-01"), row.before_all),
            (Some("2099-01-01"), row.after_all),
            (Some("latest"), row.after_all),
        ] {
            // The service ignores sessions and method headers of older clients.
            let call = legacy(&server)
                .header("mcp-session-id", "5")
                .header("last-event-id", "5");
            let call = match version {
                Some(version) => call.header("mcp-protocol-version", version),
                None => call,
            };
            let answer = call.body(&row.message.to_string()).send();
            let case = format!("{version:?} {}: {}", row.message, answer.text);
            assert_eq!(answer.status, status, "{case}");
            assert_bare(&answer);
            match code {
                Some(code) => assert_eq!(answer.json()["error"]["code"], code, "{case}"),
                None if status == 202 => assert_eq!(answer.text, ""),
                None => assert!(!answer.text.contains("error"), "{case}"),
            }
        }
    }
}

#[test]
fn older_messages_of_every_kind_list_both_media_types() {
    let server = Server::start();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let request: Value = serde_json::from_str(&ping()).unwrap();
    let messages = [
        request.clone(),
        note.clone(),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!([request]),
    ];
    let send = |message: &Value, accept: Option<&str>, version: Option<&str>| {
        let mut call = post(&server, PATHS[0]).header("content-type", "application/json");
        for (name, value) in [("accept", accept), ("mcp-protocol-version", version)] {
            if let Some(value) = value {
                call = call.header(name, value);
            }
        }
        call.body(&message.to_string()).send()
    };
    for message in &messages {
        for accept in [
            None,
            Some("application/json"),
            Some("text/event-stream"),
            Some("*/*"),
        ] {
            assert_refused(&send(message, accept, None), 406, -32600);
        }
        let weighed = "Text/Event-Stream;q=0.1 , application/json;q=0";
        assert!(send(message, Some(weighed), None).status < 300, "{message}");
    }
    // The modern revision requires no header for a notification.
    assert_eq!(send(&note, None, Some(MODERN)).status, 202);
}
