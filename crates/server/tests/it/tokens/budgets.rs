//! One token does not take what all callers share.

use serde_json::json;

use super::{make, scopes::exchange};
use crate::support::server::{Server, TOKEN, command, eventually};

#[test]
fn a_token_writes_so_often_a_minute_on_both_faces_and_others_go_on() {
    let server = Server::start_with(&[("SLUGLINE_TOKEN_WRITES_PER_MINUTE", "3")]);
    let scopes = ["links:read", "links:write"];
    let (busy, other) = (
        make(&server, "busy", &scopes),
        make(&server, "other", &scopes),
    );
    let link = |slug: &str| json!({"url": "https://example.com/", "slug": slug});
    let create = |token: &str, slug: &str| {
        let call = server.by(token, "POST", "/api/link/create");
        call.json(&link(slug)).send()
    };
    create(&busy, "one").is(201);
    // A batch counts each of its links, and goes through if something is left.
    let batch = json!({"action": "addTags", "tags": ["a"], "slugs": ["one", "two", "three"]});
    let call = server.by(&busy, "POST", "/api/link/batch");
    call.json(&batch).send().is(200);
    let refused = create(&busy, "two").refuses(429, "too_many_writes");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("at most 3 times a minute"), "{message}");
    let call = json!({"name": "create_link", "arguments": link("two")});
    let tool = exchange(&server, &busy, "tools/call", call);
    let text = tool["content"][0]["text"].as_str().unwrap();
    assert_eq!(tool["isError"], true);
    assert!(text.contains("429 Too many writes"), "{text}");
    let import = json!({"version": "1.0", "links": [link("two")]});
    let call = server.by(&busy, "POST", "/api/link/import");
    call.json(&import).send().is(429);

    server
        .by(&busy, "GET", "/api/link/query?slug=one")
        .send()
        .is(200);
    create(&other, "two").is(201);
    for slug in ["three", "four", "five", "six", "seven"] {
        server.create(&link(slug));
    }
}

#[test]
fn a_token_watches_visits_twice_and_leaves_room_for_others() {
    let server = Server::start();
    let token = make(&server, "screen", &["analytics:read"]);
    let watch = |token: &str| {
        let url = format!("{}/api/logs/stream", server.origin());
        let call = ureq::get(url).header("authorization", format!("Bearer {token}"));
        call.call().unwrap()
    };
    let first = watch(&token);
    let _second = watch(&token);
    let third = || server.by(&token, "GET", "/api/logs/stream").send();
    let refused = third().is(429);
    assert_eq!(refused.json()["code"], "token_busy");
    let message = refused.json()["message"].as_str().unwrap().to_owned();
    assert!(message.contains("close one of them"), "{message}");
    let other = make(&server, "other", &["analytics:read"]);
    let _others = [watch(&other), watch(&other)];
    let _site: Vec<_> = (0..3).map(|_| watch(TOKEN)).collect();
    drop(first);
    // The service notices it when it sends the next line, which a visit causes.
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    eventually("the token may watch again", || {
        server.visit("/docs");
        let url = format!("{}/api/logs/stream", server.origin());
        let call = ureq::get(url).header("authorization", format!("Bearer {token}"));
        call.call().is_ok()
    });
}

#[test]
fn a_token_exports_one_file_at_a_time_and_again_once_its_client_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    // More visits than the buffers of a connection hold.
    let seed = ["seed", "--visits", "60000"];
    let seeded = command(folder.path()).args(seed).output().unwrap();
    assert!(seeded.status.success(), "{seeded:?}");
    let server = Server::start_in(folder, &[]);
    let token = make(&server, "exporter", &["analytics:read"]);
    let export = |token: &str| {
        let url = format!("{}/api/logs/export?format=csv", server.origin());
        let call = ureq::get(url).header("authorization", format!("Bearer {token}"));
        call.call()
    };
    let first = export(&token).unwrap();
    for path in ["/api/logs/export", "/api/stats/export"] {
        server
            .by(&token, "GET", path)
            .send()
            .refuses(429, "token_busy");
    }
    let counters = server.by(&token, "GET", "/api/stats/counters").send();
    assert_eq!(counters.status, 200, "a question is no export");
    assert!(export(TOKEN).is_ok());
    drop(first);
    eventually("the token may export again", || export(&token).is_ok());
}
