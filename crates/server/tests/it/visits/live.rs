//! Live streams of visits.

use std::io::{BufRead, BufReader};

use serde_json::{Value, json};

use crate::support::server::{Server, TOKEN, eventually};

/// The lines of an endless stream.
fn watch(server: &Server, query: &str) -> impl Iterator<Item = String> + use<> {
    let url = format!("{}/api/logs/stream{query}", server.origin());
    let answer = ureq::get(url)
        .header("authorization", format!("Bearer {TOKEN}"))
        .call();
    let answer = answer.unwrap();
    assert_eq!(answer.headers()["content-type"], "text/event-stream");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    BufReader::new(answer.into_body().into_reader())
        .lines()
        .map(Result::unwrap)
}

#[test]
fn a_watcher_sees_what_the_list_of_events_shows_and_the_end_of_the_server() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs", "title": "line\nbreak"}));
    assert_eq!(server.request("GET", "/api/logs/stream").send().status, 401);

    let mut lines = watch(&server, "");
    assert_eq!(lines.next().as_deref(), Some(": watching"));
    let visit = server
        .request("GET", "/docs")
        .header("referer", "https://news.example/");
    assert_eq!(visit.header("user-agent", "curl/8.5.0").send().status, 301);
    let mut named = |name: &str| {
        let line = lines.by_ref().find(|line| line.starts_with(name)).unwrap();
        line[name.len()..].to_owned()
    };
    assert_eq!(named("event: "), "visit");
    let id = named("id: ");
    let seen: Value = serde_json::from_str(&named("data: ")).unwrap();
    assert_eq!(
        (&seen["slug"], &seen["referer"]),
        (&json!("docs"), &json!("news.example"))
    );

    let mut listed = Value::Null;
    eventually("the visit is listed", || {
        listed = server.api("GET", "/api/logs/events").send().json();
        !listed[0].is_null()
    });
    assert_eq!((&listed[0], listed[0]["id"].as_str()), (&seen, Some(&*id)));

    // A stream must not delay the stop.
    let (status, _) = server.stop("TERM");
    assert!(status.success());
    assert!(
        lines.all(|line| line.is_empty() || line.starts_with(':')),
        "it ends"
    );
}

#[test]
fn a_watcher_sees_only_what_was_asked_for() {
    let server = Server::start();
    for (slug, tags) in [("docs", json!(["news"])), ("sale", json!([]))] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": tags}));
    }
    let mut people = watch(&server, "?bots=exclude&tag=news");
    let mut crawlers = watch(&server, "?bots=only&slug=!DOCS");
    let mut nobody = watch(&server, "?tag=nobody's");
    for lines in [&mut people, &mut crawlers, &mut nobody] {
        assert_eq!(lines.next().as_deref(), Some(": watching"));
    }
    for slug in ["sale", "docs"] {
        for agent in ["Googlebot/2.1", "Example/1.0"] {
            let visit = server.request("GET", &format!("/{slug}"));
            assert_eq!(visit.header("user-agent", agent).send().status, 301);
        }
    }
    server.counters_with("", 4);
    server.stop("TERM");
    let seen = |lines: &mut dyn Iterator<Item = String>| -> Vec<(Value, Value)> {
        lines
            .filter_map(|line| line.strip_prefix("data: ").map(str::to_owned))
            .map(|data| serde_json::from_str::<Value>(&data).unwrap())
            .map(|event| (event["slug"].clone(), event["ua"].clone()))
            .collect()
    };
    assert_eq!(seen(&mut people), [(json!("docs"), json!("Example/1.0"))]);
    assert_eq!(
        seen(&mut crawlers),
        [(json!("sale"), json!("Googlebot/2.1"))]
    );
    assert_eq!(seen(&mut nobody), []);
}
