//! Rules, splits and patterns, over every face and with visitors who follow them.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 \
                     (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1";
const DESKTOP: &str =
    "Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// A server that believes the headers of the test about addresses and places.
fn server() -> Server {
    Server::start_with(&[("SLUGLINE_TRUSTED_PROXIES", "127.0.0.0/8")])
}

fn follow(server: &Server, path: &str, headers: &[(&str, &str)]) -> Answer {
    let call = server.request("GET", path);
    let call = call.headers(headers);
    call.send()
}

/// Checks where a visitor is led, by an answer that nothing remembers.
#[track_caller]
fn leads(server: &Server, path: &str, headers: &[(&str, &str)], to: &str) {
    let answer = follow(server, path, headers);
    let told = (
        answer.status,
        answer.header("cache-control"),
        answer.header("location"),
    );
    assert_eq!(told, (302, "no-store", to), "{path} {headers:?}");
}

/// The notes of every answer that makes, changes or tries a link with these members.
fn notes_on(server: &Server, members: &Value) -> Vec<(String, Value)> {
    let about = |slug: &str, more: Value| {
        let mut body = members.clone();
        body["url"] = "https://e.example/".into();
        body["slug"] = slug.into();
        body.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        body
    };
    let plain = |slug: &str| about(slug, json!({}));
    let only = |slug: &str| about(slug, json!({"validateOnly": true}));
    let import = json!({"version": "1.0", "links": [plain("imported")]});
    let checked = json!({"version": "1.0", "links": [plain("never")], "validateOnly": true});
    let draft = json!({"draft": plain("new"), "country": "DE", "ip": "192.0.2.1"});
    let mut all = Vec::new();
    for (method, path, body) in [
        ("POST", "create", plain("go")),
        ("POST", "create", only("checked")),
        ("POST", "upsert", plain("up")),
        ("POST", "upsert", plain("up")),
        ("PUT", "edit", plain("go")),
        ("PATCH", "edit", only("go")),
        ("POST", "import", import),
        ("POST", "import", checked),
        (
            "POST",
            "explain",
            json!({"slug": "go", "country": "DE", "ip": "192.0.2.1"}),
        ),
        ("POST", "explain", draft),
    ] {
        let answer = server.call(method, &format!("/api/link/{path}"), &body);
        assert!(answer.status < 300, "{path}: {}", answer.text);
        let told = answer.json();
        let name = if path == "explain" {
            "placesNote"
        } else {
            "note"
        };
        all.push((format!("{method} {path} {body}"), told[name].clone()));
    }
    for (tool, arguments) in [
        ("create_link", plain("by-agent")),
        ("upsert_link", plain("by-agent")),
        ("update_link", plain("by-agent")),
        ("update_link", about("by-agent", json!({"partial": true}))),
    ] {
        let told = &call_tool(server, tool, &arguments)["structuredContent"];
        assert_eq!(told["link"]["slug"], "by-agent", "{tool}: {told}");
        all.push((format!("{tool} {arguments}"), told["note"].clone()));
    }
    all
}

#[test]
fn every_answer_about_a_link_that_asks_for_places_says_if_they_are_unknown() {
    let rules = |kind: &str, value: &str| json!({"rules": [{"when": {kind: [value]}, "url": "https://r.example/"}]});
    let asking = rules("country", "DE");
    let server_without = Server::start_with(&[("SLUGLINE_GEOIP_PATH", "off")]);
    let with_countries = Server::start();
    for (server, members) in [
        (&server_without, &asking),
        (&with_countries, &rules("city", "Berlin")),
    ] {
        for (what, note) in notes_on(server, members) {
            let told = note.as_str().unwrap_or_else(|| panic!("{what}"));
            assert!(told.contains("SLUGLINE_GEOIP_PATH"), "{what}: {told}");
        }
    }
    let by_country =
        json!({"slug": "geo", "url": "https://e.example/", "geo": {"DE": "https://d.example/"}});
    let made = server_without.create(&by_country);
    assert!(made["note"].is_string(), "{made}");
    for (server, members) in [
        (server(), rules("city", "Berlin")),
        (Server::start(), asking),
        (Server::start(), rules("language", "de")),
    ] {
        for (what, note) in notes_on(&server, &members) {
            assert_eq!(note, Value::Null, "{what}");
        }
    }
}

#[test]
fn visitors_follow_the_first_rule_that_holds() {
    let server = server();
    let rules = json!([
        {"when": {"device": ["ios"], "country": ["DE", "AT"]}, "url": "https://apps.example/de"},
        {"when": {"query": {"ref": "poster"}, "from": "2020-12-01", "until": 32_503_680_000_i64},
         "url": "https://e.example/poster"},
        {"when": {"language": ["pt"], "browser": ["Firefox"]}, "url": "https://e.example/pt"},
        {"when": {"referrer": ["news.example"]}, "url": "https://e.example/news"},
        {"when": {"network": ["198.51.100.0/24"]}, "url": "https://e.example/office"},
        {"when": {"city": ["São Paulo"], "continent": ["SA"]}, "url": "https://e.example/sp"},
        {"when": {"bot": true}, "url": "https://e.example/bots"},
        {"when": {"until": "2020-01-01", "timeZone": "Europe/Berlin"}, "url": "https://e.example/past"},
        {"when": {"country": {"not": ["US"]}, "device": ["desktop"]}, "url": "https://e.example/abroad"}
    ]);
    let made = server.create(&json!({
        "slug": "go", "url": "https://e.example/", "apple": "https://apps.example/all",
        "rules": rules, "redirectWithQuery": true
    }));
    assert_eq!(
        made["link"]["rules"][1]["when"]["until"],
        32_503_680_000_i64
    );
    for (headers, to) in [
        (
            &[("user-agent", PHONE), ("cf-ipcountry", "DE")][..],
            "https://apps.example/de",
        ),
        (
            &[("user-agent", PHONE), ("cf-ipcountry", "FR")],
            "https://apps.example/all",
        ),
        (
            &[
                ("user-agent", DESKTOP),
                ("accept-language", "en;q=0.5, pt-BR"),
            ],
            "https://e.example/pt",
        ),
        (
            &[("referer", "https://m.news.example/a")],
            "https://e.example/news",
        ),
        (
            &[("x-forwarded-for", "198.51.100.7")],
            "https://e.example/office",
        ),
        (
            &[("cf-ipcountry", "BR"), ("cf-ipcity", "São Paulo")],
            "https://e.example/sp",
        ),
        (
            &[("user-agent", "Mozilla/5.0 (compatible; Googlebot/2.1)")],
            "https://e.example/bots",
        ),
        (
            &[("user-agent", DESKTOP), ("cf-ipcountry", "FR")],
            "https://e.example/abroad",
        ),
        (
            &[("user-agent", DESKTOP), ("cf-ipcountry", "US")],
            "https://e.example/",
        ),
        (&[("user-agent", DESKTOP)], "https://e.example/"),
        (&[("accept-language", "\u{1}pt")][..0], "https://e.example/"),
    ] {
        leads(&server, "/go", headers, to);
    }
    leads(
        &server,
        "/go?ref=poster",
        &[],
        "https://e.example/poster?ref=poster",
    );
    let phone = [("user-agent", PHONE), ("cf-ipcountry", "AT")];
    leads(&server, "/go?a=1", &phone, "https://apps.example/de?a=1");

    let count = |url: &str| {
        let query = format!("/api/stats/counters?slug=go&url={url}");
        server.get(&query).json()["data"][0]["visits"].clone()
    };
    server.counters_with("slug=go", 13);
    assert_eq!(count("https://apps.example/de"), 2);
    assert_eq!(count("https://e.example/news"), 1);
    assert_eq!(
        count("https://e.example/"),
        4,
        "an app of Sink's counts for the link"
    );
}

#[test]
fn a_split_shares_visitors_out_and_keeps_each_on_a_side() {
    let server = server();
    let split = json!([
        {"url": "https://e.example/a", "weight": 30}, {"url": "https://e.example/b", "weight": 20}
    ]);
    let link = json!({"slug": "ab", "url": "https://e.example/", "split": split});
    let result = call_tool(&server, "create_link", &link);
    assert_eq!(
        result["structuredContent"]["link"]["split"], split,
        "{result}"
    );
    let side = |visitor: u32| {
        let address = format!("203.0.{}.{}", visitor / 250, visitor % 250 + 1);
        let answer = follow(&server, "/ab", &[("x-forwarded-for", &address)]);
        assert_eq!(answer.header("cache-control"), "no-store");
        (answer.status, answer.header("location").to_owned())
    };
    let sides: Vec<_> = (0..400).map(side).collect();
    let mut counts = BTreeMap::new();
    for side in &sides {
        *counts.entry(side.clone()).or_insert(0_u32) += 1;
    }
    let of = |path: &str| counts[&(302, format!("https://e.example/{path}"))];
    // Five standard deviations of the largest share.
    for (path, expected) in [("a", 120_u32), ("b", 80), ("", 200)] {
        assert!(of(path).abs_diff(expected) < 50, "{counts:?}");
    }
    let folder = {
        for (visitor, first) in (0..).zip(&sides).take(40) {
            assert_eq!(side(visitor), *first, "a visitor stays");
        }
        server.stop("TERM").1
    };
    let server = Server::start_in(folder, &[("SLUGLINE_TRUSTED_PROXIES", "127.0.0.0/8")]);
    for (visitor, first) in (0..).zip(&sides).take(40) {
        let address = format!("203.0.{}.{}", visitor / 250, visitor % 250 + 1);
        let answer = follow(&server, "/ab", &[("x-forwarded-for", &address)]);
        assert_eq!(answer.header("location"), first.1, "also after a restart");
    }
    let over = json!({"slug": "ab", "splitUntil": "2020-01-01"});
    server.call("PATCH", "/api/link/edit", &over).is(200);
    let answer = server.visit("/ab").is(301);
    assert_eq!(answer.header("location"), "https://e.example/");
    assert_eq!(answer.header("cache-control"), "private, max-age=90");
}

#[test]
fn what_stands_behind_the_slug_is_passed_on() {
    let server = server();
    let pattern = json!({
        "slug": "gh", "url": "https://github.com/{path}", "forwardPath": true, "cloaking": false
    });
    let result = call_tool(&server, "create_link", &pattern);
    assert_eq!(
        result["structuredContent"]["link"]["forwardPath"], true,
        "{result}"
    );
    server.create(&json!({
        "slug": "docs", "url": "https://e.example/d?v=1", "forwardPath": true, "password": "sesame"
    }));
    server.create(&json!({"slug": "plain", "url": "https://e.example/"}));
    for (path, to) in [
        ("/gh/rust-lang/rust", "https://github.com/rust-lang/rust"),
        ("/GH/rust-lang/rust/", "https://github.com/rust-lang/rust/"),
        ("/gh", "https://github.com/"),
        ("/gh/", "https://github.com/"),
        ("/gh/a%20b/%2e%2e/%2F?x=1", "https://github.com/%2F"),
        ("/gh/../../etc", "https://github.com/etc"),
        ("/gh//evil.example", "https://github.com//evil.example"),
        ("/gh/_docs/x", "https://github.com/_docs/x"),
    ] {
        let answer = server.visit(path);
        let told = (answer.status, answer.header("location"));
        assert_eq!(told, (301, to), "{path}");
    }
    for path in [
        "/plain/x",
        "/nothing/x",
        "/gh-x/y",
        "/_docs/nothing",
        "/dashboard/nothing",
    ] {
        assert_eq!(server.visit(path).status, 404, "{path}");
    }
    server.request("HEAD", "/gh/a").send().is(301);
    server.request("DELETE", "/gh/a").send().is(404);
    let long = format!("/gh/{}", "a".repeat(2_049));
    server.visit(&long).is(414);
    // The table of routes is asked before, with the token.
    server.visit("/api/gh/x").is(401);

    let asked = server.visit("/docs/a/b");
    // Without an action, the form is posted to the page's own address.
    asked.says(r#"<form method="post">"#);
    let form = server.submit("/docs/a/b", "password=sesame");
    let told = (form.status, form.header("location"));
    assert_eq!(told, (303, "https://e.example/d/a/b?v=1"));

    for slug in ["api", "Dashboard"] {
        let link = json!({"slug": slug, "url": "https://e.example/", "forwardPath": true});
        let refused = server.post("/api/link/create", &link).is(400);
        assert_eq!(refused.fault(), "forwardPath");
    }
}

/// The members of a link that only we know.
fn ours(link: &Value) -> Value {
    let names = ["rules", "split", "splitUntil", "forwardPath"];
    names.map(|name| link[name].clone()).into()
}

#[test]
fn clients_that_do_not_know_the_members_keep_them_and_null_removes_them() {
    let server = server();
    let all = json!({
        "slug": "all", "url": "https://e.example/{path}", "forwardPath": true,
        "rules": [{"when": {"country": "DE", "hours": "22:00-06:00", "timeZone": "Europe/Berlin"},
                   "url": "https://e.example/night"}],
        "split": [{"url": "https://e.example/b", "weight": 50}], "splitUntil": 4_000_000_000_i64
    });
    let made = server.create(&all)["link"].clone();
    let shown = json!([
        [{"when": {"country": ["DE"], "hours": ["22:00-06:00"], "timeZone": "Europe/Berlin"},
          "url": "https://e.example/night"}],
        [{"url": "https://e.example/b", "weight": 50}], 4_000_000_000_i64, true
    ]);
    assert_eq!(ours(&made), shown);
    let bare = json!({"slug": "all", "url": "https://e.example/new"});
    let put = server.call("PUT", "/api/link/edit", &bare);
    assert_eq!(
        (put.status, ours(&put.json()["link"])),
        (201, shown.clone()),
        "{}",
        put.text
    );
    let replaced = call_tool(&server, "update_link", &bare);
    let replaced = &replaced["structuredContent"];
    assert_eq!(ours(&replaced["link"]), shown);
    assert_eq!(
        replaced.get("removed"),
        None,
        "nothing was lost: {replaced}"
    );
    let read = server.link("all");
    assert_eq!(ours(&read), shown);

    // An export is an import of the same links.
    for format in ["json", "csv"] {
        let path = format!("/api/link/export?format={format}");
        let file = server.get(&path);
        let other = Server::start();
        let kind = if format == "csv" {
            "text/csv"
        } else {
            "application/json"
        };
        other
            .api("POST", "/api/link/import")
            .header("content-type", kind)
            .body(&file.text)
            .send()
            .is(200);
        let read = other.link("all");
        assert_eq!(ours(&read), shown, "{format}");
    }

    let null = json!({"slug": "all", "url": "https://e.example/", "rules": null, "split": null,
                      "splitUntil": null, "forwardPath": null});
    let put = server.call("PUT", "/api/link/edit", &null);
    assert_eq!(ours(&put.json()["link"]), json!([null, null, null, null]));
    server.visit("/all").is(301);
}
