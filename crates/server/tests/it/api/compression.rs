//! Answers that are compressed for clients that take it.

use std::io::{Read, Write};

use serde_json::json;

use crate::support::server::{Server, request};

/// The head of an answer to a client that takes gzip, in lower case, and its body.
fn packed(server: &Server, method: &str, path: &str, body: &str) -> (String, Vec<u8>) {
    let mut stream = server.connect();
    let headers = "accept-encoding: gzip\r\nconnection: close\r\n";
    let sent = request(method, path, headers, body);
    stream.write_all(sent.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let end = answer
        .windows(4)
        .position(|end| end == b"\r\n\r\n")
        .unwrap();
    let body = answer.split_off(end);
    (String::from_utf8(answer).unwrap().to_lowercase(), body)
}

#[test]
fn answers_of_the_api_are_compressed_unless_they_tell_a_secret() {
    const GZIP: &str = "content-encoding: gzip";
    let server = Server::start();
    for number in 0..40 {
        server.create(&json!({"slug": format!("link-{number}"), "url": "https://example.com/"}));
    }
    let plain = server.get("/api/link/list");
    assert_eq!(plain.header("content-encoding"), "");
    assert_eq!(plain.header("vary"), "accept-encoding");
    for path in ["/api/link/list", "/api/link/export?format=csv"] {
        let whole = server.get(path).is(200).text;
        let (head, body) = packed(&server, "GET", path, "");
        assert!(
            head.contains(GZIP) && head.contains("vary: accept-encoding"),
            "{path}: {head}"
        );
        assert!(
            body.len() * 2 < whole.len(),
            "{path}: {} of {}",
            body.len(),
            whole.len()
        );
    }
    let scopes = ["links:read", "links:write", "analytics:read"];
    let slugs: Vec<_> = (0..40).map(|number| format!("link-{number}")).collect();
    let token = json!({"name": "a", "scopes": scopes, "slugs": slugs}).to_string();
    let (head, _) = packed(&server, "POST", "/api/tokens", &token);
    assert!(head.starts_with("http/1.1 201"), "{head}");
    assert!(
        !head.contains(GZIP) && head.contains("no-transform"),
        "{head}"
    );
    let (head, _) = packed(&server, "GET", "/link-1", "");
    assert!(!head.contains("content-encoding"), "{head}");
}
