//! Filters of visits: bots, tags, values to include and to exclude. Every shape must count the
//! same visits, by REST and MCP.

use std::collections::BTreeSet;

use serde_json::json;
use url::form_urlencoded;

use crate::{
    support::server::Server,
    visits::questions::{both, sum},
};

const PERSON: &str = "Example/1.0";
const CRAWLER: &str = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)";
const FETCHER: &str = "facebookexternalhit/1.1";

struct Visit {
    slug: &'static str,
    country: &'static str,
    city: &'static str,
    agent: &'static str,
}

const fn visit(
    slug: &'static str,
    country: &'static str,
    city: &'static str,
    agent: &'static str,
) -> Visit {
    Visit {
        slug,
        country,
        city,
        agent,
    }
}

const VISITS: [Visit; 7] = [
    visit("docs", "DE", "Kassel", PERSON),
    visit("docs", "FR", "Lyon", PERSON),
    visit("docs", "XX", "", CRAWLER),
    visit("sale", "DE", "Kassel", FETCHER),
    visit("sale", "FR", "Lyon", PERSON),
    visit("bare", "XX", "", PERSON),
    visit("gone", "NP", "Patan", PERSON),
];

/// A server with these visits. "docs" and "sale" are about news, "sale" is a
/// campaign, and "gone" was one until it was deleted.
fn visited() -> Server {
    let server = Server::start_with(&[("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1")]);
    for (slug, tags) in [
        ("docs", json!(["news"])),
        ("sale", json!(["News", "campaign"])),
        ("bare", json!([])),
        ("gone", json!(["campaign"])),
    ] {
        let (url, id) = (format!("https://example.com/{slug}"), format!("{slug}-1"));
        server.create(&json!({"url": url, "slug": slug, "id": id, "tags": tags}));
    }
    for visit in &VISITS {
        let answer = server
            .request("GET", &format!("/{}", visit.slug))
            .header("x-forwarded-for", "198.51.100.1")
            // Cloudflare's code for "unknown" is XX.
            .header("cf-ipcountry", visit.country)
            .header("cf-ipcity", visit.city)
            .header("cf-iplatitude", "51.3")
            .header("cf-iplongitude", "9.5")
            .header("user-agent", visit.agent)
            .send();
        assert_eq!(answer.status, 301);
    }
    server.counters_with("", 7);
    let deleted = server
        .api("POST", "/api/link/delete")
        .json(&json!({"slug": "gone"}));
    assert_eq!(deleted.send().status, 204);
    server
}

type Wanted = fn(&Visit) -> bool;

const FILTERS: [(&str, Wanted); 24] = [
    ("bots=include", |_| true),
    ("bots=exclude", |visit| visit.agent == PERSON),
    ("bots=only", |visit| visit.agent != PERSON),
    ("country=DE", |visit| visit.country == "DE"),
    ("country=!DE", |visit| visit.country != "DE"),
    ("country=(none)", |visit| visit.country == "XX"),
    ("country=!(none)", |visit| visit.country != "XX"),
    ("country=(none),DE", |visit| {
        visit.country == "XX" || visit.country == "DE"
    }),
    ("city=(none)", |visit| visit.city.is_empty()),
    ("city=\u{1f1e9}\u{1f1ea} Kassel,Germany", |visit| {
        visit.city == "Kassel"
    }),
    (
        "city=!\u{1f1e9}\u{1f1ea} Kassel,Germany,!\u{1f1f3}\u{1f1f5} Patan,Nepal",
        |visit| visit.city != "Kassel" && visit.city != "Patan",
    ),
    ("browserType=(none)", |visit| visit.agent == PERSON),
    ("browserType=crawler&bots=exclude", |_| false),
    ("referer=(none)", |_| true),
    ("referer=!(none)", |_| false),
    ("id=!docs-1", |visit| visit.slug != "docs"),
    ("slug=!docs,!gone", |visit| {
        visit.slug == "sale" || visit.slug == "bare"
    }),
    ("tag=news", |visit| {
        visit.slug == "docs" || visit.slug == "sale"
    }),
    ("tag=CAMPAIGN", |visit| visit.slug == "sale"),
    ("tag=!campaign", |visit| visit.slug != "sale"),
    ("tag=nobody's", |_| false),
    ("tag=!nobody's", |_| true),
    ("tag=news&bots=exclude&country=!DE", |visit| {
        visit.slug != "bare" && visit.agent == PERSON && visit.country == "FR"
    }),
    ("tag=news&id=!sale-1", |visit| visit.slug == "docs"),
];

#[test]
fn filters_of_visits_and_tags_of_links() {
    let server = visited();
    every_shape_counts_the_visits_that_are_asked_for(&server);
    ids_and_tags_together_give_a_row_for_each_link_of_both(&server);
    // This one changes tags.
    a_tag_means_the_links_that_have_it_when_the_question_is_asked(&server);
}

fn every_shape_counts_the_visits_that_are_asked_for(server: &Server) {
    for (filter, wanted) in FILTERS {
        let mut expected: Vec<&str> = VISITS
            .iter()
            .filter(|visit| wanted(visit))
            .map(|visit| visit.slug)
            .collect();
        expected.sort_unstable();
        let visits = u64::try_from(expected.len()).unwrap();
        let pairs: Vec<(&str, &str)> = filter
            .split('&')
            .map(|pair| pair.split_once('=').unwrap())
            .collect();
        for (shape, more, member) in [
            ("counters", json!({}), "visits"),
            ("views", json!({"unit": "day"}), "visits"),
            ("heatmap", json!({}), "visits"),
            ("metrics", json!({"type": "slug"}), "count"),
        ] {
            let mut input = more;
            for (name, value) in &pairs {
                input[*name] = json!(value);
            }
            let answer = both(server, shape, &input);
            assert_eq!(sum(&answer, member), visits, "{shape} {filter}");
        }
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(&pairs)
            .finish();
        let get = |path: &str| server.get(&format!("{path}?{query}")).is(200);
        let places = get("/api/logs/locations").json();
        assert_eq!(sum(&places, "count"), visits, "{filter}");
        let events = get("/api/logs/events").json();
        let events = events.as_array().unwrap().iter();
        let mut found: Vec<&str> = events
            .map(|event| event["slug"].as_str().unwrap())
            .collect();
        found.sort_unstable();
        assert_eq!(found, expected, "{filter}");
        let export = get("/api/stats/export").text;
        let lines = export.lines().skip(1);
        let exported: BTreeSet<&str> = lines.filter_map(|line| line.split(',').next()).collect();
        assert_eq!(exported, expected.into_iter().collect(), "{filter}");
    }
}

fn ids_and_tags_together_give_a_row_for_each_link_of_both(server: &Server) {
    let rows = both(
        server,
        "counters",
        &json!({"id": "docs-1,sale-1,bare-1", "tag": "campaign"}),
    );
    assert_eq!(
        rows["data"],
        json!([{"id": "sale-1", "visits": 2, "visitors": 1, "referers": 0}])
    );
    let nobody = json!({"id": "docs-1", "tag": "nobody's"});
    assert_eq!(both(server, "counters", &nobody)["data"], json!([]));
    let nobody = both(server, "counters", &json!({"tag": "nobody's"}));
    assert_eq!(
        nobody["data"],
        json!([{"visits": 0, "visitors": 0, "referers": 0}])
    );
}

fn a_tag_means_the_links_that_have_it_when_the_question_is_asked(server: &Server) {
    let count = |tag: &str| sum(&both(server, "counters", &json!({"tag": tag})), "visits");
    assert_eq!((count("later"), count("campaign")), (0, 2));
    for (slug, tags) in [("bare", json!(["later"])), ("sale", json!([]))] {
        let patch = json!({"slug": slug, "tags": tags});
        let patched = server.api("PATCH", "/api/link/edit").json(&patch).send();
        assert!(patched.status < 300, "{}", patched.text);
    }
    assert_eq!((count("later"), count("campaign")), (1, 0));
}
