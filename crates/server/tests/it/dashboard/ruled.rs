use serde_json::{Value, json};

use super::{
    browser::Browser,
    instance::add_links,
    looks::in_every_look,
    pages::{Editor, List, Rule},
};
use crate::support::server::{Server, TOKEN};

fn every_member() -> Value {
    json!({
        "startsAt": 1_925_000_000, "startUrl": "https://start.example.com/",
        "expiration": 1_940_689_800, "expiredUrl": "https://end.example.com/",
        "maxVisits": 7, "disabled": true, "forwardPath": true,
        "rules": [
            {"when": {
                "device": ["ios", "tablet"], "country": {"not": ["DE", "AT"]}, "query": {"ref": "poster", "any": true},
                "from": "2030-12-01", "until": 1_923_989_400, "weekday": ["sat", "sun"], "hours": ["22:00-06:00"], "timeZone": "Europe/Berlin",
                "bot": true
            }, "url": "https://one.example.com/"},
            {"when": {
                "browser": ["Safari"], "region": ["Bayern"], "city": ["Berlin", "Wien"], "continent": ["EU"],
                "language": {"not": ["de"]}, "referrer": ["news.example"], "network": {"not": ["192.0.2.0/24"]}
            }, "url": "https://two.example.com/"}
        ],
        "split": [{"url": "https://a.example.com/", "weight": 30}, {"url": "https://b.example.com/", "weight": 20}],
        "splitUntil": 1_929_988_200
    })
}

fn fill_life(browser: &Browser<'_>) {
    let editor = Editor(browser);
    editor.open_section("Start, end and password");
    browser.click("#disabled");
    for (field, value) in [
        // 2031-01-01 00:26:40 in Berlin; fields have no seconds.
        ("starts", "2031-01-01T00:26"),
        ("startUrl", "start.example.com/"),
        ("expires", "2031-07-01T18:30"),
        ("maxVisits", "7"),
        ("expiredUrl", "https://end.example.com/"),
    ] {
        editor.set(field, value);
    }
}

fn fill_rules(browser: &Browser<'_>) {
    let editor = Editor(browser);
    editor.open_section("Where it leads");
    editor.add("Add a rule");
    let first = Rule(browser, 0);
    first.add(&[
        "device", "country", "query", "from", "until", "weekday", "hours", "bot",
    ]);
    first.tick("device", &[1, 4]);
    first.tick("weekday", &[6, 7]);
    first.negate("country");
    browser.click(&first.condition("query", "> .text-button"));
    browser.choose(&first.condition("bot", "select"), "true");
    for (field, value) in [
        ("country", "DE, AT"),
        ("hours", "22:00-06:00"),
        ("query-0", "ref"),
        ("query-0-value", "poster"),
        ("query-1", "any"),
        ("from", "2030-12-01"),
        ("until", "2030-12-20"),
        ("until-time", "10:30"),
        ("url", "one.example.com/"),
    ] {
        first.set(field, value);
    }

    editor.add("Add a rule");
    let second = Rule(browser, 1);
    for (kind, value) in [
        ("browser", "Safari"),
        ("region", "Bayern"),
        ("city", "Berlin, Wien"),
        ("language", "de"),
        ("referrer", "news.example"),
        ("network", "192.0.2.0/24"),
    ] {
        second.add(&[kind]);
        second.set(kind, value);
    }
    second.add(&["continent"]);
    second.tick("continent", &[4]);
    let continents = browser.texts(&second.condition("continent", ".check"));
    assert_eq!(continents[..3], ["Africa", "Antarctica", "Asia"]);
    second.negate("language");
    second.negate("network");
    second.set("url", "https://two.example.com/");
}

fn fill_split(browser: &Browser<'_>) {
    let editor = Editor(browser);
    for (side, url, weight) in [
        ("side-0", "https://a.example.com/", "30"),
        ("side-1", "https://b.example.com/", "20"),
    ] {
        editor.add("Add a destination");
        editor.set(side, url);
        editor.set(&format!("{side}-weight"), weight);
    }
    let rest = browser.text(".split > .hint[aria-live]");
    assert_eq!(rest, "50 % go to the link’s destination.");
    editor.set("split-until", "2031-02-27T20:50");
}

#[test]
fn every_member_of_a_life_and_of_rules_is_made_by_the_form_and_one_is_edited_alone() {
    let server = Server::start();
    let browser = Browser::start(&server);
    browser.zone("Europe/Berlin");
    browser.sign_in("links?new=1", TOKEN);
    let editor = Editor(&browser);
    editor.write("url", "https://example.com/");
    editor.write("slug", "whole");
    fill_life(&browser);
    fill_rules(&browser);
    fill_split(&browser);
    editor.open_section("Behaviour");
    browser.click("#forwardPath");
    editor.save();

    let mut expected = every_member();
    let made = server.link("whole");
    // Fields have no seconds.
    expected["startsAt"] = made["startsAt"].clone();
    assert_eq!(made["startsAt"], 1_924_989_960);
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&made[member], value, "{member}");
    }

    browser.go("links?edit=whole");
    editor.set("maxVisits", "9");
    editor.save();
    let edited = server.link("whole");
    for (member, value) in made.as_object().unwrap() {
        match member.as_str() {
            "maxVisits" | "visitsLeft" => assert_eq!(edited[member], 9),
            "updatedAt" => {}
            _ => assert_eq!(&edited[member], value, "{member}"),
        }
    }
    browser.finish(&[]);
}

#[test]
fn rules_are_moved_and_removed_and_a_fault_stands_at_its_field() {
    let server = Server::start();
    let city = json!({"when": {"city": ["Washington, D.C."]}, "url": "https://one.example.com/"});
    let country = |codes| json!({"when": {"country": codes}, "url": "https://two.example.com/"});
    let rules = json!([city, country(json!(["DE"]))]);
    server.create(&json!({"url": "https://example.com/", "slug": "ruled", "rules": rules}));
    let browser = Browser::signed_in(&server, "links?edit=ruled");
    let editor = Editor(&browser);
    let first = Rule(&browser, 0);
    // The form says what it cannot show.
    let kept = first.condition("city", ".kept");
    browser.reads(&kept, "[\"Washington, D.C.\"]");
    browser.click(&Rule(&browser, 1).part(".rule-up"));
    first.set("country", "DE, ATX");
    editor.send();
    browser.says(
        "#rule-0-country-error",
        "\"ATX\" is not a two-letter country code",
    );
    first.set("country", "DE, AT");
    editor.save();
    let moved = json!([country(json!(["DE", "AT"])), city]);
    assert_eq!(server.link("ruled")["rules"], moved);
    browser.go("links?edit=ruled");
    for _ in 0..2 {
        browser.click(&first.part("[aria-label^='Remove rule']"));
    }
    editor.save();
    assert_eq!(server.link("ruled")["rules"], Value::Null);
    browser.finish(&["400"]);
}

/// A link that begins in 2096.
fn add_later(server: &Server) {
    let later =
        json!({"url": "https://example.com/", "slug": "later", "startsAt": 4_000_000_000_i64});
    server.create(&later);
}

fn add_split(server: &Server) {
    let sides = json!([{"url": "https://example.com/new", "weight": 50}]);
    server.create(&json!({"url": "https://example.com/old", "slug": "split", "split": sides}));
}

#[test]
fn a_link_is_disabled_from_the_list_and_found_by_its_status() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "hidden", "maxVisits": 1}));
    add_later(&server);
    add_links(&server, &["plain"]);
    let browser = Browser::signed_in(&server, "links");
    let list = List(&browser);
    list.marks("later", "scheduled");
    list.marks_nothing_of("plain");
    let switch = |name| {
        browser.click(&List::row("hidden", ".menu-button"));
        browser.click_text(&List::row("hidden", ".menu-item"), name);
    };
    switch("Disable");
    list.marks("hidden", "disabled");
    server.visit("/hidden").is(404);
    list.status("disabled");
    list.shows("hidden");
    list.status("");
    list.has("plain");
    switch("Enable");
    list.marks_nothing_of("hidden");
    let link = server.link("hidden");
    let told = (&link["disabled"], &link["maxVisits"]);
    assert_eq!(told, (&Value::Null, &json!(1)));

    server.visit("/hidden").is(302);
    browser.go("links?status=used-up");
    list.marks("hidden", "used-up");
    browser.finish(&[]);
}

#[test]
fn the_page_of_a_split_link_shows_its_sides_and_what_chance_says() {
    let server = Server::start();
    add_split(&server);
    let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    let visit = server.request("GET", "/split");
    visit.header("user-agent", firefox).send().is(302);
    server.counters_with("slug=split", 1);
    let browser = Browser::signed_in(&server, "analytics?slug=split&range=24h");
    browser.until(
        "the visit is on one side",
        "const rows = [...document.querySelectorAll('.split-card tbody tr')].map((row) => [...row.cells].map((cell) => cell.textContent)); return rows.length === 2 && rows[0][0].endsWith('/new') && rows[0][1] === '50%' && Number(rows[0][4]) + Number(rows[1][4]) === 1",
    );
    assert_eq!(
        browser.text(".split-chance"),
        "Too few visitors so far to tell the difference from chance."
    );
    browser.go("analytics?range=24h");
    browser.find(".panel-card");
    assert!(!browser.has(".split-card"));
    browser.finish(&[]);
}

#[test]
fn the_forms_of_a_life_and_of_rules_are_accessible_and_fit() {
    let server = Server::start();
    let mut body = every_member();
    body["url"] = json!("https://example.com/a/page/with/a/rather/long/address?and=parameters");
    body["slug"] = json!("whole");
    server.create(&body);
    add_later(&server);
    add_split(&server);
    server.visit("/split");
    let browser = Browser::signed_in(&server, "links");
    in_every_look(&browser, |check| {
        browser.go("links?edit=whole&status=all");
        for (name, at) in [
            ("life", "#starts"),
            ("rule-1", "[data-rule='0']"),
            ("rule-1-end", "#rule-0-hours"),
            ("rule-2", "[data-rule='1']"),
            ("split-form", ".split"),
        ] {
            browser.scroll_to(at);
            browser.settle();
            check(name);
        }
        browser.go("links?status=all");
        List(&browser).marks("later", "scheduled");
        browser.settle();
        check("statuses");
        browser.go("analytics?slug=split&range=24h");
        browser.find(".split-chance");
        browser.scroll_to(".split-card");
        browser.settle();
        check("split-panel");
    });
    browser.finish(&[]);
}
