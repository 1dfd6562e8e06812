//! The database becomes unavailable while visitors follow links.

use std::fs;

use serde_json::json;
use tempfile::NamedTempFile;

use crate::support::{
    own_database::postgres_url,
    relay::Relay,
    server::{Answer, Server, eventually},
};

/// A server that reads a link again for each visit, from a PostgreSQL that the test can cut
/// off.
pub(crate) fn start() -> (Server, Relay) {
    let (server, relay, _) = start_logged(&[]);
    (server, relay)
}

fn start_logged(more: &[(&str, &str)]) -> (Server, Relay, NamedTempFile) {
    let (relay, url) = Relay::before(&postgres_url().parse().unwrap());
    let settings = [
        ("SLUGLINE_DATABASE_URL", url.as_str()),
        ("SLUGLINE_LINK_CACHE_TTL", "0"),
    ];
    let folder = tempfile::tempdir().unwrap();
    let (server, log) = Server::start_logged(folder, &[&settings, more].concat());
    (server, relay, log)
}

/// A link, with a slug of its own, that was followed once.
fn followed_link(server: &Server, name: &str) -> String {
    let slug = format!("outage-{name}-{}", std::process::id());
    server.create(&json!({"url": "https://example.com/", "slug": slug}));
    let path = format!("/{slug}");
    assert_eq!(server.visit(&path).status, 301);
    path
}

fn assert_unavailable(answer: &Answer) {
    assert_eq!(answer.status, 503, "{}", answer.text);
    assert_eq!(answer.json()["code"], "unavailable");
    assert_eq!(answer.header("retry-after"), "5");
}

fn outlives(name: &str, take_away: impl Fn(&Relay), give_back: impl Fn(&Relay)) {
    let (server, relay) = start();
    let path = followed_link(&server, name);
    // The announcement of the new link may overtake a read, which the node then does not cache.
    eventually("the link is remembered", || {
        take_away(&relay);
        let is_remembered = server.visit(&path).status == 301;
        if !is_remembered {
            give_back(&relay);
            eventually("the link is read", || server.visit(&path).status == 301);
        }
        is_remembered
    });
    std::thread::scope(|scope| {
        let crowd: Vec<_> = (0..20)
            .map(|_| scope.spawn(|| server.visit(&path)))
            .collect();
        for visitor in crowd {
            let answer = visitor.join().unwrap();
            assert_eq!(answer.header("location"), "https://example.com/");
        }
    });
    let unknown = format!("/nobody-has-made-{name}");
    for _ in 0..50 {
        assert_eq!(server.visit(&path).status, 301);
        assert_unavailable(&server.visit(&unknown));
    }
    give_back(&relay);
    let deleted = || {
        let slug = path.trim_start_matches('/');
        server
            .post("/api/link/delete", &json!({"slug": slug}))
            .status
            == 204
    };
    eventually("the database works again", deleted);
    eventually("the deletion shows", || server.visit(&path).status == 404);
    eventually("an unknown link is one", || {
        server.visit(&unknown).status == 404
    });
}

#[test]
fn links_work_while_the_database_refuses_connections() {
    outlives("refused", Relay::cut, Relay::mend);
}

#[test]
fn links_work_while_the_database_does_not_answer() {
    outlives(
        "silent",
        |relay| relay.be_silent(true),
        |relay| relay.be_silent(false),
    );
}

#[test]
fn sessions_that_were_cut_are_replaced_before_a_client_notices() {
    let (server, relay) = start();
    let path = followed_link(&server, "cut");
    for round in 0..5 {
        // As many sessions as the pool allows.
        std::thread::scope(|scope| {
            for _ in 0..20 {
                scope.spawn(|| server.visit(&path));
            }
        });
        relay.cut_sessions();
        for i in 0..15 {
            let unknown = format!("/nobody-has-made-{round}-{i}");
            assert_eq!(server.visit(&unknown).status, 404, "{round}, {i}");
        }
        relay.cut_sessions();
        let slug = format!("after-cut-{round}-{}", std::process::id());
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
}

#[test]
fn an_outage_takes_few_lines_of_the_log_and_each_names_its_request() {
    const REQUESTS: usize = 50;

    let (server, relay, log) = start_logged(&[("SLUGLINE_LOG_REQUESTS", "true")]);
    relay.cut();
    for _ in 0..REQUESTS {
        let call = server.request("GET", "/nobody-has-made-this");
        let answer = call.header("x-request-id", "during-an-outage").send();
        assert_unavailable(&answer);
        assert_eq!(answer.header("x-request-id"), "during-an-outage");
    }
    server.stop("TERM");
    let text = fs::read_to_string(log.path()).unwrap();
    let failures = text
        .lines()
        .filter(|line| line.contains("a request failed"));
    let failures: Vec<&str> = failures.collect();
    assert!((1..REQUESTS).contains(&failures.len()), "{text}");
    for line in failures {
        assert!(line.contains("request{id=\"during-an-outage\"}"), "{line}");
    }
}
