//! The campaigns that visits come from, in every answer that tells of visits.

use serde_json::{Value, json};

use crate::{support::server::Server, visits::questions::both};

/// A link without a campaign, one whose destination has one, and one with a password; visits
/// with and without campaigns of their own.
fn visited() -> Server {
    let server = Server::start();
    let tagged = "https://example.com/?utm_source=site&utm_medium=web&utm_campaign=spring";
    server.create(&json!({"slug": "plain", "url": "https://example.com/"}));
    server.create(&json!({"slug": "tagged", "url": tagged}));
    server.create(&json!({"slug": "locked", "url": "https://example.com/", "password": "pw"}));
    for (path, location) in [
        ("/plain", "https://example.com/"),
        (
            "/plain?utm_source=newsletter&utm_campaign=autumn%2C+2026",
            "https://example.com/",
        ),
        ("/tagged", tagged),
        ("/tagged?token=secret&utm_source=newsletter", tagged),
    ] {
        let answer = server.visit(path).is(301);
        assert_eq!(answer.header("location"), location);
    }
    let form = server
        .request("POST", "/locked?utm_source=newsletter")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("password=pw&confirm=true");
    assert_eq!(form.send().status, 303);
    server.counters_with("", 5);
    server
}

#[test]
fn campaigns_of_visits() {
    let server = visited();
    a_visit_belongs_to_the_campaign_of_its_address_or_else_of_its_destination(&server);
    single_visits_tell_of_their_campaign_and_of_nothing_else_in_the_query(&server);
}

fn a_visit_belongs_to_the_campaign_of_its_address_or_else_of_its_destination(server: &Server) {
    for (kind, expected) in [
        (
            "utmSource",
            json!([["newsletter", 3], ["", 1], ["site", 1]]),
        ),
        ("utmMedium", json!([["", 3], ["web", 2]])),
        (
            "utmCampaign",
            json!([["", 2], ["spring", 2], ["autumn, 2026", 1]]),
        ),
    ] {
        let answer = both(server, "metrics", &json!({"type": kind}));
        let rows = answer["data"].as_array().unwrap().iter();
        let found: Vec<Value> = rows.map(|row| json!([row["name"], row["count"]])).collect();
        assert_eq!(json!(found), expected, "{kind}");
    }
}

fn single_visits_tell_of_their_campaign_and_of_nothing_else_in_the_query(server: &Server) {
    let events = "/api/logs/events?slug=tagged&utmSource=newsletter";
    let events = server.api("GET", events).send();
    let event = &events.json()[0];
    assert_eq!(
        [
            &event["utmSource"],
            &event["utmMedium"],
            &event["utmCampaign"]
        ],
        ["newsletter", "web", "spring"]
    );
    assert!(!events.text.contains("secret"), "{}", events.text);

    let file = server
        .api("GET", "/api/logs/export?format=csv&slug=plain")
        .send();
    assert_eq!(file.status, 200, "{}", file.text);
    let mut lines = file.text.lines();
    let names = lines.next().unwrap();
    assert!(
        names.contains(",language,utm_source,utm_medium,utm_campaign,"),
        "{names}"
    );
    let has_campaign = |line: &str| line.contains(r#",newsletter,,"autumn, 2026","#);
    assert_eq!(
        lines.filter(|line| has_campaign(line)).count(),
        1,
        "{}",
        file.text
    );
}
