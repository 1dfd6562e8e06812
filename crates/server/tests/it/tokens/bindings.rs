//! A token bound to slugs or tags sees and changes its links only, on every operation and by
//! every tool.

use std::{io::Read, iter, thread, time::Duration};

use serde_json::{Value, json};

use super::{listed, scopes::exchange, verify};
use crate::{
    api::operations::{Bound, Operation, guarded},
    support::server::{Server, eventually},
};

/// The links of the tests. Each has a tag `t-` and its slug, and one visit.
const LINKS: [&str; 3] = ["named-1", "tagged-1", "theirs-1"];

const SCOPES: [&str; 3] = ["links:read", "links:write", "analytics:read"];

/// A bound token, and the slugs of its links.
struct Holder {
    token: String,
    sees: &'static [&'static str],
    /// The words of a refusal to make a link.
    refusal: &'static str,
}

/// Inputs besides those of the table, on which a bound token gets another answer.
fn more() -> Vec<(&'static str, Value, Bound)> {
    let theirs = json!({"slug": "theirs-1"});
    vec![
        ("link_check", theirs.clone(), Bound::NoLink),
        (
            "link_list",
            json!({"sort": "visits", "startAt": 0}),
            Bound::Links,
        ),
        ("link_list", json!({"slugs": LINKS.join(",")}), Bound::Links),
        (
            "link_batch",
            json!({"action": "delete", "slugs": ["theirs-1"]}),
            Bound::Nothing,
        ),
        ("stats_counters", theirs, Bound::Nothing),
        (
            "stats_metrics",
            json!({"type": "url", "tag": "x"}),
            Bound::Nothing,
        ),
        (
            "link_create",
            json!({"url": "http://127.0.0.1:9/new", "slug": "new-1"}),
            Bound::OutOfReach,
        ),
        (
            "link_upsert",
            json!({"url": "http://127.0.0.1:9/new", "slug": "new-1"}),
            Bound::OutOfReach,
        ),
    ]
}

/// Every operation with each input, and the answer.
fn rows() -> impl Iterator<Item = (&'static Operation, Value, Bound)> {
    guarded().flat_map(|row| {
        let more = more().into_iter().filter(|(id, ..)| *id == row.id);
        let more = more.map(move |(_, input, bound)| (row, input, bound));
        iter::once((row, row.input.clone(), row.bound)).chain(more)
    })
}

fn link(slug: &str) -> Value {
    let kind = &slug[..slug.len() - 2];
    json!({"slug": slug, "url": format!("http://127.0.0.1:9/{slug}"),
        "tags": [format!("t-{slug}"), kind]})
}

fn make(server: &Server, name: &str, bound_to: &Value) -> String {
    let mut wanted = json!({"name": name, "scopes": SCOPES});
    let members = wanted.as_object_mut().unwrap();
    members.extend(bound_to.as_object().unwrap().clone());
    let made = server.post("/api/tokens", &wanted).is(201);
    made.json()["token"].as_str().unwrap().to_owned()
}

/// A token for each way to bind one.
fn holders(server: &Server) -> [Holder; 5] {
    let rows: [(Value, &[&str], &str); 5] = [
        (
            json!({"slugs": ["NAMED-1"]}),
            &["named-1"],
            "makes no others",
        ),
        (json!({"tags": ["Tagged"]}), &["tagged-1"], "\"tagged\""),
        (
            json!({"slugs": ["named-1"], "tags": ["tagged"]}),
            &["named-1", "tagged-1"],
            "\"tagged\"",
        ),
        (json!({"domains": ["go.example"]}), &[], "\"go.example\""),
        (
            json!({"tags": ["tagged"], "domains": [""]}),
            &["tagged-1"],
            "\"tagged\"",
        ),
    ];
    rows.map(|(binding, sees, refusal)| Holder {
        token: make(server, &name_of(&binding), &binding),
        sees,
        refusal,
    })
}

/// A name that says the binding in letters and digits alone.
fn name_of(binding: &Value) -> String {
    let text = binding.to_string();
    text.split(|c: char| !c.is_alphanumeric())
        .collect::<Vec<_>>()
        .concat()
}

fn server_with_links() -> Server {
    let server = Server::start();
    let named = json!({"host": "go.example"});
    server.post("/api/domains", &named).is(201);
    for slug in LINKS {
        server.create(&link(slug));
        server.visit(&format!("/{slug}")).is(301);
    }
    server.counters_with("", 3);
    server
}

/// The sum of all numbers of visits and links in an answer.
fn sum(value: &Value) -> u64 {
    match value {
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| match (name.as_str(), value.as_u64()) {
                ("visits" | "count", Some(number)) => number,
                _ => sum(value),
            })
            .sum(),
        Value::Array(items) => items.iter().map(sum).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[track_caller]
fn check(case: &str, holder: &Holder, bound: Bound, status: u16, text: &str, body: &Value) {
    let case = format!("{case}: {text}");
    let expected = match bound {
        Bound::Links | Bound::Number => 200,
        Bound::NoLink => 404,
        Bound::OutOfReach | Bound::Admin => 403,
        Bound::Nothing | Bound::Apart => status,
    };
    assert_eq!(status, expected, "{case}");
    match bound {
        Bound::Links => {
            for slug in LINKS {
                let is_seen = holder.sees.contains(&slug);
                assert_eq!(text.contains(slug), is_seen, "{slug} {case}");
            }
        }
        Bound::Number => {
            let number = u64::try_from(holder.sees.len()).unwrap();
            assert_eq!(sum(body), number, "{case}");
        }
        Bound::Nothing => {
            let shows = |slug: &str| text.contains(&format!("9/{slug}"));
            assert!(!shows("theirs-1") && !shows("named-1"), "{case}");
            assert_eq!(sum(body), 0, "{case}");
        }
        Bound::NoLink => {
            let code = ["link_not_found", "Link not found"];
            assert!(code.iter().any(|code| text.contains(code)), "{case}");
            assert!(!text.contains("127.0.0.1:9"), "{case}");
        }
        Bound::Admin => assert_eq!(body["code"], "missing_scope", "{case}"),
        Bound::OutOfReach => {
            let text = text.replace('\\', "");
            assert!(text.contains(holder.refusal), "{case}");
        }
        Bound::Apart => panic!("another test looks at it: {case}"),
    }
}

/// Everything that the site token sees of the links outside of each binding.
fn outside(server: &Server) -> (Value, Value) {
    let query = |path: &str| server.get(path).json();
    (
        query("/api/link/query?slug=theirs-1"),
        query("/api/link/count?status=all"),
    )
}

#[test]
fn every_operation_and_every_tool_keeps_to_the_links_of_a_bound_token() {
    let server = server_with_links();
    let before = outside(&server);
    for holder in holders(&server) {
        for (row, input, bound) in rows() {
            if matches!(bound, Bound::Apart) {
                continue;
            }
            let case = format!("{} {input} with {:?}", row.id, holder.sees);
            let answer = row.ask(&server, &holder.token, &input);
            let body = serde_json::from_str(&answer.text).unwrap_or_default();
            check(&case, &holder, bound, answer.status, &answer.text, &body);
            assert_eq!(outside(&server), before, "{case}");
            let Some(tool) = row.tool else {
                continue;
            };
            let call = json!({"name": tool, "arguments": input});
            let result = exchange(&server, &holder.token, "tools/call", call);
            let text = result["content"][0]["text"].as_str().unwrap();
            let status = match (&result["isError"], bound) {
                (Value::Bool(true), Bound::NoLink) => 404,
                (Value::Bool(true), _) => 403,
                _ => 200,
            };
            let body = &result["structuredContent"];
            check(tool, &holder, bound, status, text, body);
            assert_eq!(outside(&server), before, "{tool} {case}");
        }
    }
}

#[test]
fn a_bound_token_works_on_its_links_and_keeps_the_tags_of_its_binding() {
    let server = server_with_links();
    let [by_slug, by_tag, ..] = holders(&server);
    let call = |holder: &Holder, method: &str, path: &str, body: Value| {
        server.by(&holder.token, method, path).json(&body).send()
    };
    let url = "http://127.0.0.1:9/made";
    let made = json!({"url": url, "slug": "made", "tags": ["tagged", "x"]});
    call(&by_tag, "POST", "/api/link/create", made).is(201);
    for (tags, status) in [
        (json!(["tagged", "y"]), 200),
        (json!(["y"]), 403),
        (json!([]), 403),
    ] {
        let patched = call(
            &by_tag,
            "PATCH",
            "/api/link/edit",
            json!({"slug": "made", "tags": tags}),
        );
        assert_eq!(patched.status, status, "{}", patched.text);
        assert_eq!(
            status == 403,
            patched.text.contains("out_of_reach"),
            "{}",
            patched.text
        );
    }
    let replaced = call(
        &by_tag,
        "PUT",
        "/api/link/edit",
        json!({"slug": "made", "url": url}),
    )
    .is(403);
    replaced.says("keep it in tags");
    let batch = call(
        &by_tag,
        "POST",
        "/api/link/batch",
        json!({"action": "removeTags", "tags": ["tagged"], "slugs": ["made"]}),
    );
    batch.says("out_of_reach");
    let both = make(
        &server,
        "two",
        &json!({"slugs": ["named-1"], "tags": ["tagged"]}),
    );
    server
        .by(&both, "PATCH", "/api/link/edit")
        .json(&json!({"slug": "named-1", "tags": ["named", "tagged"]}))
        .send()
        .is(403);
    let free = call(
        &by_slug,
        "PATCH",
        "/api/link/edit",
        json!({"slug": "named-1", "tags": ["named", "t-named-1", "tagged"]}),
    );
    assert_eq!(free.status, 200, "a tag that binds others: {}", free.text);
    call(&by_tag, "POST", "/api/link/delete", json!({"slug": "made"})).is(204);
    server.visit("/made").is(404);
}

#[test]
fn a_slug_that_somebody_else_takes_later_opens_nothing() {
    let server = server_with_links();
    let token = make(
        &server,
        "partner",
        &json!({"slugs": ["named-1", "theirs-1"]}),
    );
    let own = verify(&server, &token).json();
    assert_eq!(own["slugs"], json!(["named-1", "theirs-1"]));
    assert_eq!(own["tags"], Value::Null);
    server.post("/api/link/delete", &json!({"slug": "named-1"}));
    server.create(&json!({"slug": "named-1", "url": "http://127.0.0.1:9/other"}));
    server
        .by(&token, "GET", "/api/link/query?slug=named-1")
        .send()
        .is(404);
    assert_eq!(listed(&server, "partner")["slugs"], json!(["theirs-1"]));
    // A bound token replaces no expired link of others.
    server.import_expired("over");
    let other = make(&server, "tagged", &json!({"tags": ["tagged"]}));
    let new = json!({"slug": "over", "url": "http://127.0.0.1:9/over", "tags": ["tagged"]});
    server
        .by(&other, "POST", "/api/link/create")
        .json(&new)
        .send()
        .is(409);
    // The visits of the deleted link are still the token's.
    let counted = server
        .by(&token, "GET", "/api/stats/counters")
        .send()
        .json();
    assert_eq!(counted["data"][0]["visits"], 2);
}

#[test]
fn a_live_stream_follows_the_links_of_a_bound_token() {
    let server = server_with_links();
    let token = make(&server, "watcher", &json!({"tags": ["tagged"]}));
    let answer = ureq::get(format!("{}/api/logs/stream", server.origin()))
        .header("authorization", format!("Bearer {token}"))
        .call()
        .unwrap();
    let mut body = answer.into_body().into_reader();
    let (seen, read) = std::sync::mpsc::channel();
    thread::spawn(move || {
        let mut part = [0; 4096];
        while let Ok(length @ 1..) = body.read(&mut part) {
            if seen
                .send(String::from_utf8_lossy(&part[..length]).into_owned())
                .is_err()
            {
                return;
            }
        }
    });
    let mut text = String::new();
    let mut until = |wanted: &str, visited: &str| {
        eventually(wanted, || {
            server.visit(visited);
            thread::sleep(Duration::from_millis(200));
            text.extend(read.try_iter());
            text.contains(wanted)
        });
        text.clone()
    };
    until(": watching", "/theirs-1");
    let text = until("tagged-1", "/tagged-1");
    assert!(!text.contains("theirs-1"), "{text}");
    let tags = |slug: &str, tags: Value| {
        let patch = json!({"slug": slug, "tags": tags});
        server.call("PATCH", "/api/link/edit", &patch).is(200);
    };
    tags("theirs-1", json!(["tagged"]));
    until("theirs-1", "/theirs-1");
}

#[test]
fn bindings_that_would_open_more_than_they_say_are_refused() {
    let server = server_with_links();
    for (body, path) in [
        (json!({"scopes": ["admin"], "tags": ["a"]}), "scopes"),
        (
            json!({"scopes": ["links:read"], "slugs": ["nobody"]}),
            "slugs",
        ),
        (json!({"scopes": ["links:read"], "tag": "a"}), "tag"),
    ] {
        let mut wanted = body.clone();
        wanted["name"] = "partner".into();
        assert_eq!(server.post("/api/tokens", &wanted).is(400).fault(), path);
    }
    assert_eq!(listed(&server, "partner"), Value::Null);
}
