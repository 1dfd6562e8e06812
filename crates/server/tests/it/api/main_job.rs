//! Creates links through REST and MCP, follows them, reads the visits back.

use serde_json::{Value, json};
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
fn both_faces_show_the_same_record_and_the_same_faults() {
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

    let wrong = json!({"url": "nope", "tags": [""], "expiration": 5});
    let by_rest = server.post("/api/link/create", &wrong).json();
    let by_mcp = call_tool(&server, "create_link", &wrong);
    assert_eq!(by_mcp["isError"], true);
    let told = by_mcp["content"][0]["text"].as_str().unwrap();
    let issues = by_rest["data"]["issues"].as_array().unwrap();
    assert_eq!(issues.len(), 2, "{issues:?}");
    for issue in issues {
        assert!(told.contains(issue["message"].as_str().unwrap()), "{told}");
    }
}

#[test]
fn listings_page_through_everything_on_both_faces() {
    let server = Server::start();
    for i in 0..7 {
        server.create(&json!({
            "url": "https://example.com/", "slug": format!("link-{i}"), "createdAt": 1000 + i / 2,
            "tags": [if i % 2 == 0 { "even" } else { "odd" }],
        }));
    }
    let expected = [
        "link-6", "link-4", "link-5", "link-2", "link-3", "link-0", "link-1",
    ];
    let page_through = |page: &dyn Fn(&str) -> Value| {
        let mut slugs = Vec::new();
        let mut cursor = String::new();
        loop {
            let answer = page(&cursor);
            let links = answer["links"].as_array().unwrap();
            slugs.extend(
                links
                    .iter()
                    .map(|link| link["slug"].as_str().unwrap().to_owned()),
            );
            let Some(next) = answer["cursor"].as_str() else {
                assert_eq!(answer["list_complete"], true);
                return slugs;
            };
            next.clone_into(&mut cursor);
        }
    };
    let by_rest = page_through(&|cursor| {
        server
            .get(&format!("/api/link/list?limit=3&cursor={cursor}"))
            .json()
    });
    let by_mcp = page_through(&|cursor| {
        let arguments = json!({"limit": 3, "cursor": cursor});
        call_tool(&server, "list_links", &arguments)["structuredContent"].clone()
    });
    assert_eq!(by_rest, expected);
    assert_eq!(by_mcp, expected);
    let odd = server.get("/api/link/list?tag=ODD&sort=az").json();
    assert_eq!(odd["links"].as_array().unwrap().len(), 3);
}

#[test]
fn a_deleted_link_is_gone_at_once_and_its_slug_is_free_again() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/1", "slug": "docs"}));
    server.visit("/docs").is(301);
    let deleted = server.post("/api/link/delete", &json!({"slug": "DOCS"}));
    assert_eq!((deleted.status, deleted.text.as_str()), (204, ""));
    server.visit("/docs").is(404);
    server.delete_link("docs");
    server.create(&json!({"url": "https://example.com/2", "slug": "docs"}));
    assert_eq!(
        server.visit("/docs").header("location"),
        "https://example.com/2"
    );
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

#[test]
fn visits_can_be_filtered_by_what_is_known_of_them() {
    let server = Server::start_with(&[("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    for (address, country, referer) in [
        ("198.51.100.1", "DE", "https://news.example/a?secret=1"),
        ("198.51.100.2", "DE", "https://news.example/b"),
        ("198.51.100.2", "FR", ""),
    ] {
        let visit = server
            .request("GET", "/docs")
            .header("x-forwarded-for", address)
            .header("cf-ipcountry", country)
            .header("referer", referer)
            .header("accept-language", "de-DE,de;q=0.9");
        visit.send().is(301);
    }
    let all = server.counters_with("language=de-DE", 3);
    assert_eq!(all["data"][0]["visitors"], 2);
    assert_eq!(all["data"][0]["referers"], 1);
    let some = server.counters_with("country=DE&referer=news.example,other.example", 2);
    assert_eq!(some["data"][0]["visitors"], 2);
    let none = server.get("/api/stats/counters?country=IT").json();
    assert_eq!(
        none["data"],
        json!([{"visits": 0, "visitors": 0, "referers": 0}])
    );
    let early = server.get("/api/stats/counters?endAt=1000").json();
    assert_eq!(early["data"][0]["visits"], 0);
}

#[test]
fn an_expired_link_is_gone_for_visitors_and_still_there_for_its_author() {
    let server = Server::start();
    server.import_expired("brief");
    server.visit("/brief").is(410);
    server.get("/api/link/query?slug=brief").is(200);
    let active = server.get("/api/link/list").json();
    assert_eq!(active["links"], json!([]));
    let expired = server.get("/api/link/list?status=expired").json();
    assert_eq!(expired["links"][0]["slug"], "brief");
    server.create(&json!({"url": "https://example.com/again", "slug": "brief"}));
    assert_eq!(
        server.visit("/brief").header("location"),
        "https://example.com/again"
    );
}

/// The clock that the server under test reads, too.
pub(crate) fn unix_seconds() -> u64 {
    SystemClock.now().second().get().try_into().unwrap()
}
