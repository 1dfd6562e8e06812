//! A token works from the moment it is made until it is revoked or over, on every node.

use std::{
    fs,
    io::{BufRead, BufReader},
};

use serde_json::json;

use super::{listed, make, revoke, status_of, verify};
use crate::support::server::{Server, eventually};

#[test]
fn a_token_works_until_it_is_revoked_and_its_name_is_free_again() {
    let server = Server::start();
    let token = make(&server, "ci", &["links:write"]);
    assert_eq!(listed(&server, "ci")["lastUsedAt"], json!(null));
    let create = |slug: &str| {
        let link = json!({"url": "https://example.com/", "slug": slug});
        let call = server.by(&token, "POST", "/api/link/create").json(&link);
        call.send().status
    };
    assert_eq!(create("one"), 201);
    eventually("its use is noted", || {
        listed(&server, "ci")["lastUsedAt"].is_u64()
    });
    revoke(&server, "ci");
    assert_eq!(create("two"), 401);
    let refused = verify(&server, &token);
    assert!(refused.header("www-authenticate").contains("invalid_token"));
    refused.says("was revoked");
    assert_eq!(listed(&server, "ci"), json!(null));
    let gone = server.delete("/api/tokens?name=ci");
    gone.refuses(404, "token_not_found");
    assert_ne!(make(&server, "ci", &["links:write"]), token);
    assert_eq!(create("three"), 401, "the new token is another one");
}

#[test]
fn faults_of_a_new_token_are_named() {
    let server = Server::start();
    make(&server, "ci", &["admin"]);
    let scopes = ["links:read"];
    let taken = json!({"name": "ci", "scopes": scopes});
    server
        .post("/api/tokens", &taken)
        .refuses(409, "token_name_taken");
    for (body, faults) in [
        // These letters look like those of "site".
        (json!({"name": "ѕіте", "scopes": scopes}), &["name"][..]),
        (
            json!({"name": "x", "scopes": scopes, "expiresAt": 5}),
            &["expiresAt"],
        ),
        (
            json!({"name": "x", "scopes": scopes, "expires": 5}),
            &["expires"],
        ),
    ] {
        assert_eq!(
            server.post("/api/tokens", &body).is(400).faults(),
            faults,
            "{body}"
        );
    }
}

#[test]
fn a_token_that_is_over_says_so() {
    let server = Server::start();
    // Some seconds, in which it can be made.
    let now = std::process::Command::new("date")
        .arg("+%s")
        .output()
        .unwrap();
    let now: i64 = String::from_utf8(now.stdout)
        .unwrap()
        .trim()
        .parse()
        .unwrap();
    let brief = json!({"name": "brief", "scopes": ["admin"], "expiresAt": now + 5});
    let made = server.post("/api/tokens", &brief).is(201);
    let token = made.json()["token"].as_str().unwrap().to_owned();
    eventually("it is over", || status_of(&server, &token) == 401);
    let refused = verify(&server, &token);
    refused.says("\\\"brief\\\" ended at");
}

#[test]
fn the_text_of_a_token_is_in_no_file() {
    let server = Server::start();
    let token = make(&server, "ci", &["links:read"]);
    assert_eq!(status_of(&server, &token), 200);
    eventually("its use is noted", || {
        listed(&server, "ci")["lastUsedAt"].is_u64()
    });
    let (_, folder) = server.stop("TERM");
    let mut digests = 0;
    for entry in fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        if !path.is_file() {
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        let holds = |text: &str| {
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        assert!(!holds(&token), "{}", path.display());
        assert!(!holds(&token["slugline_".len()..]), "{}", path.display());
        digests += usize::from(holds("links:read"));
    }
    // The write-ahead log may still hold it, too, if a task of the background had the file open.
    assert!(
        digests > 0,
        "the table of tokens is in a file that was searched"
    );
}

#[test]
fn a_live_stream_ends_with_its_token() {
    let server = Server::start();
    let token = make(&server, "screen", &["analytics:read"]);
    let url = format!("{}/api/logs/stream", server.origin());
    let answer = ureq::get(url).header("authorization", format!("Bearer {token}"));
    let body = answer.call().unwrap().into_body();
    let mut lines = BufReader::new(body.into_reader()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), ": watching");
    revoke(&server, "screen");
    // Only the end of the answer ends this.
    assert!(
        lines
            .map(Result::unwrap)
            .all(|line| line.is_empty() || line.starts_with(':'))
    );
}
