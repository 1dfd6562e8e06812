//! Requests that clients send again under an `Idempotency-Key`.

use std::thread;

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::server::{Answer, Server};

fn send(server: &Server, path: &str, key: &str, body: &Value) -> Answer {
    let call = server.api("POST", path).header("idempotency-key", key);
    call.json(body).send()
}

fn links(server: &Server) -> Value {
    let count = server.get("/api/link/count?status=all");
    count.json()["count"].clone()
}

/// What two answers to one request have in common.
fn assert_same(first: &Answer, again: &Answer) {
    assert_eq!(again.status, first.status, "{}", again.text);
    assert_eq!(again.text, first.text);
    assert_eq!(again.header("content-type"), first.header("content-type"));
    assert!(!first.response.headers().contains_key("idempotent-replayed"));
    assert_eq!(again.header("idempotent-replayed"), "true");
}

#[test]
fn every_operation_with_a_key_is_done_once() {
    let server = Server::start();
    let url = json!({"url": "https://example.com/", "password": "pw"});
    for path in ["/api/link/create", "/api/link/upsert"] {
        let first = send(&server, path, "\"one\"", &url);
        if path == "/api/link/upsert" {
            assert_eq!(first.status, 422, "another route: {}", first.text);
            assert_eq!(first.json()["code"], "idempotency_key_reused");
            continue;
        }
        assert_eq!(first.status, 201, "{}", first.text);
        // The bare form is the same key.
        let again = send(&server, path, "one", &url);
        assert_same(&first, &again);
        assert_eq!(again.header("etag"), first.header("etag"));
    }
    let upsert = |key| send(&server, "/api/link/upsert", key, &url);
    assert_same(&upsert("two"), &upsert("two"));
    let existing = json!({"url": "https://example.com/", "slug": "docs"});
    server.create(&existing);
    let upsert = || send(&server, "/api/link/upsert", "three", &existing);
    let first = upsert().is(200);
    assert_same(&first, &upsert());

    let import = json!({"version": "1", "links": [
        {"url": "https://example.com/", "slug": null}, {"url": "https://e.example/", "slug": "docs"},
    ]});
    let import = || send(&server, "/api/link/import", "four", &import);
    let first = import();
    assert_eq!(first.json()["success"], 1, "{}", first.text);
    assert_eq!(first.json()["skipped"], 1);
    assert_same(&first, &import());
    assert_eq!(links(&server), 4);

    let delete = json!({"action": "delete", "slugs": ["docs"]});
    let delete = || send(&server, "/api/link/batch", "five", &delete);
    let first = delete();
    assert_eq!(
        first.json()["results"][0]["outcome"],
        "done",
        "{}",
        first.text
    );
    server.create(&existing);
    assert_same(&first, &delete());
    assert_eq!(links(&server), 4, "the new link stays");

    let patch = |comment| {
        let body = json!({"slug": "docs", "comment": comment});
        let patched = server.call("PATCH", "/api/link/edit", &body);
        patched.json()["link"]["id"].clone()
    };
    let id = [patch("a"), patch("b")][1].clone();
    // Each restore by itself undoes one more change.
    let restore = json!({"id": id});
    let restore = || send(&server, "/api/link/restore", "six", &restore);
    let first = restore();
    assert_eq!(first.json()["link"]["comment"], "a", "{}", first.text);
    assert_same(&first, &restore());
    let query = server.get("/api/link/query?slug=docs");
    assert_eq!(query.json()["comment"], "a");
    let trashed = json!({"slug": "docs"});
    server.post("/api/link/delete", &trashed);
    let back = json!({"id": id});
    let back = || send(&server, "/api/link/restore", "seven", &back);
    let first = back();
    assert_eq!(first.status, 200, "{}", first.text);
    assert_same(&first, &back());

    let other = json!({"url": "https://other.example/"});
    send(&server, "/api/link/create", "one", &other).refuses(422, "idempotency_key_reused");
}

#[rstest]
fn of_one_request_sent_many_times_at_once_each_gets_the_same_answer(
    #[values("sqlite", "postgres")] database: &str,
) {
    let server = Server::start_on(database);
    for round in 0..5 {
        // Other tests use the same PostgreSQL database.
        let slug = format!("at-once-{database}-{}-{round}", std::process::id());
        let body = json!({"url": "https://example.com/", "slug": slug, "id": slug});
        let answers: Vec<Answer> = thread::scope(|scope| {
            let create = || send(&server, "/api/link/create", &slug, &body);
            let calls: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
            calls.into_iter().map(|call| call.join().unwrap()).collect()
        });
        for answer in &answers {
            assert_eq!(answer.status, 201, "{}", answer.text);
            assert_eq!(answer.text, answers[0].text);
        }
    }
}

#[test]
fn what_was_refused_may_be_tried_again_and_what_was_checked_leaves_no_key() {
    let server = Server::start();
    let docs = json!({"url": "https://example.com/", "slug": "docs"});
    server.create(&docs);
    let create = || send(&server, "/api/link/create", "k", &docs);
    create().is(409);
    let delete = json!({"slug": "docs"});
    server.post("/api/link/delete", &delete);
    let mut checked = docs.clone();
    checked["validateOnly"] = json!(true);
    send(&server, "/api/link/create", "k", &checked).is(200);
    let made = create().is(201);
    assert_same(&made, &create());

    for wrong in ["", "\"a", &"k".repeat(256)] {
        let refused = send(&server, "/api/link/create", wrong, &docs).is(400);
        assert_eq!(refused.fault(), "Idempotency-Key");
    }
}

#[test]
fn a_reused_link_is_the_answer_again_and_each_token_has_keys_of_its_own() {
    let server = Server::start();
    let body = json!({"url": "https://example.com/", "reuse": true});
    let first = server.create(&body);
    let reuse = || send(&server, "/api/link/create", "k", &body);
    let reused = reuse();
    assert_eq!(reused.status, 200);
    assert_eq!(reused.json()["link"]["id"], first["link"]["id"]);
    assert_same(&reused, &reuse());

    let token = json!({"name": "other", "scopes": ["links:read", "links:write"]});
    let token = server.post("/api/tokens", &token).json();
    let token = token["token"].as_str().expect("a token").to_owned();
    server
        .request("POST", "/api/link/create")
        .header("authorization", &format!("Bearer {token}"))
        .header("idempotency-key", "k")
        .json(&json!({"url": "https://other.example/"}))
        .send()
        .is(201);
}
