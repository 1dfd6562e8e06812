//! Changing links through REST.

use serde_json::{Value, json};

use crate::{
    api::main_job::unix_seconds,
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

fn put(server: &Server, body: &Value) -> Answer {
    server.call("PUT", "/api/link/edit", body)
}

fn patch(server: &Server, body: &Value) -> Answer {
    server.call("PATCH", "/api/link/edit", body)
}

#[test]
fn put_replaces_everything_but_identity_and_password() {
    let server = Server::start();
    let made = server.create(&json!({
        "url": "https://example.com/", "slug": "docs", "comment": "c", "tags": ["a"],
        "password": "letmein", "title": "t", "cloaking": true, "geo": {"DE": "https://example.de/"},
        "createdAt": 1000, "updatedAt": 4_000_000_000i64,
    }));
    assert_eq!(
        server.visit("/docs").status,
        200,
        "the password is asked for"
    );
    let edited = put(
        &server,
        &json!({"slug": "DOCS", "url": "https://example.org/"}),
    );
    assert_eq!(edited.status, 201, "{}", edited.text);
    let link = edited.json()["link"].clone();
    assert_eq!(
        edited.json()["shortLink"],
        format!("{}/docs", server.origin())
    );
    let expected = json!({
        "id": made["link"]["id"], "url": "https://example.org/", "slug": "docs",
        "createdAt": 1000, "updatedAt": link["updatedAt"],
        "password": "__SINK_MASKED__•••••", "tags": [],
    });
    assert_eq!(link, expected);
    assert_eq!(server.link("docs"), expected);
    let changed_at = link["updatedAt"].as_i64().unwrap();
    assert!((1001..4_000_000_000).contains(&changed_at), "{changed_at}");

    let unlocked = put(
        &server,
        &json!({"slug": "docs", "url": "https://example.org/", "password": ""}),
    );
    assert!(unlocked.json()["link"].get("password").is_none());
    assert_eq!(
        server.visit("/docs").header("location"),
        "https://example.org/"
    );
}

#[test]
fn patch_changes_what_it_names_and_null_removes() {
    let server = Server::start();
    server.create(&json!({
        "url": "https://example.com/", "slug": "docs", "comment": "c", "tags": ["a", "b"],
        "password": "letmein", "expiration": 4_000_000_000i64,
    }));
    let changed = patch(
        &server,
        &json!({"slug": "docs", "tags": ["z"], "comment": null, "title": "t"}),
    )
    .is(200);
    let link = server.link("docs");
    assert_eq!(changed.json()["link"], link);
    assert_eq!(
        (&link["tags"], &link["title"]),
        (&json!(["z"]), &json!("t"))
    );
    assert!(link.get("comment").is_none());
    assert_eq!(link["password"], "__SINK_MASKED__•••••");
    assert_eq!(link["expiration"], 4_000_000_000i64);

    patch(
        &server,
        &json!({"slug": "docs", "password": null, "expiration": null}),
    );
    let link = server.link("docs");
    assert!(link.get("password").is_none() && link.get("expiration").is_none());
    assert_eq!(
        server.visit("/docs").header("location"),
        "https://example.com/"
    );
}

#[test]
fn no_link_may_lead_to_itself() {
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", "https://sl.example")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let own = json!({"slug": "docs", "url": "https://sl.example/DOCS/"});
    let create = |path: &str, body: &Value| server.post(path, body);
    for refused in [
        create("/api/link/create", &own),
        create("/api/link/upsert", &own),
        put(&server, &own),
        patch(&server, &own),
    ] {
        assert_eq!(refused.status, 400, "{}", refused.text);
        assert_eq!(refused.fault(), "url");
        let message = refused.json()["message"].as_str().unwrap().to_owned();
        assert!(message.contains("visitors in circles"), "{message}");
    }
    let by_country = json!({"slug": "docs", "geo": {"DE": "https://sl.example/docs"}});
    let refused = patch(&server, &by_country).json();
    assert_eq!(refused["data"]["issues"][0]["path"], json!(["geo", "DE"]));
    for tool in ["create_link", "update_link", "upsert_link"] {
        let text = call_tool(&server, tool, &own)["content"][0]["text"].to_string();
        assert!(
            text.contains("url: ") && text.contains("in circles"),
            "{tool}: {text}"
        );
    }
    let other = json!({"slug": "docs", "url": "https://sl.example/guide"});
    assert_eq!(put(&server, &other).status, 201);

    // Without the setting the origin is the one that the client requested.
    let server = Server::start();
    let own = json!({"slug": "docs", "url": format!("{}/docs", server.origin())});
    server.post("/api/link/create", &own).is(400);
}

#[test]
fn a_destination_has_two_slashes_and_a_host_everywhere() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let bad = "https:docs";
    let link = json!({"slug": "docs", "url": bad});
    let post = |path: &str, body: &Value| server.post(path, body);
    let refusals = [
        (post("/api/link/create", &link), json!(["url"])),
        (post("/api/link/upsert", &link), json!(["url"])),
        (put(&server, &link), json!(["url"])),
        (patch(&server, &link), json!(["url"])),
        (
            patch(&server, &json!({"slug": "docs", "geo": {"DE": bad}})),
            json!(["geo", "DE"]),
        ),
        (
            patch(&server, &json!({"slug": "docs", "apple": bad})),
            json!(["apple"]),
        ),
        (
            post(
                "/api/link/import",
                &json!({"version": "1.0", "links": [link]}),
            ),
            json!(["links", "0", "url"]),
        ),
    ];
    for (refused, member) in refusals {
        assert_eq!(refused.status, 400, "{}", refused.text);
        let issue = refused.json()["data"]["issues"][0].clone();
        assert_eq!(issue["path"], member);
        assert_eq!(
            issue["expected"],
            "two slashes after \"https:\", such as https://example.com/"
        );
    }
    assert_eq!(
        server.visit("/docs").header("location"),
        "https://example.com/"
    );
}

#[test]
fn quick_changes_do_not_run_ahead_of_the_clock() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    for change in 0..50 {
        patch(
            &server,
            &json!({"slug": "docs", "comment": change.to_string()}),
        )
        .is(200);
    }
    let now = unix_seconds();
    let changed_at = server.link("docs")["updatedAt"].as_u64().unwrap();
    assert!(changed_at <= now, "{changed_at} is after {now}");
}

#[test]
fn a_taken_slug_comes_with_one_that_is_free() {
    let server = Server::start();
    let link = json!({"url": "https://example.com/", "slug": "docs"});
    server.create(&link);
    let refused = server.post("/api/link/create", &link).is(409);
    let refused = refused.json();
    assert_eq!(refused["freeSlug"], "docs-2");
    let message = refused["message"].as_str().unwrap();
    assert!(
        message.contains(r#"the slug "docs-2" is free"#),
        "{message}"
    );
}

#[test]
fn concurrent_patches_all_take_effect() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let members = ["comment", "title", "description", "image"];
    std::thread::scope(|scope| {
        for member in members {
            let server = &server;
            scope.spawn(move || {
                patch(server, &json!({"slug": "docs", member: member})).is(200);
            });
        }
    });
    let link = server.link("docs");
    for member in members {
        assert_eq!(link[member], member, "{link}");
    }
}

#[test]
fn upsert_makes_or_finds() {
    let server = Server::start();
    let upsert = |body: &Value| server.post("/api/link/upsert", body);
    let made = upsert(&json!({"url": "https://example.com/1", "slug": "docs"}));
    assert_eq!(
        (made.status, &made.json()["status"]),
        (201, &json!("created"))
    );
    let found = upsert(&json!({"url": "https://example.com/2", "slug": "Docs"}));
    assert_eq!(
        (found.status, &found.json()["status"]),
        (200, &json!("existing"))
    );
    assert_eq!(found.json()["link"], made.json()["link"]);
    assert_eq!(found.json()["shortLink"], made.json()["shortLink"]);
    assert_eq!(upsert(&json!({"url": "https://example.com/3"})).status, 201);
}

#[test]
fn the_token_can_be_verified() {
    let server = Server::start();
    let told = server.get("/api/verify").json();
    let expected = json!({
        "name": "Slugline", "url": server.origin(), "authMethod": "site-token",
        "userID": "root", "userEmail": "root@127.0.0.1", "accessEnabled": false,
        "tokenName": "site",
        "scopes": ["links:read", "links:write", "analytics:read", "admin"],
    });
    assert_eq!(told, expected);
    server.request("GET", "/api/verify").send().is(401);
}
