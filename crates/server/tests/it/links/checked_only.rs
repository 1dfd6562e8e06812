//! Links that are only checked, and equal links that are reused.

use serde_json::{Value, json};

use crate::{mcp::wire::call_tool, support::server::Server};

fn links(server: &Server) -> Value {
    let count = server.get("/api/link/count?status=all");
    count.json()["count"].clone()
}

/// The number of lines in the audit trail.
fn lines(server: &Server) -> usize {
    let trail = server.get("/api/audit").json();
    trail["lines"].as_array().expect("lines").len()
}

#[test]
fn nothing_is_stored_by_any_change_that_is_only_checked() {
    let server = Server::start();
    let old = server.create(&json!({"url": "https://old.example/", "slug": "old"}));
    let (count, trail) = (links(&server), lines(&server));

    let new = json!({"url": "https://new.example/", "password": "pw", "validateOnly": true});
    for path in ["/api/link/create", "/api/link/upsert"] {
        let shown = server.post(path, &new).is(200);
        assert!(!shown.response.headers().contains_key("etag"));
        let shown = shown.json();
        assert_eq!(shown["validateOnly"], true);
        assert_eq!(shown["link"]["slug"].as_str().unwrap().len(), 6);
        assert_eq!(shown["link"]["password"], "__SINK_MASKED__•••••");
    }
    let taken = json!({"url": "https://new.example/", "slug": "OLD", "validateOnly": true});
    assert_eq!(server.post("/api/link/create", &taken).status, 409);
    let found = server.post("/api/link/upsert", &taken).json();
    assert_eq!(
        (&found["status"], &found["link"]),
        (&json!("existing"), &old["link"])
    );

    let change = json!({"slug": "old", "url": "https://else.example/", "validateOnly": true});
    for method in ["PUT", "PATCH"] {
        let shown = server.call(method, "/api/link/edit", &change).is(200);
        assert_eq!(shown.json()["link"]["url"], "https://else.example/");
        assert_eq!(shown.json()["validateOnly"], true);
    }

    let batch = json!([
        {"url": "https://a.example/", "slug": "a"}, {"url": "https://a.example/", "slug": "old"},
        {"url": "https://a.example/", "slug": "b", "id": old["link"]["id"]},
    ]);
    let body = json!({"version": "1.0", "links": batch, "validateOnly": true});
    let shown = server.post("/api/link/import", &body).json();
    assert_eq!(shown["success"], 1, "{shown}");
    assert_eq!(shown["skipped"], 1, "{shown}");
    assert_eq!(shown["failed"], 1, "{shown}");
    let table = server
        .api("POST", "/api/link/import?validateOnly=true")
        .header("content-type", "text/csv")
        .body("slug,url\nc,https://c.example/\n")
        .send();
    assert_eq!(table.json()["success"], 1, "{}", table.text);
    assert_eq!(table.json()["validateOnly"], true);

    let tool = call_tool(&server, "create_link", &new);
    assert_eq!(tool["structuredContent"]["validateOnly"], true, "{tool}");

    assert_eq!(links(&server), count);
    assert_eq!(lines(&server), trail);
    server.leads("/old", "https://old.example/");
}

#[test]
fn what_cannot_be_only_checked_is_refused_and_not_done() {
    let server = Server::start();
    let old = server.create(&json!({"url": "https://old.example/", "slug": "old"}));
    let gone = server.create(&json!({"url": "https://gone.example/", "slug": "gone"}));
    server.post("/api/link/delete", &json!({"slug": "gone"}));
    let (count, trail) = (links(&server), lines(&server));

    let (new, id) = (json!({"url": "https://new.example/"}), &gone["link"]["id"]);
    let slug = json!({"slug": "old", "url": "https://new.example/"});
    for (method, path, body) in [
        (
            "POST",
            "delete",
            json!({"slug": "old", "validateOnly": true}),
        ),
        (
            "POST",
            "delete",
            json!({"slug": "old", "purge": true, "validateOnly": true}),
        ),
        ("POST", "delete?validateOnly=true", json!({"slug": "old"})),
        ("POST", "restore", json!({"id": id, "validateOnly": true})),
        ("POST", "create?validateOnly=true", new.clone()),
        ("POST", "upsert?validateOnly=true", new),
        ("PUT", "edit?validateOnly=true", slug.clone()),
        ("PATCH", "edit?validateOnly=true", slug),
    ] {
        let refused = server
            .call(method, &format!("/api/link/{path}"), &body)
            .is(400);
        assert_eq!(refused.fault(), "validateOnly", "{path}");
    }
    assert_eq!((links(&server), lines(&server)), (count, trail));
    let kept = server.link("old");
    assert_eq!(kept, old["link"]);
}

#[test]
fn an_equal_link_is_reused_by_both_protocols() {
    let server = Server::start();
    let body = json!({"url": "https://example.com/?a=1", "tags": ["b", "a"], "comment": "c",
        "rules": [{"when": {"device": ["ios"]}, "url": "https://ios.example/"}], "reuse": true});
    let first = server.post("/api/link/create", &body).is(201);
    let mut swapped = body.clone();
    swapped["tags"] = json!(["A", "b"]);
    let second = server.post("/api/link/create", &swapped).is(200);
    let (first_etag, second_etag) = (first.header("etag"), second.header("etag"));
    assert_eq!(first_etag, second_etag);
    let second = second.json();
    assert_eq!(second["reused"], true);
    assert_eq!(second["link"]["id"], first.json()["link"]["id"]);
    let mut checked = body.clone();
    checked["validateOnly"] = true.into();
    let shown = server.post("/api/link/create", &checked).is(200);
    let by_tool = |body| call_tool(&server, "create_link", body)["structuredContent"].clone();
    for (shown, checked) in [
        (shown.json(), json!(true)),
        (by_tool(&checked), json!(true)),
        (by_tool(&body), Value::Null),
    ] {
        assert_eq!(shown["reused"], true, "{shown}");
        assert_eq!(shown["validateOnly"], checked, "{shown}");
        assert_eq!(shown["link"]["id"], first.json()["link"]["id"]);
    }
}

#[test]
fn a_demonstration_checks_what_it_lets_people_do() {
    let server = Server::start_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]);
    let new = json!({"url": "https://new.example/", "slug": "new", "validateOnly": true});
    assert_eq!(server.post("/api/link/create", &new).status, 200);
    let edit = server.call("PUT", "/api/link/edit", &new);
    edit.refuses(403, "preview_mode");
    let import = json!({"version": "1", "links": [new], "validateOnly": true});
    let import = server.post("/api/link/import", &import);
    import.refuses(403, "preview_mode");
}

#[test]
fn a_split_end_without_a_split_is_named() {
    let server = Server::start();
    let body = json!({"url": "https://e.example/", "splitUntil": "2030-01-01T00:00:00Z"});
    let refused = server.post("/api/link/create", &body).json();
    assert_eq!(refused["data"]["issues"][0]["path"], json!(["splitUntil"]));
}
