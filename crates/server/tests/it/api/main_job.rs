//! Creates links through REST and MCP, follows them, reads the visits back.

use serde_json::json;
use slugline_domain::ports::Clock;
use slugline_system::SystemClock;

use crate::{mcp::wire::call_tool, support::server::Server};

#[test]
fn links_made_by_rest_and_by_mcp_are_followed_and_counted_on_both_faces() {
    let server = Server::start();
    let by_rest = server.create(&json!({"url": "https://example.com/rest", "slug": "Rest"}));
    let by_mcp = call_tool(
        &server,
        "create_link",
        &json!({"url": "https://example.com/mcp", "slug": "mcp"}),
    );
    assert_eq!(by_rest["shortLink"], format!("{}/rest", server.origin()));
    assert_eq!(
        by_mcp["structuredContent"]["shortLink"],
        format!("{}/mcp", server.origin())
    );

    for (path, destination) in [
        ("/rest", "https://example.com/rest"),
        ("/REST/", "https://example.com/rest"),
        ("/mcp", "https://example.com/mcp"),
    ] {
        let followed = server.visit(path).is(301);
        assert_eq!(followed.header("location"), destination);
        assert_eq!(followed.header("cache-control"), "private, max-age=90");
    }

    let all = server.counters_with("", 3);
    assert_eq!(all["data"][0]["visitors"], 1);
    assert_eq!(
        all["sampling"],
        json!({"interval_max": 1, "exact": true, "dropped": 0})
    );
    let id = by_rest["link"]["id"].as_str().unwrap();
    let one = server.counters_with(&format!("id={id}"), 2);
    assert_eq!(
        one["data"],
        json!([{"id": id, "visits": 2, "visitors": 1, "referers": 0}])
    );
    let through_mcp = call_tool(&server, "get_analytics_counters", &json!({"id": id}));
    assert_eq!(through_mcp["structuredContent"], one);
}

#[test]
fn both_faces_show_the_same_record() {
    let server = Server::start();
    let full = json!({
        "url": "https://example.com/", "slug": "full", "comment": "c", "tags": ["b", "a"],
        "expiration": 4_000_000_000i64, "password": "hunter2", "title": "t", "description": "",
        "image": "/i.png", "apple": "https://a.example/", "google": "https://g.example/",
        "geo": {"DE": "https://d.example/"}, "redirectWithQuery": true, "cloaking": false,
        "proxy": false, "unsafe": false,
    });
    server.create(&full);
    let by_rest = server.link("FULL");
    let by_mcp = call_tool(&server, "get_link", &json!({"slug": "full"}));
    assert_eq!(by_mcp["structuredContent"], by_rest);
    assert_eq!(by_rest["password"], "__SINK_MASKED__•••••");
    assert_eq!(by_rest["tags"], json!(["a", "b"]));
    for (member, value) in full.as_object().unwrap() {
        if member != "password" && member != "tags" {
            assert_eq!(&by_rest[member], value, "{member}");
        }
    }
    assert!(!server.visit("/full").text.contains("hunter2"));
}

#[test]
fn an_acknowledged_link_survives_a_kill_and_visits_survive_a_stop() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let folder = server.kill();

    let server = Server::start_in(folder, &[]);
    for _ in 0..20 {
        server.visit("/docs").is(301);
    }
    let (status, folder) = server.stop("TERM");
    assert!(status.success(), "{status}");

    let server = Server::start_in(folder, &[]);
    let counted = server.get("/api/stats/counters").json();
    assert_eq!(counted["data"][0]["visits"], 20);
}

/// The clock that the server under test reads, too.
pub(crate) fn unix_seconds() -> u64 {
    SystemClock.now().second().get().try_into().unwrap()
}
