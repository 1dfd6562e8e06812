//! Every gate of the MCP endpoint, on every path that leads to it. `wire` tests the protocol
//! behind them.

use serde_json::{Value, json};

use crate::{
    mcp::wire::{BOTH, MODERN, claimed, legacy, ping},
    support::server::{Answer, Server, TOKEN, shared},
};

const PATHS: [&str; 3] = ["/api/mcp", "/api/mcp/", "/api/mcp//"];
const JSON: (&str, &str) = ("content-type", "application/json");
const TAKES: (&str, &str) = ("accept", BOTH);

fn post(path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
    let call = shared().api("POST", path).headers(headers);
    call.body(body).send()
}

fn of_type(kind: &str) -> [(&str, &str); 2] {
    [TAKES, ("content-type", kind)]
}

/// No answer may be cached, and none starts a session.
#[track_caller]
fn assert_bare(answer: &Answer) {
    for (header, expected) in [
        ("cache-control", "no-store"),
        ("mcp-session-id", ""),
        ("access-control-allow-origin", ""),
    ] {
        assert_eq!(answer.header(header), expected, "{}", answer.text);
    }
}

#[test]
fn each_gate_stands_on_each_path() {
    let ping = ping();
    let large = format!("\"{}\"", "x".repeat(5 << 20));
    for path in PATHS {
        for (headers, body, status, code) in [
            (
                &[JSON, TAKES, ("origin", "https://evil.example")][..],
                &*ping,
                403,
                -32600,
            ),
            (&of_type("text/plain"), &ping, 415, -32600),
            (&of_type("application/jsonx"), &ping, 415, -32600),
            (&of_type("text/application/json"), &ping, 415, -32600),
            (&of_type("x"), &ping, 415, -32600),
            (&[TAKES], &ping, 415, -32600),
            (&[JSON, TAKES], &large, 413, -32600),
            (&[JSON, TAKES], "{", 400, -32700),
            (&[JSON, TAKES], "", 400, -32700),
            (&[JSON, TAKES], "5", 400, -32600),
            (&[JSON, TAKES], "[]", 400, -32600),
            (&[JSON, ("accept", "text/html")], &ping, 406, -32600),
            (
                &[JSON, TAKES, ("mcp-protocol-version", "1900-01-01")],
                &ping,
                400,
                -32022,
            ),
        ] {
            let refused = post(path, headers, body).fails(status, code);
            assert_bare(&refused);
            if status == 400 {
                let id = (code == -32022).then_some(1);
                assert_eq!(refused.json()["id"], json!(id));
            }
        }
        for method in ["GET", "DELETE", "PUT"] {
            let refused = shared().api(method, path).send().is(405);
            assert_eq!(refused.header("allow"), "POST", "{method} {path}");
        }
        let answer = post(path, &[JSON, TAKES], &ping).is(200);
        assert_eq!(
            answer.json(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}})
        );
        assert_bare(&answer);
    }
}

#[test]
fn pages_of_other_origins_are_refused() {
    let own = shared().origin();
    for foreign in [
        "null",
        &format!("{own}.evil.example"),
        &format!("{own}@evil.example"),
    ] {
        let call = legacy(shared()).header("origin", foreign);
        call.body(&ping()).send().fails(403, -32600);
    }
    for own in [own, &format!("{}/", own.to_uppercase())] {
        let call = legacy(shared()).header("origin", own);
        call.body(&ping()).send().is(200);
    }
    // A stranger's host name that resolves to this machine.
    let rebound = [("host", "evil.example"), ("origin", "http://evil.example")];
    let call = legacy(shared()).headers(&rebound);
    call.body(&ping()).send().fails(403, -32600);
}

#[test]
fn no_request_gets_past_the_token_and_none_is_sent_to_log_in() {
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
                let token = token.map(|token| ("authorization", token));
                let call = server.request(method, path).headers(token.as_slice());
                let refused = call.header("content-type", "text/plain").send();
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
    let call = |path: &str, headers: &[(&str, &str)]| {
        let call = server.request("POST", path).headers(&[JSON, TAKES]);
        call.headers(headers).body(&ping()).send()
    };
    call(&format!("/api/mcp?token={TOKEN}&access_token={TOKEN}"), &[]).is(401);
    let lower = format!("bearer {TOKEN}");
    call("/api/mcp", &[("authorization", &lower)]).is(200);
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
    for (kind, accept) in [
        (JSON.1, BOTH),
        ("Application/JSON; charset=utf-8", BOTH),
        ("application/json;x=\"a;b\"", BOTH),
        (JSON.1, "text/event-stream, application/json"),
        (JSON.1, "application/json;q=0.1,text/event-stream;q=1, */*"),
    ] {
        let headers = [("content-type", kind), ("accept", accept)];
        post("/api/mcp", &headers, &ping()).is(200);
    }
}

#[test]
fn sessions_and_streams_of_older_clients_are_not_reacted_to() {
    let note =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": method, "params": params});
    let mut handshake = note("initialize", json!({"protocolVersion": "2025-03-26"}));
    handshake["id"] = json!(1);
    for body in [
        serde_json::from_str(&ping()).unwrap(),
        handshake,
        note("notifications/cancelled", json!({"requestId": 1})),
        note("notifications/of/an/unknown/kind", json!({})),
    ] {
        let stale = [("mcp-session-id", "not ours"), ("last-event-id", "7")];
        let call = legacy(shared()).headers(&stale);
        let answer = call.body(&body.to_string()).send();
        assert!(matches!(answer.status, 200 | 202), "{}", answer.text);
        assert_eq!(answer.status == 202, answer.text.is_empty());
        assert_bare(&answer);
    }
}

#[test]
fn modern_headers_are_exact_and_others_do_not_matter() {
    let call = |method: &str, extra: &[(&str, &str)]| {
        let modern = [("mcp-protocol-version", MODERN), ("mcp-method", method)];
        let call = legacy(shared()).headers(&modern).headers(extra);
        call.body(&claimed("tools/list", json!({})).to_string())
            .send()
    };
    let all = [
        ("mcp-param-slug", "x"),
        ("mcp-name", "no tool"),
        ("mcp-session-id", "x"),
        ("traceparent", "00-0-0-00"),
    ];
    call("tools/list", &all).is(200);
    // Blanks around a value are not part of it.
    call(" tools/list ", &[]).is(200);
    for wrong in ["Tools/List", "tools/call", "=?base64?dG9vbHMvbGlzdA==?="] {
        call(wrong, &[]).fails(400, -32020);
    }
}

type Expected = (u16, Option<i32>);

/// Each message with the answers for versions before batches went and after, for the modern
/// version, and for versions before and after all of them.
#[test]
fn every_kind_of_message_is_held_to_the_version_header() {
    const OK: Expected = (200, None);
    const TAKEN: Expected = (202, None);
    const INVALID: Expected = (400, Some(-32600));
    const INCOMPLETE: Expected = (400, Some(-32602));
    const MISMATCH: Expected = (400, Some(-32020));
    const UNKNOWN: Expected = (400, Some(-32022));
    let request: Value = serde_json::from_str(&ping()).unwrap();
    let note = json!({"jsonrpc": "2.0", "method": "notifications/cancelled"});
    let mut claimed_note = claimed("notifications/cancelled", json!({}));
    claimed_note.as_object_mut().unwrap().remove("id");
    let handshake = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    for (message, [old, newer, modern, before_all, after_all]) in [
        (request.clone(), [OK, OK, INCOMPLETE, UNKNOWN, INCOMPLETE]),
        (handshake, [OK, OK, MISMATCH, OK, MISMATCH]),
        (note.clone(), [TAKEN, TAKEN, TAKEN, UNKNOWN, UNKNOWN]),
        (response, [TAKEN, TAKEN, TAKEN, UNKNOWN, UNKNOWN]),
        (
            claimed_note.clone(),
            [TAKEN, TAKEN, TAKEN, UNKNOWN, UNKNOWN],
        ),
        (json!([request]), [OK, INVALID, INVALID, UNKNOWN, UNKNOWN]),
        (json!([note]), [TAKEN, INVALID, INVALID, UNKNOWN, UNKNOWN]),
        (
            json!([claimed_note]),
            [INVALID, INVALID, INVALID, UNKNOWN, UNKNOWN],
        ),
    ] {
        for (version, (status, code)) in [
            (None, old),
            (Some("2024-11-05"), old),
            (Some("2025-03-26"), old),
            (Some("2025-06-18"), newer),
            (Some(" 2025-11-25 "), newer),
            (Some(MODERN), modern),
            (Some("1900-01-01"), before_all),
            (Some("2099-01-01"), after_all),
            (Some("latest"), after_all),
        ] {
            // The service ignores sessions and method headers of older clients.
            let stale = [("mcp-session-id", "5"), ("last-event-id", "5")];
            let version = version.map(|version| ("mcp-protocol-version", version));
            let call = legacy(shared()).headers(&stale).headers(version.as_slice());
            let answer = call.body(&message.to_string()).send();
            let case = format!("{version:?} {message}: {}", answer.text);
            assert_eq!(answer.status, status, "{case}");
            assert_bare(&answer);
            match code {
                Some(code) => assert_eq!(answer.json()["error"]["code"], code, "{case}"),
                None if status == 202 => assert_eq!(answer.text, ""),
                None => {
                    assert!(!answer.text.contains("error"), "{case}");
                    assert_eq!(answer.json().is_array(), message.is_array(), "{case}");
                }
            }
        }
    }
}

#[test]
fn older_messages_of_every_kind_are_refused_only_where_json_is_excluded() {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let request: Value = serde_json::from_str(&ping()).unwrap();
    let messages = [
        request.clone(),
        note.clone(),
        json!({"jsonrpc": "2.0", "id": 1, "result": {}}),
        json!([request]),
    ];
    let send = |message: &Value, header: &[(&str, &str)]| {
        post(PATHS[0], &[&[JSON], header].concat(), &message.to_string())
    };
    let stream = ("accept", "text/event-stream");
    for message in &messages {
        for header in [
            &[][..],
            &[("accept", "application/json")],
            &[("accept", "*/*")],
            &[("accept", "Text/Event-Stream;q=0.1 , application/json;q=0.1")],
            &[stream, ("accept", "application/json")],
        ] {
            let answer = send(message, header);
            assert!(answer.status < 300, "{message} {header:?}: {}", answer.text);
        }
        for header in [stream, ("accept", "application/json;q=0, */*")] {
            send(message, &[header]).fails(406, -32600);
        }
    }
    // The modern revision requires no header for a notification.
    send(&note, &[("mcp-protocol-version", MODERN)]).is(202);
}
