//! Changing links through REST.

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

fn put(server: &Server, body: &Value) -> Answer {
    server.call("PUT", "/api/link/edit", body)
}

#[test]
fn put_replaces_everything_but_identity_and_password() {
    let server = Server::start();
    let made = server.create(&json!({
        "url": "https://example.com/", "slug": "docs", "comment": "c", "tags": ["a"],
        "password": "letmein", "title": "t", "cloaking": true, "geo": {"DE": "https://example.de/"},
        "createdAt": 1000, "updatedAt": 4_000_000_000i64,
    }));
    server.visit("/docs").is(200);
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
    server.leads("/docs", "https://example.org/");
}

#[test]
fn no_link_may_lead_to_itself() {
    let set = [("SLUGLINE_BASE_URL", "https://sl.example")];
    // Without the setting the origin is the one that the client requested.
    for settings in [&set[..], &[]] {
        let server = Server::start_with(settings);
        let origin = settings.first().map_or(server.origin(), |(_, url)| url);
        let own = json!({"slug": "docs", "url": format!("{origin}/DOCS/")});
        let refused = server.post("/api/link/create", &own).is(400);
        assert_eq!(refused.fault(), "url");
        let by_tool = call_tool(&server, "create_link", &own).to_string();
        for text in [refused.text, by_tool] {
            assert!(text.contains("visitors in circles"), "{text}");
        }
    }
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
