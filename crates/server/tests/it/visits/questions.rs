//! Every question about visits, by REST and MCP.

use std::collections::HashSet;

use serde_json::{Value, json};
use slugline_domain::Dimension;
use url::form_urlencoded;

use crate::{
    api::main_job::unix_seconds,
    mcp::wire::call_tool,
    support::server::{Answer, Server},
};

fn ask(server: &Server, path: &str) -> Answer {
    server.api("GET", path).send()
}

/// A server with two links and four visits by three visitors.
fn visited() -> Server {
    let server = Server::start_with(&[
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_LIST_QUERY_LIMIT", "50"),
    ]);
    server.create(&json!({"url": "https://example.com/docs", "slug": "docs", "id": "docs-1"}));
    server.create(&json!({"url": "https://example.com/a,b", "slug": "sale", "id": "sale-1"}));
    for (slug, address, country, referer) in [
        (
            "docs",
            "198.51.100.1",
            "DE",
            "https://news.example/a?secret=1",
        ),
        ("docs", "198.51.100.2", "DE", "https://news.example/b"),
        ("docs", "198.51.100.2", "FR", ""),
        ("sale", "198.51.100.3", "FR", ""),
    ] {
        let visit = server
            .request("GET", &format!("/{slug}"))
            .header("x-forwarded-for", address)
            .header("cf-ipcountry", country)
            .header("referer", referer)
            .header("user-agent", "Example/1.0")
            .header("accept-language", "de-DE,de;q=0.9");
        assert_eq!(visit.send().status, 301);
    }
    server.counters_with("", 4);
    server
}

#[test]
fn questions_about_four_visits() {
    let server = visited();
    each_shape_adds_up_to_the_visits_that_were_made_on_both_faces(&server);
    an_unknown_zone_is_never_taken_for_the_one_that_was_meant(&server);
    filters_that_can_match_nothing_are_refused_with_what_was_probably_meant(&server);
    addresses_are_shown_as_tokens_only(&server);
    visits_from_nowhere_have_no_place_on_the_map(&server);
    the_export_is_a_file_for_spreadsheets(&server);
    // These two change visits and links.
    the_latest_visits_keep_their_ids(&server);
    an_answer_of_zeros_names_the_slugs_and_channels_that_there_are_not(&server);
}

fn an_unknown_zone_is_never_taken_for_the_one_that_was_meant(server: &Server) {
    for shape in ["views", "heatmap"] {
        let input = |zone: &str| match shape {
            "views" => json!({"unit": "day", "clientTimezone": zone}),
            _ => json!({"clientTimezone": zone}),
        };
        assert_refused(server, shape, &input("Europe/Berlim"), "Europe/Berlim");
        assert_refused(server, shape, &input("Berlin"), "mean Europe/Berlin?");
        // Some browsers name no zone.
        let unknown = both(server, shape, &input("Etc/Unknown"));
        assert_eq!(unknown["timezone"], "Etc/UTC");
    }
}

/// Both faces refuse a question in the same words.
#[track_caller]
fn assert_refused(server: &Server, shape: &str, input: &Value, why: &str) {
    let by_rest = ask(server, &format!("/api/stats/{shape}?{}", query(input))).is(400);
    let by_rest = by_rest.json();
    let message = by_rest["data"]["issues"][0]["message"].as_str().unwrap();
    assert!(message.contains(why), "{input}: {message}");
    let by_mcp = call_tool(server, &format!("get_analytics_{shape}"), input);
    let text = by_mcp["content"][0]["text"].as_str().unwrap();
    assert_eq!(by_mcp["isError"], true, "{input}: {text}");
    assert!(text.contains(message), "{input}: {text}");
}

fn filters_that_can_match_nothing_are_refused_with_what_was_probably_meant(server: &Server) {
    for (filter, value, why) in [
        ("country", json!("Germany"), "did you mean DE?"),
        ("country", json!("!Atlantis"), "is no country code"),
        (
            "timezone",
            json!("Berlin"),
            "did you mean Europe/Berlin?; clientTimezone sets the clock",
        ),
        ("startAt", json!(1_795_413_519_000_i64), "milliseconds"),
        ("endAt", json!(1_795_413_519_000_i64), "milliseconds"),
        ("last", json!("7d"), "did you mean \"startAt\"?"),
    ] {
        for shape in ["counters", "views", "metrics", "heatmap"] {
            let mut input = json!({filter: value});
            match shape {
                "views" => input["unit"] = json!("day"),
                "metrics" => input["type"] = json!("slug"),
                _ => {}
            }
            assert_refused(server, shape, &input, why);
        }
    }
    let lower = both(server, "counters", &json!({"country": "de,fr"}));
    assert_eq!(sum(&lower, "visits"), 4);
    let ignored = ask(server, "/api/stats/counters?colour=red");
    assert_eq!(ignored.header("slugline-ignored"), "colour");
}

fn an_answer_of_zeros_names_the_slugs_and_channels_that_there_are_not(server: &Server) {
    let note = |shape: &str, input: Value| both(server, shape, &input)["note"].clone();
    let helo = json!(r#"no link has the slug "helo""#);
    assert_eq!(note("counters", json!({"slug": "helo"})), helo);
    let typed = json!(r#"no link has the slug "HELO""#);
    assert_eq!(note("counters", json!({"slug": "HELO"})), typed);
    assert_eq!(note("views", json!({"slug": "helo", "unit": "day"})), helo);
    assert_eq!(note("heatmap", json!({"slug": "helo"})), helo);
    let social = json!(r#"no channel is "socail", did you mean "social"?"#);
    assert_eq!(note("counters", json!({"channel": "socail"})), social);
    let possible = json!({"channel": "social"});
    assert_eq!(note("counters", possible), Value::Null);
    let country = json!({"slug": "helo", "type": "country"});
    assert_eq!(note("metrics", country), helo);
    let places = ask(server, "/api/logs/locations?slug=helo").json();
    assert_eq!(places["note"], helo);
    assert_eq!(
        note(
            "counters",
            json!({"slug": "helo,docs,a b", "country": "AT"})
        ),
        r#"no link has the slugs "a b", "helo""#
    );
    for (filter, value) in [
        ("slug", "docs"),
        ("slug", "helo,docs"),
        ("slug", "!helo"),
        ("slug", "(none)"),
        ("country", "AT"),
    ] {
        assert_eq!(note("counters", json!({filter: value})), Value::Null);
    }
    // Visits outlive their link.
    let deleted = server.api("POST", "/api/link/delete");
    assert_eq!(deleted.json(&json!({"slug": "sale"})).send().status, 204);
    assert_eq!(note("counters", json!({"slug": "sale"})), Value::Null);
}

fn query(input: &Value) -> String {
    let pairs = input.as_object().unwrap().iter();
    form_urlencoded::Serializer::new(String::new())
        .extend_pairs(pairs.map(|(name, value)| match value.as_str() {
            Some(text) => (name, text.to_owned()),
            None => (name, value.to_string()),
        }))
        .finish()
}

/// The same question by REST and by its tool; the answers must be equal.
pub(crate) fn both(server: &Server, shape: &str, input: &Value) -> Value {
    let by_rest = ask(server, &format!("/api/stats/{shape}?{}", query(input))).is(200);
    let by_rest = by_rest.json();
    let by_mcp = call_tool(server, &format!("get_analytics_{shape}"), input);
    assert_eq!(by_mcp["structuredContent"], by_rest, "{shape} {input}");
    assert_eq!(
        by_rest["sampling"],
        json!({"interval_max": 1, "exact": true, "dropped": 0})
    );
    assert_eq!(by_rest["rows"], by_rest["data"].as_array().unwrap().len());
    by_rest
}

pub(crate) fn sum(answer: &Value, member: &str) -> u64 {
    let rows = answer["data"].as_array().unwrap().iter();
    rows.map(|row| row[member].as_u64().unwrap()).sum()
}

fn each_shape_adds_up_to_the_visits_that_were_made_on_both_faces(server: &Server) {
    let counters = both(server, "counters", &json!({}));
    assert_eq!(
        counters["data"],
        json!([{"visits": 4, "visitors": 3, "referers": 1}])
    );
    let per_link = both(server, "counters", &json!({"id": "docs-1,sale-1,none"}));
    assert_eq!(
        per_link["data"],
        json!([
            {"id": "docs-1", "visits": 3, "visitors": 2, "referers": 1},
            {"id": "sale-1", "visits": 1, "visitors": 1, "referers": 0},
        ])
    );
    for unit in ["minute", "hour", "day"] {
        for zone in ["Asia/Kathmandu", "Australia/Lord_Howe", "Etc/UTC"] {
            let views = json!({"unit": unit, "clientTimezone": zone});
            let views = both(server, "views", &views);
            assert_eq!(views["timezone"], zone);
            assert_eq!(sum(&views, "visits"), 4, "{unit} {zone}");
            let width = views["data"][0]["time"].as_str().unwrap().len();
            let expected = match unit {
                "minute" => "2025-03-09 03:05",
                "hour" => "2025-03-09 03",
                _ => "2025-03-09",
            };
            assert_eq!(width, expected.len());
        }
    }
    let heatmap = both(
        server,
        "heatmap",
        &json!({"clientTimezone": "America/New_York"}),
    );
    assert_eq!(sum(&heatmap, "visits"), 4);
    let weekday = heatmap["data"][0]["weekday"].as_u64().unwrap();
    assert!((1..=7).contains(&weekday));
    assert_eq!(heatmap["data"][0].get("average"), None);
    let now = unix_seconds();
    for first in [Some(now / 86_400 * 86_400 - 29 * 86_400), None] {
        let asked = json!({"average": true, "startAt": first.unwrap_or(0), "endAt": now});
        let heatmap = both(server, "heatmap", &asked);
        for row in heatmap["data"].as_array().unwrap() {
            let hours = row["average"]["hours"].as_f64().unwrap();
            // The visits are of today, which is the fifth such weekday of 30 days, and of this hour.
            let whole = if first.is_some() { 4.0 } else { 0.0 };
            assert!((whole..=whole + 1.0).contains(&hours), "{row}");
            for counted in ["visits", "visitors"] {
                let average = row["average"][counted].as_f64().unwrap();
                let error = (average * hours - row[counted].as_f64().unwrap()).abs();
                // Both are rounded to four digits after the point.
                assert!(error < 0.0001 * (average + hours), "{row}");
            }
        }
    }
    for dimension in Dimension::ALL.iter().map(|dimension| dimension.name()) {
        let metrics = both(server, "metrics", &json!({"type": dimension}));
        assert_eq!(sum(&metrics, "count"), 4, "{dimension}");
    }
    let countries = both(server, "metrics", &json!({"type": "country", "limit": 1}));
    assert_eq!(countries["data"], json!([{"name": "DE", "count": 2}]));
    assert_eq!(countries["rows_before_limit_at_least"], 2);
    assert_eq!(countries["others"], 2);
    let slugs = json!({"type": "slug", "visitors": true});
    assert_eq!(
        both(server, "metrics", &slugs)["data"],
        json!([
            {"name": "docs", "count": 3, "visitors": 2},
            {"name": "sale", "count": 1, "visitors": 1},
        ])
    );
    let french = json!({"type": "slug", "country": "FR", "startAt": unix_seconds() - 3_600});
    let french = both(server, "metrics", &french);
    assert_eq!(
        french["data"],
        json!([{"name": "docs", "count": 1}, {"name": "sale", "count": 1}])
    );
    let early = both(server, "views", &json!({"unit": "day", "endAt": 1_000}));
    assert_eq!(early["data"], json!([]));
}

fn addresses_are_shown_as_tokens_only(server: &Server) {
    let tokens = both(server, "metrics", &json!({"type": "ip"}));
    let tokens = tokens["data"].as_array().unwrap();
    assert_eq!((tokens.len(), &tokens[0]["count"]), (3, &json!(2)));
    for row in tokens {
        let name = row["name"].as_str().unwrap();
        assert!(
            name.len() == 16 && name.bytes().all(|b| b.is_ascii_hexdigit()),
            "{name}"
        );
    }
    let events = ask(server, "/api/logs/events").text;
    assert!(
        !events.contains("198.51.100") && !events.contains("\"ip\""),
        "{events}"
    );
}

fn the_latest_visits_keep_their_ids(server: &Server) {
    let events = || ask(server, "/api/logs/events").json();
    let first = events();
    let listed = first.as_array().unwrap();
    assert_eq!(listed.len(), 4);
    let ids: HashSet<&str> = listed
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 4);
    assert!(ids.iter().all(|id| id.starts_with("evt_")));
    let times: Vec<u64> = listed
        .iter()
        .map(|event| event["timestamp"].as_u64().unwrap())
        .collect();
    assert!(times.is_sorted_by(|newer, older| newer >= older));
    assert!(unix_seconds() - times[3] < 600);
    let german = ask(server, "/api/logs/events?country=DE&limit=1").json();
    assert_eq!(german.as_array().unwrap().len(), 1);
    assert_eq!(german[0]["referer"], "news.example");
    assert_eq!(german[0]["url"], "https://example.com/docs");
    assert_eq!(german[0]["ua"], "Example/1.0");

    assert_eq!(server.visit("/docs").status, 301);
    server.counters_with("", 5);
    let later = events();
    let later: HashSet<&str> = later
        .as_array()
        .unwrap()
        .iter()
        .map(|event| event["id"].as_str().unwrap())
        .collect();
    assert_eq!(later.len(), 5);
    assert!(ids.is_subset(&later));
}

fn visits_from_nowhere_have_no_place_on_the_map(server: &Server) {
    let places = ask(server, "/api/logs/locations").json();
    assert_eq!(places["data"], json!([]));
    assert_eq!(places["rows_before_limit_at_least"], 0);
    assert_eq!(places["sampling"]["exact"], true);
}

fn the_export_is_a_file_for_spreadsheets(server: &Server) {
    let file = ask(server, "/api/stats/export").is(200);
    assert_eq!(file.header("content-type"), "text/csv; charset=utf-8");
    assert_eq!(file.header("cache-control"), "no-store");
    let disposition = file.header("content-disposition");
    assert!(
        disposition.starts_with("attachment; filename=\"slugline-access-2")
            && disposition.ends_with("Z.csv\""),
        "{disposition}"
    );
    assert_eq!(
        file.text.trim_start_matches('\u{feff}'),
        "slug,url,viewer,views,referer\n\
         docs,https://example.com/docs,2,3,1\n\
         sale,\"https://example.com/a,b\",1,1,0\n"
    );
    assert!(file.text.starts_with('\u{feff}'));
    let some = ask(server, "/api/stats/export?slug=sale").text;
    assert_eq!(some.lines().count(), 2);
}

#[test]
fn wrong_questions_are_told_what_is_wrong_and_documents_name_the_limit() {
    let server = Server::start_with(&[("SLUGLINE_LIST_QUERY_LIMIT", "50")]);
    for (path, member) in [
        ("/api/stats/views?unit=week", "unit"),
        (
            "/api/stats/views?unit=day&clientTimezone=a%20b",
            "clientTimezone",
        ),
        ("/api/stats/heatmap?clientTimezone=", "clientTimezone"),
        ("/api/stats/heatmap?average=mean", "average"),
        ("/api/stats/metrics?type=colo", "type"),
        ("/api/stats/metrics?type=os&limit=51", "limit"),
        ("/api/stats/metrics?type=os&limit=0", "limit"),
        ("/api/stats/export?startAt=9&endAt=8", "endAt"),
        ("/api/logs/events?limit=51", "limit"),
        ("/api/logs/locations?id=a%20b", "id"),
        ("/api/logs/locations?city=a%07b", "city"),
    ] {
        let refused = ask(&server, path).is(400);
        let issue = &refused.json()["data"]["issues"][0];
        assert_eq!(issue["path"], json!([member]), "{path}");
    }
    // Other shapes do not exist.
    for path in ["/api/stats/nothing", "/api/logs/nothing"] {
        let missing = ask(&server, path).is(404);
        assert_eq!(missing.json()["code"], "route_not_found");
    }
    let document = server.visit("/_docs/openapi.json").json();
    for path in [
        "/api/stats/metrics",
        "/api/logs/events",
        "/api/logs/locations",
    ] {
        let parameters = document["paths"][path]["get"]["parameters"]
            .as_array()
            .unwrap();
        let limit = parameters
            .iter()
            .find(|one| one["name"] == "limit")
            .unwrap();
        assert_eq!(limit["schema"]["maximum"], 50, "{path}");
        assert_eq!(limit["schema"]["default"], 50, "{path}");
    }
}

#[test]
fn a_log_that_cannot_be_read_stops_questions_and_no_redirect() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    // No earlier request has opened the file for reading.
    let file = server.folder().join("analytics.db");
    std::fs::rename(&file, file.with_extension("away")).unwrap();
    for path in [
        "/api/stats/counters",
        "/api/stats/views?unit=day",
        "/api/stats/metrics?type=os",
        "/api/stats/heatmap",
        "/api/stats/export",
        "/api/logs/events",
        "/api/logs/locations",
    ] {
        let failed = ask(&server, path).is(503);
        assert_eq!(failed.json()["code"], "unavailable");
    }
    let told = call_tool(&server, "get_analytics_heatmap", &json!({}));
    assert_eq!(told["isError"], true);
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("access log cannot be read at the moment"),
        "{text}"
    );
    assert_eq!(server.visit("/docs").status, 301);
}
