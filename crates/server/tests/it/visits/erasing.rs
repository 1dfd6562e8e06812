//! `DELETE /api/stats` erases the visits of one link.

use serde_json::{Value, json};

use crate::support::server::{Answer, Server, eventually};

fn erase(server: &Server, query: &str) -> Answer {
    let path = format!("/api/stats?{query}");
    server.api("DELETE", &path).send()
}

fn of_slug(server: &Server, slug: &str) -> u64 {
    let path = format!("/api/stats/counters?slug={slug}");
    let answer = server.api("GET", &path).send().json();
    answer["data"][0]["visits"].as_u64().unwrap()
}

/// Two links: one with four visits, one with two.
fn visited() -> Server {
    let server = Server::start();
    for slug in ["docs", "kept"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    for slug in ["/docs", "/docs", "/docs", "/docs", "/kept", "/kept"] {
        server.visit(slug);
    }
    server.counters_with("", 6);
    server
}

#[test]
fn visits_before_the_answer_are_gone_and_later_ones_are_counted() {
    let server = visited();
    // These are still in the recorder's queue.
    for _ in 0..10 {
        server.visit("/docs");
    }
    let answer = erase(&server, "slug=DOCS").is(200);
    assert_eq!(answer.json()["erased"], true);
    assert_eq!(of_slug(&server, "docs"), 0);
    assert_eq!(of_slug(&server, "kept"), 2);
    for _ in 0..3 {
        server.visit("/docs");
    }
    eventually("the new visits are counted", || {
        of_slug(&server, "docs") == 3
    });
    server.counters_with("", 5);

    let trail = server
        .api("GET", "/api/audit?operation=visits.erase")
        .send()
        .json();
    assert_eq!(trail["lines"][0]["slug"], "docs", "{trail}");
    assert_eq!(trail["lines"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_link_that_is_gone_is_named_by_its_id() {
    let server = visited();
    let link: Value = server.api("GET", "/api/link/query?slug=docs").send().json();
    let id = link["id"].as_str().unwrap().to_owned();
    let deleted = server
        .api("POST", "/api/link/delete")
        .json(&json!({"slug": "docs"}));
    assert_eq!(deleted.send().status, 204);
    let missing = erase(&server, "slug=docs");
    assert_eq!(
        (missing.status, missing.json()["code"].as_str()),
        (404, Some("link_not_found"))
    );
    server.counters_with("", 6);
    let answer = erase(&server, &format!("id={id}")).is(200);
    assert_eq!(answer.json()["id"], id);
    server.counters_with("", 2);
}
