//! Changes and deletions can be seen and undone, and links can be erased.

use rstest::rstest;
use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Answer, Server},
    tokens::make,
};

/// Makes a token that is bound to the tag `mine`.
fn bound_to_mine(server: &Server) -> String {
    let asked = json!({"name": "bound", "scopes": ["links:read", "links:write"], "tags": ["mine"]});
    let made = server.post("/api/tokens", &asked);
    made.json()["token"].as_str().unwrap().to_owned()
}

fn call(server: &Server, token: &str, method: &str, path: &str, body: &Value) -> Answer {
    let call = server.by(token, method, path);
    if body.is_null() {
        call.send()
    } else {
        call.json(body).send()
    }
}

#[rstest]
fn what_was_changed_and_deleted_is_seen_and_undone(#[values("sqlite", "postgres")] database: &str) {
    let server = Server::start_on(database);
    // Other tests use the same PostgreSQL database.
    let slug = format!("undone-{database}-{}", std::process::id());
    let writer = make(&server, &slug, &["links:read", "links:write"]);
    let made = server.create(&json!({"url": "https://example.com/", "slug": slug, "maxVisits": 9}));
    let id = made["link"]["id"].as_str().unwrap();
    let change = json!({"slug": slug, "url": "https://example.org/", "password": "pw"});
    let changed = call(&server, &writer, "PATCH", "/api/link/edit", &change).is(200);

    let path = format!("/api/link/history?slug={slug}");
    let history = call(&server, &writer, "GET", &path, &Value::Null).json();
    assert_eq!(history["id"], id);
    let versions = history["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 2);
    assert_eq!(versions[0]["version"], 2);
    assert_eq!(versions[0]["by"], slug);
    assert_eq!(versions[0]["operation"], "link.edit");
    assert_eq!(versions[0]["current"], true);
    assert_eq!(
        versions[0]["members"],
        json!([
            {"name": "password", "old": null, "new": "__SINK_MASKED__•••••"},
            {"name": "url", "old": "https://example.com/", "new": "https://example.org/"},
        ])
    );
    assert_eq!(versions[1]["version"], 1);
    assert!(versions[1]["by"].is_null());

    let restore = json!({"id": id, "version": 1});
    let restored = call(&server, &writer, "POST", "/api/link/restore", &restore).is(200);
    assert_eq!(restored.json()["link"]["url"], "https://example.com/");
    assert!(restored.json()["link"]["password"].is_null());
    assert_ne!(restored.header("etag"), changed.header("etag"));
    server.leads(&format!("/{slug}"), "https://example.com/");

    let named = json!({"slug": slug});
    call(&server, &writer, "POST", "/api/link/delete", &named).is(204);
    server.visit(&format!("/{slug}")).is(404);
    let trash = call(
        &server,
        &writer,
        "GET",
        "/api/link/trash?limit=1",
        &Value::Null,
    )
    .json();
    let last = &trash["links"][0];
    assert_eq!(last["link"]["id"], id);
    assert_eq!(last["link"]["visitsLeft"], 8);
    assert_eq!(
        (&last["version"], &last["deletedBy"]),
        (&json!(3), &json!(slug))
    );
    let kept = last["until"].as_i64().unwrap() - last["deletedAt"].as_i64().unwrap();
    assert_eq!(kept, 30 * 86_400);
    let path = format!("/api/link/history?id={id}");
    let history = call(&server, &writer, "GET", &path, &Value::Null).json();
    assert_eq!(history["deleted"]["by"], slug);
    assert_eq!(history["versions"][0]["operation"], "link.restore");

    server.create(&json!({"url": "https://example.net/", "slug": slug}));
    let restore = json!({"id": id});
    let taken = call(&server, &writer, "POST", "/api/link/restore", &restore).is(409);
    let free = taken.json()["freeSlug"].as_str().unwrap().to_owned();
    assert_eq!(free, format!("{slug}-2"));
    let elsewhere = json!({"id": id, "slug": free});
    let restored = call(&server, &writer, "POST", "/api/link/restore", &elsewhere).is(200);
    assert_eq!(restored.json()["link"]["visitsLeft"], 8);
    server.leads(&format!("/{free}"), "https://example.com/");
    let audit = server.get(&format!("/api/audit?slug={free}"));
    assert_eq!(audit.json()["lines"][0]["operation"], "link.restore");
}

#[rstest]
fn what_is_purged_is_gone_and_needs_admin(#[values("sqlite", "postgres")] database: &str) {
    let server = Server::start_on(database);
    let slug = format!("purged-{database}-{}", std::process::id());
    let writer = make(&server, &slug, &["links:read", "links:write"]);
    for by_id in [false, true] {
        let made = server.create(&json!({"url": "https://example.com/", "slug": slug}));
        let id = made["link"]["id"].as_str().unwrap();
        let change = json!({"slug": slug, "comment": "secret"});
        call(&server, &writer, "PATCH", "/api/link/edit", &change);
        let purge = if by_id {
            call(
                &server,
                &writer,
                "POST",
                "/api/link/delete",
                &json!({"slug": slug}),
            )
            .is(204);
            json!({"id": id, "purge": true})
        } else {
            json!({"slug": slug, "purge": true})
        };
        call(&server, &writer, "POST", "/api/link/delete", &purge).refuses(403, "missing_scope");
        for _ in 0..2 {
            server.post("/api/link/delete", &purge).is(204);
        }
        server.visit(&format!("/{slug}")).is(404);
        let path = format!("/api/link/history?id={id}");
        server.get(&path).is(404);
        let restore = server
            .api("POST", "/api/link/restore")
            .json(&json!({"id": id}));
        restore.send().is(404);
        let audit = server.get(&format!("/api/audit?slug={slug}"));
        assert_eq!(audit.json()["lines"][0]["operation"], "link.purge");
    }
}

#[test]
fn tools_say_where_a_person_can_undo_what_they_did() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "https://sl.example"),
        ("SLUGLINE_ADMIN_HOST", "127.0.0.1"),
        ("SLUGLINE_DOMAINS", "go.example"),
    ]);
    let undo = |tool: &str, arguments: &Value| {
        let result = call_tool(&server, tool, arguments);
        result["structuredContent"]["undo"].clone()
    };
    let dashboard = "https://127.0.0.1/_dashboard";
    for (domain, key, of_domain) in [
        ("", "docs", ""),
        ("go.example", "go.example/docs", "?domain=go.example"),
    ] {
        let of = |mut arguments: Value| {
            arguments["slug"] = "docs".into();
            arguments["domain"] = domain.into();
            arguments
        };
        server.create(&of(json!({"url": "https://example.com/"})));
        let change = of(json!({"partial": true, "comment": "c"}));
        let said = format!(
            "Version 1 is kept; a person can bring it back at {dashboard}/links?history={key}"
        );
        assert_eq!(undo("update_link", &change), said);
        let same = of(json!({"url": "https://example.com/", "comment": "c"}));
        for nothing in [change, same] {
            assert_eq!(undo("update_link", &nothing), Value::Null);
        }
        let said = format!(
            "Version 2 is in the trash for 30 days; a person can bring it back at \
             {dashboard}/trash{of_domain}"
        );
        assert_eq!(undo("delete_link", &of(json!({}))), said);
        assert_eq!(undo("delete_link", &of(json!({}))), Value::Null);
    }
}

#[test]
fn a_token_that_is_bound_to_a_tag_undoes_what_it_did_and_sees_no_more() {
    let server = Server::start();
    let bound = bound_to_mine(&server);
    for (slug, tag) in [("mine", "mine"), ("theirs", "theirs")] {
        let id = format!("id-{slug}");
        let link = json!({"url": "https://example.com/", "slug": slug, "id": id, "tags": [tag]});
        server.create(&link);
        server.delete_link(slug);
    }
    let trash = call(&server, &bound, "GET", "/api/link/trash", &Value::Null).json();
    let links = trash["links"].as_array().unwrap();
    assert_eq!(links.len(), 1);
    assert_eq!(links[0]["link"]["slug"], "mine");
    for (slug, status) in [("mine", 200), ("theirs", 404)] {
        let path = format!("/api/link/history?id=id-{slug}");
        call(&server, &bound, "GET", &path, &Value::Null).is(status);
        let restore = json!({"id": format!("id-{slug}")});
        call(&server, &bound, "POST", "/api/link/restore", &restore).is(status);
    }
    let unbound = json!({"url": "https://secret.example/", "slug": "late", "id": "id-late"});
    server.create(&unbound);
    let tagged = json!({"slug": "late", "url": "https://example.com/", "tags": ["mine"]});
    server.call("PATCH", "/api/link/edit", &tagged).is(200);
    let comment = json!({"slug": "late", "comment": "c"});
    call(&server, &bound, "PATCH", "/api/link/edit", &comment).is(200);
    let history = "/api/link/history?slug=late";
    let history = call(&server, &bound, "GET", history, &Value::Null);
    assert!(!history.text.contains("secret.example"), "{}", history.text);
    let versions = &history.json()["versions"];
    assert_eq!(versions.as_array().unwrap().len(), 2);
    assert_eq!(versions[1]["version"], 2);
    assert_eq!(versions[1]["members"], json!([]));
    let restore = json!({"id": "id-late", "version": 1});
    let refused = call(&server, &bound, "POST", "/api/link/restore", &restore);
    assert_eq!(
        refused.json()["code"],
        "version_not_found",
        "{}",
        refused.text
    );
}

#[test]
fn without_a_history_nothing_is_kept() {
    let server = Server::start_with(&[("SLUGLINE_HISTORY_VERSIONS", "0")]);
    let made = server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let id = made["link"]["id"].as_str().unwrap();
    let change = json!({"slug": "docs", "comment": "c"});
    server.call("PATCH", "/api/link/edit", &change).is(200);
    let history = server.get("/api/link/history?slug=docs").json();
    assert_eq!(history["versions"].as_array().unwrap().len(), 1);
    let deleted = &call_tool(&server, "delete_link", &json!({"slug": "docs"}))["structuredContent"];
    assert_eq!(deleted["deleted"], true);
    assert_eq!(deleted["undo"], Value::Null);
    assert_eq!(server.get("/api/link/trash").json()["links"], json!([]));
    let restore = server
        .api("POST", "/api/link/restore")
        .json(&json!({"id": id}));
    restore.send().is(404);
}
