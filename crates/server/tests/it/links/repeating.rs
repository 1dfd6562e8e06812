//! Requests that clients send again under a key.

use std::thread;

use rstest::rstest;
use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

fn send(server: &Server, path: &str, key: &str, body: &Value) -> Answer {
    let path = format!("/api/link/{path}");
    let call = server.api("POST", &path).header("idempotency-key", key);
    call.json(body).send()
}

fn links(server: &Server) -> Value {
    let count = server.get("/api/link/count?status=all");
    count.json()["count"].clone()
}

/// Calls a tool under a key.
fn call(server: &Server, tool: &str, key: &str, arguments: &Value) -> Value {
    let mut arguments = arguments.clone();
    arguments["idempotencyKey"] = json!(key);
    call_tool(server, tool, &arguments)
}

#[test]
fn a_repetition_is_answered_from_the_link_as_it_is_now() {
    let server = Server::start();
    let body = json!({"url": "https://example.com/", "password": "pw"});
    let first = send(&server, "create", "\"one\"", &body).is(201).json();
    let id = &first["link"]["id"];
    let patch = json!({"slug": first["link"]["slug"], "comment": "later"});
    let patched = server.call("PATCH", "/api/link/edit", &patch).is(200);
    // The bare form is the same key, and the password is left out of what is compared.
    let other_password = json!({"url": "https://example.com/", "password": "other"});
    for (path, body) in [
        ("create", &body),
        ("upsert", &body),
        ("create", &other_password),
    ] {
        let again = send(&server, path, "one", body).is(201);
        assert_eq!(again.json()["link"], patched.json()["link"]);
        assert_eq!(again.header("etag"), patched.header("etag"));
    }
    for tool in ["create_link", "upsert_link"] {
        let again = call(&server, tool, "one", &body);
        assert_eq!(again["structuredContent"]["link"]["id"], *id, "{again}");
    }
    let reuse = json!({"url": "https://example.com/a", "reuse": true});
    for _ in 0..2 {
        send(&server, "create", "two", &reuse).is(201);
    }
    let existing = json!({"url": "https://example.com/", "slug": "docs"});
    server.create(&existing);
    for _ in 0..2 {
        let upserted = send(&server, "upsert", "three", &existing).is(200);
        assert_eq!(upserted.json()["status"], "existing");
    }
    assert_eq!(links(&server), 3);
    let tables = ["/api/link/export", "/api/link/export?format=csv"];
    for shown in tables.map(|path| server.get(path).text) {
        assert!(!shown.to_lowercase().contains("request"), "{shown}");
    }
}

#[test]
fn a_key_belongs_to_one_request_until_its_link_is_purged() {
    let server = Server::start();
    let body = json!({"url": "https://example.com/"});
    let first = send(&server, "create", "k", &body).is(201).json();
    let other = json!({"url": "https://other.example/"});
    send(&server, "create", "k", &other).refuses(422, "idempotency_key_reused");
    let refused = call(&server, "create_link", "k", &other);
    assert_eq!(refused["isError"], true, "{refused}");

    let slug = first["link"]["slug"].as_str().unwrap();
    server.delete_link(slug);
    for path in ["create", "upsert"] {
        send(&server, path, "k", &body).refuses(410, "link_deleted");
        send(&server, path, "k", &other).refuses(422, "idempotency_key_reused");
    }
    let restore = json!({"id": first["link"]["id"]});
    server.post("/api/link/restore", &restore).is(200);
    let back = send(&server, "create", "k", &body).is(201).json();
    assert_eq!(back["link"]["id"], first["link"]["id"]);
    let purge = json!({"slug": slug, "purge": true});
    server.post("/api/link/delete", &purge).is(204);
    let anew = send(&server, "create", "k", &other).is(201).json();
    assert_ne!(anew["link"]["id"], first["link"]["id"]);
}

#[test]
fn an_import_that_is_repeated_brings_what_is_missing() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let row = |url: &str| json!({"url": url, "slug": null});
    let mut links = [row("https://a.example/"), row("https://b.example/")].to_vec();
    links.push(json!({"url": "https://c.example/", "slug": "docs"}));
    let import = |links: &[Value]| {
        let body = json!({"version": "1", "links": links});
        send(&server, "import", "k", &body).is(200).json()
    };
    let first = import(&links);
    assert_eq!(
        (&first["success"], &first["skipped"]),
        (&json!(2), &json!(1))
    );
    assert_eq!(import(&links), first);

    let second = first["successItems"][1]["slug"].as_str().unwrap();
    server.delete_link(second);
    server.delete_link("docs");
    links[0] = row("https://other.example/");
    let again = import(&links);
    let failed: Vec<&Value> = again["failedItems"].as_array().unwrap().iter().collect();
    assert_eq!(failed.len(), 2, "{again}");
    for (failed, why) in failed.into_iter().zip(["another link", "deleted since"]) {
        let reason = failed["reason"].as_str().unwrap();
        assert!(reason.contains(why), "{reason}");
    }
    assert_eq!(
        again["successItems"][0]["slug"], "docs",
        "the slug was free"
    );
    assert_eq!(self::links(&server), 2);
}

#[rstest]
fn of_one_request_sent_many_times_at_once_each_gets_the_same_link(
    #[values("sqlite", "postgres")] database: &str,
) {
    let server = Server::start_on(database);
    for round in 0..5 {
        // Other tests use the same PostgreSQL database.
        let slug = format!("at-once-{database}-{}-{round}", std::process::id());
        let named = json!({"url": "https://example.com/", "slug": slug, "id": slug});
        for body in [named, json!({"url": format!("https://example.com/{slug}")})] {
            let answers: Vec<Answer> = thread::scope(|scope| {
                let create = || send(&server, "create", &body.to_string(), &body);
                let calls: Vec<_> = (0..8).map(|_| scope.spawn(create)).collect();
                calls.into_iter().map(|call| call.join().unwrap()).collect()
            });
            for answer in &answers {
                assert_eq!(answer.status, 201, "{}", answer.text);
                assert_eq!(answer.text, answers[0].text);
            }
        }
    }
}

#[test]
fn what_was_refused_may_be_tried_again_and_what_was_checked_leaves_no_key() {
    let server = Server::start();
    let docs = json!({"url": "https://example.com/", "slug": "docs"});
    server.create(&docs);
    let create = || send(&server, "create", "k", &docs);
    create().is(409);
    server.delete_link("docs");
    let mut checked = docs.clone();
    checked["validateOnly"] = json!(true);
    send(&server, "create", "k", &checked).is(200);
    let made = create().is(201);
    assert_eq!(create().is(201).text, made.text);
    send(&server, "create", "k", &checked).is(409);

    for wrong in ["", "\"a", &"k".repeat(256)] {
        let refused = send(&server, "create", wrong, &docs).is(400);
        assert_eq!(refused.fault(), "Idempotency-Key");
    }
    let refused = call(&server, "create_link", "", &docs).to_string();
    assert!(refused.contains("idempotencyKey"), "{refused}");
}
