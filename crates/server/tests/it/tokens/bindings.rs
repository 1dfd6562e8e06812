//! A token bound to slugs or tags sees and changes its links only, on every operation and by
//! every tool.

use std::{collections::BTreeSet, io::Read, thread, time::Duration};

use serde_json::{Value, json};

use super::{listed, scopes::exchange, verify, with};
use crate::support::server::{Answer, Server, eventually};

/// The links of the tests. Each has a tag `t-` and its slug, and one visit.
const LINKS: [&str; 3] = ["named-1", "tagged-1", "theirs-1"];

const SCOPES: [&str; 3] = ["links:read", "links:write", "analytics:read"];

/// A bound token, and the slugs of its links.
struct Bound {
    token: String,
    sees: &'static [&'static str],
    /// The words of a refusal to make a link.
    refusal: &'static str,
}

/// The answer of an operation to a bound token.
#[derive(Clone, Copy)]
enum Gets {
    /// An answer that shows its links, whichever they are, and no other.
    ItsLinks,
    /// An answer whose numbers of visits or links add up to the number of its links.
    ItsNumber,
    /// An answer about no link at all.
    NoLinks,
    /// A refusal with this status and code, whatever it is bound to.
    Refused(u16, &'static str),
    /// A refusal that says to add a tag of the binding, or that it makes no links.
    OutOfReach,
}

/// An operation with the path and the body of a request. A body of `null` is none.
type Row = (&'static str, &'static str, &'static str, Value, Gets);

/// Every operation below `/api/`. Those on one link are about one outside of each binding.
fn operations() -> Vec<Row> {
    use Gets::{ItsLinks, ItsNumber, NoLinks, OutOfReach, Refused};
    let no_admin = Refused(403, "missing_scope");
    let no_link = Refused(404, "link_not_found");
    let url = "http://127.0.0.1:9/new";
    let theirs = json!({"slug": "theirs-1"});
    vec![
        (
            "link_create",
            "POST",
            "/api/link/create",
            json!({"url": url, "slug": "new-1", "tags": ["x"]}),
            OutOfReach,
        ),
        (
            "link_upsert",
            "POST",
            "/api/link/upsert",
            json!({"url": url, "slug": "new-1"}),
            OutOfReach,
        ),
        (
            "link_import",
            "POST",
            "/api/link/import",
            json!({"version": "1.0", "links": [{"url": url, "slug": "new-1"}]}),
            OutOfReach,
        ),
        (
            "link_edit",
            "PUT",
            "/api/link/edit",
            json!({"slug": "theirs-1", "url": url}),
            no_link,
        ),
        (
            "link_patch",
            "PATCH",
            "/api/link/edit",
            json!({"slug": "theirs-1", "comment": "c"}),
            no_link,
        ),
        (
            "link_delete",
            "POST",
            "/api/link/delete",
            theirs.clone(),
            NoLinks,
        ),
        (
            "link_get",
            "GET",
            "/api/link/query?slug=theirs-1",
            Value::Null,
            no_link,
        ),
        (
            "link_restore",
            "POST",
            "/api/link/restore",
            json!({"id": "theirs-1"}),
            no_link,
        ),
        (
            "link_history",
            "GET",
            "/api/link/history?slug=theirs-1",
            Value::Null,
            no_link,
        ),
        (
            "link_trash",
            "GET",
            "/api/link/trash?domain=*",
            Value::Null,
            NoLinks,
        ),
        (
            "link_explain",
            "POST",
            "/api/link/explain",
            theirs.clone(),
            no_link,
        ),
        ("link_check", "POST", "/api/link/check", theirs, no_link),
        ("link_check", "POST", "/api/link/check", json!({}), ItsLinks),
        (
            "link_list",
            "GET",
            "/api/link/list?status=all",
            Value::Null,
            ItsLinks,
        ),
        (
            "link_list",
            "GET",
            "/api/link/list?sort=visits&startAt=0",
            Value::Null,
            ItsLinks,
        ),
        (
            "link_list",
            "GET",
            "/api/link/list?slugs=named-1,tagged-1,theirs-1",
            Value::Null,
            ItsLinks,
        ),
        (
            "link_search",
            "GET",
            "/api/link/search?q=127.0.0.1",
            Value::Null,
            ItsLinks,
        ),
        (
            "link_search_url",
            "POST",
            "/api/link/search",
            json!({"url": "http://127.0.0.1:9/theirs-1"}),
            NoLinks,
        ),
        (
            "link_count",
            "GET",
            "/api/link/count?status=all",
            Value::Null,
            ItsNumber,
        ),
        ("tag_list", "GET", "/api/link/tags", Value::Null, ItsLinks),
        (
            "link_batch",
            "POST",
            "/api/link/batch",
            json!({"action": "delete", "filter": {"status": "all"}, "dryRun": true}),
            ItsLinks,
        ),
        (
            "link_batch",
            "POST",
            "/api/link/batch",
            json!({"action": "delete", "slugs": ["theirs-1"]}),
            NoLinks,
        ),
        (
            "slug_suggest",
            "GET",
            "/api/link/ai?url=http://127.0.0.1:9/new",
            Value::Null,
            NoLinks,
        ),
        (
            "preview_suggest",
            "GET",
            "/api/link/og-ai?url=http://127.0.0.1:9/new",
            Value::Null,
            NoLinks,
        ),
        (
            "stats_counters",
            "GET",
            "/api/stats/counters",
            Value::Null,
            ItsNumber,
        ),
        (
            "stats_counters",
            "GET",
            "/api/stats/counters?slug=theirs-1",
            Value::Null,
            NoLinks,
        ),
        (
            "stats_views",
            "GET",
            "/api/stats/views?unit=day&clientTimezone=Etc/UTC",
            Value::Null,
            ItsNumber,
        ),
        (
            "stats_heatmap",
            "GET",
            "/api/stats/heatmap?clientTimezone=Etc/UTC",
            Value::Null,
            ItsNumber,
        ),
        (
            "stats_metrics",
            "GET",
            "/api/stats/metrics?type=slug",
            Value::Null,
            ItsLinks,
        ),
        (
            "stats_metrics",
            "GET",
            "/api/stats/metrics?type=url&tag=x",
            Value::Null,
            NoLinks,
        ),
        (
            "stats_export",
            "GET",
            "/api/stats/export",
            Value::Null,
            ItsLinks,
        ),
        (
            "logs_events",
            "GET",
            "/api/logs/events",
            Value::Null,
            ItsLinks,
        ),
        (
            "logs_locations",
            "GET",
            "/api/logs/locations",
            Value::Null,
            NoLinks,
        ),
        (
            "logs_export",
            "GET",
            "/api/logs/export?format=csv",
            Value::Null,
            ItsLinks,
        ),
        ("location_get", "GET", "/api/location", Value::Null, NoLinks),
        ("setup_get", "GET", "/api/setup", Value::Null, NoLinks),
        (
            "mcp_exchange",
            "POST",
            "/api/mcp",
            json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}),
            NoLinks,
        ),
        ("audit_list", "GET", "/api/audit", Value::Null, no_admin),
        (
            "link_export",
            "GET",
            "/api/link/export",
            Value::Null,
            no_admin,
        ),
        (
            "migration_status",
            "GET",
            "/api/link/migration/status",
            Value::Null,
            no_admin,
        ),
        (
            "migration_run",
            "POST",
            "/api/link/migration/run",
            json!({}),
            no_admin,
        ),
        (
            "visits_erase",
            "DELETE",
            "/api/stats?slug=named-1",
            Value::Null,
            no_admin,
        ),
        ("domain_list", "GET", "/api/domains", Value::Null, NoLinks),
        (
            "domain_add",
            "POST",
            "/api/domains",
            json!({"host": "go.example"}),
            no_admin,
        ),
        (
            "domain_edit",
            "PUT",
            "/api/domains",
            json!({"host": "go.example"}),
            no_admin,
        ),
        (
            "domain_remove",
            "DELETE",
            "/api/domains?host=go.example&links=delete",
            Value::Null,
            no_admin,
        ),
        ("token_list", "GET", "/api/tokens", Value::Null, no_admin),
        (
            "token_make",
            "POST",
            "/api/tokens",
            json!({"name": "x", "scopes": ["links:read"]}),
            no_admin,
        ),
        (
            "token_revoke",
            "DELETE",
            "/api/tokens?name=x",
            Value::Null,
            no_admin,
        ),
    ]
}

/// Every tool, with its arguments.
fn tools() -> Vec<(&'static str, Value, Gets)> {
    use Gets::{ItsLinks, ItsNumber, NoLinks, OutOfReach, Refused};
    let no_link = Refused(404, "Link not found");
    let url = "http://127.0.0.1:9/new";
    let theirs = json!({"slug": "theirs-1"});
    vec![
        ("list_links", json!({"status": "all"}), ItsLinks),
        ("search_links", json!({"q": "127.0.0.1"}), ItsLinks),
        ("get_link", theirs.clone(), no_link),
        ("count_links", json!({}), ItsNumber),
        ("list_tags", json!({}), ItsLinks),
        ("check_links", json!({}), ItsLinks),
        (
            "create_link",
            json!({"url": url, "slug": "new-1"}),
            OutOfReach,
        ),
        (
            "update_link",
            json!({"slug": "theirs-1", "url": url}),
            no_link,
        ),
        (
            "upsert_link",
            json!({"url": url, "slug": "new-1"}),
            OutOfReach,
        ),
        ("delete_link", theirs, NoLinks),
        ("get_analytics_counters", json!({}), ItsNumber),
        (
            "get_analytics_views",
            json!({"unit": "day", "clientTimezone": "Etc/UTC"}),
            ItsNumber,
        ),
        ("get_analytics_metrics", json!({"type": "slug"}), ItsLinks),
        (
            "get_analytics_heatmap",
            json!({"clientTimezone": "Etc/UTC"}),
            ItsNumber,
        ),
    ]
}

/// Operations whose answers are looked at by a test of their own.
const APART: [&str; 2] = ["logs_stream", "token_verify"];

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
fn bound(server: &Server) -> [Bound; 5] {
    [
        Bound {
            token: make(server, "by slug", &json!({"slugs": ["NAMED-1"]})),
            sees: &["named-1"],
            refusal: "makes no others",
        },
        Bound {
            token: make(server, "by tag", &json!({"tags": ["Tagged"]})),
            sees: &["tagged-1"],
            refusal: "\"tagged\"",
        },
        Bound {
            token: make(
                server,
                "by both",
                &json!({"slugs": ["named-1"], "tags": ["tagged"]}),
            ),
            sees: &["named-1", "tagged-1"],
            refusal: "\"tagged\"",
        },
        Bound {
            token: make(server, "elsewhere", &json!({"domains": ["go.example"]})),
            sees: &[],
            refusal: "\"go.example\"",
        },
        Bound {
            token: make(
                server,
                "tag here",
                &json!({"tags": ["tagged"], "domains": [""]}),
            ),
            sees: &["tagged-1"],
            refusal: "\"tagged\"",
        },
    ]
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

fn send(server: &Server, token: &str, (_, method, path, body, _): &Row) -> Answer {
    let call = with(server, token, method, path);
    if body.is_null() {
        return call.send();
    }
    call.header("accept", "application/json, text/event-stream")
        .json(body)
        .send()
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
fn check(case: &str, bound: &Bound, gets: Gets, status: u16, text: &str, body: &Value) {
    match gets {
        Gets::ItsLinks => {
            assert_eq!(status, 200, "{case}: {text}");
            for slug in LINKS {
                let expected = bound.sees.contains(&slug);
                assert_eq!(text.contains(slug), expected, "{case}, {slug}: {text}");
            }
        }
        Gets::ItsNumber => {
            assert_eq!(status, 200, "{case}: {text}");
            let number = u64::try_from(bound.sees.len()).unwrap();
            assert_eq!(sum(body), number, "{case}: {text}");
        }
        Gets::NoLinks => {
            assert!(
                !text.contains("9/theirs-1") && !text.contains("9/named-1"),
                "{case}: {text}"
            );
            assert_eq!(sum(body), 0, "{case}: {text}");
        }
        Gets::Refused(expected, code) => {
            assert_eq!(status, expected, "{case}: {text}");
            assert!(
                text.contains(code) && !text.contains("127.0.0.1:9"),
                "{case}: {text}"
            );
        }
        Gets::OutOfReach => {
            assert_eq!(status, 403, "{case}: {text}");
            let text = text.replace('\\', "");
            assert!(text.contains(bound.refusal), "{case}: {text}");
        }
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
fn every_operation_keeps_to_the_links_of_a_bound_token() {
    let server = server_with_links();
    let document = server.visit("/_docs/openapi.json").json();
    let known: BTreeSet<&str> = document["paths"]
        .as_object()
        .unwrap()
        .iter()
        .filter(|(path, _)| path.starts_with("/api/"))
        .flat_map(|(_, item)| item.as_object().unwrap().values())
        .map(|operation| operation["operationId"].as_str().unwrap())
        .collect();
    let rows = operations();
    let in_table: BTreeSet<&str> = rows.iter().map(|row| row.0).chain(APART).collect();
    assert_eq!(in_table, known, "what does a bound token see of each?");
    let before = outside(&server);
    for bound in bound(&server) {
        for row in &rows {
            let answer = send(&server, &bound.token, row);
            let case = format!("{} {} with {:?}", row.0, row.3, bound.sees);
            let body = serde_json::from_str(&answer.text).unwrap_or_default();
            check(&case, &bound, row.4, answer.status, &answer.text, &body);
            assert_eq!(outside(&server), before, "{case}");
        }
    }
}

#[test]
fn every_tool_keeps_to_the_links_of_a_bound_token() {
    let server = server_with_links();
    let tools = tools();
    let in_table: BTreeSet<&str> = tools.iter().map(|row| row.0).collect();
    assert_eq!(in_table, slugline_mcp::Server::tool_names().collect());
    let before = outside(&server);
    for bound in bound(&server) {
        for (tool, arguments, gets) in &tools {
            let call = json!({"name": tool, "arguments": arguments});
            let result = exchange(&server, &bound.token, "tools/call", call);
            let text = result["content"][0]["text"].as_str().unwrap();
            let status = match (&result["isError"], gets) {
                (Value::Bool(true), Gets::Refused(status, _)) => *status,
                (Value::Bool(true), _) => 403,
                _ => 200,
            };
            let case = format!("{tool} with {:?}", bound.sees);
            check(
                &case,
                &bound,
                *gets,
                status,
                text,
                &result["structuredContent"],
            );
            assert_eq!(outside(&server), before, "{case}");
        }
    }
}

#[test]
fn a_bound_token_works_on_its_links_and_keeps_the_tags_of_its_binding() {
    let server = server_with_links();
    let [by_slug, by_tag, ..] = bound(&server);
    let call = |bound: &Bound, method: &str, path: &str, body: Value| {
        with(&server, &bound.token, method, path).json(&body).send()
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
    assert!(
        replaced.text.contains("keep it in tags"),
        "{}",
        replaced.text
    );
    let batch = call(
        &by_tag,
        "POST",
        "/api/link/batch",
        json!({"action": "removeTags", "tags": ["tagged"], "slugs": ["made"]}),
    );
    assert!(batch.text.contains("out_of_reach"), "{}", batch.text);
    let both = make(
        &server,
        "two",
        &json!({"slugs": ["named-1"], "tags": ["tagged"]}),
    );
    with(&server, &both, "PATCH", "/api/link/edit")
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
    with(&server, &token, "GET", "/api/link/query?slug=named-1")
        .send()
        .is(404);
    assert_eq!(listed(&server, "partner")["slugs"], json!(["theirs-1"]));
    // Nobody replaces an expired link that is not theirs.
    server.import_expired("over");
    let other = make(&server, "tagged", &json!({"tags": ["tagged"]}));
    let new = json!({"slug": "over", "url": "http://127.0.0.1:9/over", "tags": ["tagged"]});
    with(&server, &other, "POST", "/api/link/create")
        .json(&new)
        .send()
        .is(409);
    // The visits of the deleted link are still the token's.
    let counted = with(&server, &token, "GET", "/api/stats/counters")
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
        (json!({"scopes": ["links:read"], "tags": []}), "tags"),
        (json!({"scopes": ["links:read"], "slugs": []}), "slugs"),
        (
            json!({"scopes": ["links:read"], "slugs": ["nobody"]}),
            "slugs",
        ),
        (json!({"scopes": ["links:read"], "tag": "a"}), "tag"),
    ] {
        let mut wanted = body.clone();
        wanted["name"] = "partner".into();
        let refused = server.post("/api/tokens", &wanted);
        assert_eq!(refused.status, 400, "{body}: {}", refused.text);
        assert_eq!(
            refused.json()["data"]["issues"][0]["path"][0],
            path,
            "{}",
            refused.text
        );
    }
    assert_eq!(listed(&server, "partner"), Value::Null);
}
