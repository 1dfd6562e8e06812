//! Two domains with the same slug, on every face.

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Server, command, eventually},
};

/// An instance with the default domain, which answers at `sl.example`, and `go.example`. Both
/// have a link `docs`.
fn two_domains() -> Server {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "http://sl.example:8000"),
        ("SLUGLINE_DOMAINS", "go.example"),
    ]);
    server.create(&json!({"slug": "docs", "url": "https://example.com/default", "tags": ["a"]}));
    let go = server.create(
        &json!({"slug": "docs", "domain": "GO.example", "url": "https://example.com/go",
        "tags": ["b"]}),
    );
    assert_eq!(go["link"]["domain"], "go.example");
    assert_eq!(go["shortLink"], "http://go.example:8000/docs");
    server
}

fn get(server: &Server, path: &str) -> Value {
    server.get(path).is(200).json()
}

/// The destinations of the listed links, in order.
fn urls(list: &Value) -> Vec<&str> {
    let links = list.as_array().unwrap().iter();
    links.map(|link| link["url"].as_str().unwrap()).collect()
}

#[test]
fn one_slug_is_two_links_for_rest_and_mcp() {
    let server = two_domains();
    let (default, go) = ("https://example.com/default", "https://example.com/go");
    let link = get(&server, "/api/link/query?slug=docs");
    assert_eq!(
        (link["url"].as_str(), &link["domain"]),
        (Some(default), &Value::Null)
    );
    assert_eq!(
        get(&server, "/api/link/query?slug=docs&domain=go.example")["url"],
        go
    );
    // The public host is the default domain.
    assert_eq!(
        get(&server, "/api/link/query?slug=docs&domain=sl.example")["url"],
        default
    );
    for (query, expected) in [
        ("", vec![default]),
        ("?domain=go.example", vec![go]),
        ("?domain=*&sort=az", vec![default, go]),
        ("?domain=*&sort=visits", vec![go, default]),
    ] {
        let list = get(&server, &format!("/api/link/list{query}"));
        assert_eq!(urls(&list["links"]), expected, "{query}");
    }
    assert_eq!(get(&server, "/api/link/count?domain=*")["count"], 2);
    assert_eq!(get(&server, "/api/link/count")["count"], 1);
    let tags = get(&server, "/api/link/tags?domain=go.example");
    assert_eq!(tags, json!([{"name": "b", "count": 1}]));
    let found = get(&server, "/api/link/search?q=docs&domain=*");
    assert_eq!(urls(&found), [default, go]);

    let by_tool = |domain: &str| {
        let arguments = json!({"slug": "docs", "domain": domain});
        call_tool(&server, "get_link", &arguments).to_string()
    };
    assert!(
        by_tool("go.example").contains(go),
        "{}",
        by_tool("go.example")
    );
    assert!(by_tool("sl.example").contains(default));
    let changed =
        json!({"slug": "docs", "domain": "go.example", "partial": true, "comment": "there"});
    call_tool(&server, "update_link", &changed);
    assert_eq!(
        get(&server, "/api/link/query?slug=docs&domain=go.example")["comment"],
        "there"
    );
    assert_eq!(
        get(&server, "/api/link/query?slug=docs")["comment"],
        Value::Null
    );

    let audit = get(&server, "/api/audit?slug=docs&domain=go.example");
    let lines = audit["lines"].as_array().unwrap();
    assert_eq!(lines.len(), 2, "{audit}");
    for domain in ["", "sl.example", "SL.Example.:8000"] {
        let audit = get(&server, &format!("/api/audit?slug=DOCS&domain={domain}"));
        let lines = audit["lines"].as_array().unwrap();
        assert_eq!(lines.len(), 1, "{domain}");
        let listed = get(
            &server,
            &format!("/api/link/list?slugs=DOCS&domain={domain}"),
        );
        assert_eq!(
            urls(&listed["links"]),
            ["https://example.com/default"],
            "{domain}"
        );
    }
    for (domain, expected) in [
        ("go.example", 1),
        ("sl.example", 1),
        ("", 1),
        ("no.example", 0),
    ] {
        let audit = get(
            &server,
            &format!("/api/audit?domain={domain}&operation=link.create"),
        );
        let creations = audit["lines"].as_array().unwrap().len();
        assert_eq!(creations, expected, "{domain}: {audit}");
    }
    assert!(
        lines.iter().all(|line| line["domain"] == "go.example"),
        "{audit}"
    );

    let batch = json!({"action": "delete", "slugs": ["docs"], "domain": "go.example"});
    let batch = server.post("/api/link/batch", &batch).json();
    assert_eq!(batch["results"][0]["domain"], "go.example", "{batch}");
    assert_eq!(get(&server, "/api/link/count?domain=*")["count"], 1);
}

#[test]
fn a_domain_that_nobody_named_is_refused_by_name() {
    let server = two_domains();
    let link = json!({"slug": "x", "url": "https://example.com/", "domain": "nowhere.example"});
    for answer in [
        server.post("/api/link/create", &link),
        server.post("/api/link/upsert", &link),
        server.call("PUT", "/api/link/edit", &link),
        server.call(
            "POST",
            "/api/link/delete",
            &json!({"slug": "x", "domain": "nowhere.example"}),
        ),
        server.get("/api/link/list?domain=nowhere.example"),
        server.get("/api/link/query?slug=x&domain=nowhere.example"),
    ] {
        assert_eq!(answer.fault(), "domain");
        answer.says("nowhere.example");
    }
}

#[test]
fn visits_are_told_apart_by_domain() {
    let server = two_domains();
    for (host, visits) in [("sl.example", 1), ("go.example", 2)] {
        for _ in 0..visits {
            server.visit_with("/docs", &[("host", host)]).is(301);
        }
    }
    let visits = |query: &str| {
        get(&server, &format!("/api/stats/counters{query}"))["data"][0]["visits"].clone()
    };
    eventually("all visits are counted", || visits("") == 3);
    for (query, expected) in [
        ("?slug=docs", 1),
        ("?slug=docs&domain=go.example", 2),
        ("?slug=go.example/docs", 2),
        ("?slug=DOCS", 1),
        ("?slug=SL.example:8000/Docs", 1),
        ("?slug=Docs&domain=GO.Example.", 2),
        ("?slug=GO.example/DOCS", 2),
        ("?domain=GO.example:80", 2),
        ("?domain=!Go.Example", 1),
        ("?domain=go.example", 2),
        ("?domain=sl.example", 1),
        ("?domain=(none)", 1),
        ("?domain=*", 3),
    ] {
        assert_eq!(visits(query), expected, "{query}");
    }
    for face in [
        "/api/stats/views?unit=day&",
        "/api/stats/metrics?type=slug&",
        "/api/stats/heatmap?",
        "/api/stats/export?",
        "/api/logs/events?",
        "/api/logs/export?",
    ] {
        let said = |query: &str| {
            let answer = server.get(&format!("{face}{query}")).is(200);
            // How long an answer took is not the same twice.
            let shown = serde_json::from_str::<Value>(&answer.text).unwrap_or_default();
            shown.get("data").map_or(answer.text, Value::to_string)
        };
        let exact = said("slug=docs&domain=go.example");
        assert_eq!(said("slug=DOCS&domain=GO.Example."), exact, "{face}");
        assert_ne!(said("slug=docs"), exact, "{face}");
    }
    let by_tool = call_tool(&server, "get_analytics_counters", &json!({"slug": "DOCS"}));
    assert_eq!(by_tool["structuredContent"]["data"][0]["visits"], 1);
    let slugs = get(&server, "/api/stats/metrics?type=slug")["data"].clone();
    assert_eq!(
        slugs,
        json!([
            {"name": "docs", "domain": "go.example", "count": 2},
            {"name": "docs", "count": 1},
        ])
    );
    let domains = get(&server, "/api/stats/metrics?type=domain")["data"].clone();
    assert_eq!(
        domains,
        json!([{"name": "go.example", "count": 2}, {"name": "", "count": 1}])
    );
    let events = get(&server, "/api/logs/events?slug=docs&domain=go.example");
    let events = events.as_array().unwrap();
    assert!(
        events
            .iter()
            .all(|event| event["domain"] == "go.example" && event["slug"] == "docs")
    );
    assert_eq!(events.len(), 2);
}

#[test]
fn an_export_has_all_domains_and_an_import_puts_others_where_it_is_told() {
    let server = two_domains();
    let export = get(&server, "/api/link/export");
    let links = export["links"].as_array().unwrap();
    assert_eq!(links.len(), 2, "{export}");
    for (domain, url) in [
        ("go.example", "https://example.com/go"),
        ("sl.example", "https://example.com/default"),
        ("", "https://example.com/default"),
    ] {
        let export = get(&server, &format!("/api/link/export?domain={domain}"));
        assert_eq!(urls(&export["links"]), [url], "{domain}");
        let csv = server.api(
            "GET",
            &format!("/api/link/export?format=csv&domain={domain}"),
        );
        let csv = csv.send().text;
        assert_eq!((csv.lines().count(), csv.contains(url)), (2, true), "{csv}");
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("links.json");
    std::fs::write(&file, export.to_string()).unwrap();
    let other = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let output = command(other.path()).args(arguments).output().unwrap();
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let import = ["import", file.to_str().unwrap()];
    assert!(run(&["domains", "list"]).contains("there is no database"));
    assert!(run(&["domains", "add", "new.example"]).is_empty());
    let refused = run(&[&import[..], &["--dry-run"]].concat());
    assert!(refused.contains("go.example"), "{refused}");
    assert!(run(&["domains", "add", "go.example"]).is_empty());
    let into = [import[0], import[1], "--domain", "new.example"];
    let told = run(&into);
    assert!(told.contains("imported 2 links"), "{told}");
    // Each link is judged in the domain that it comes into.
    let (itself, other_host) = ("https://new.example/own", "https://example.com/own");
    let links = [itself, other_host].map(|url| json!({"slug": "own", "url": url}));
    std::fs::write(&file, json!({"version": "1.0", "links": links}).to_string()).unwrap();
    let told = run(&[&into[..], &["--dry-run"]].concat());
    assert!(told.contains("links.0.url"), "{told}");
    assert!(told.contains("would import 1 links"), "{told}");
    let server = Server::start_in(other, &[]);
    let all = get(&server, "/api/link/list?domain=*&sort=az");
    let domains = all["links"].as_array().unwrap().iter();
    let domains: Vec<&Value> = domains.map(|link| &link["domain"]).collect();
    assert_eq!(domains, ["go.example", "new.example"]);
}
