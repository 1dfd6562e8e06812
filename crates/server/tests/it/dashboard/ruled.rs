use serde_json::{Value, json};

use super::{
    browser::Browser,
    looks::{LOOKS, faults_of_look},
};
use crate::support::server::Server;

fn read(server: &Server, slug: &str) -> Value {
    let answer = server
        .api("GET", &format!("/api/link/query?slug={slug}"))
        .send();
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

fn open_section(browser: &Browser<'_>, title: &str) {
    browser.click_text(".section-head", title);
}

fn set(browser: &Browser<'_>, css: &str, value: &str) {
    browser.find(css);
    browser.run_with(
        "const [css, value] = arguments[0]; const field = document.querySelector(css); field.value = value; field.dispatchEvent(new Event('input', { bubbles: true }))",
        &json!([css, value]),
    );
}

fn condition(rule: usize, kind: &str) -> String {
    format!("[data-rule=\"{rule}\"] [data-kind={kind}]")
}

fn add(browser: &Browser<'_>, rule: usize, kind: &str) {
    browser.choose(
        &format!("[data-rule=\"{rule}\"] .add-condition select"),
        kind,
    );
    browser.find(&condition(rule, kind));
}

fn save(browser: &Browser<'_>) {
    browser.click(".panel-foot .primary");
    browser.until(
        "the panel is closed",
        "return document.querySelector('.panel') === null",
    );
}

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
    open_section(browser, "Start, end and password");
    browser.click("#disabled");
    // 2031-01-01 00:26:40 in Berlin; fields have no seconds.
    set(browser, "#starts", "2031-01-01T00:26");
    set(browser, "#startUrl", "start.example.com/");
    set(browser, "#expires", "2031-07-01T18:30");
    set(browser, "#maxVisits", "7");
    set(browser, "#expiredUrl", "https://end.example.com/");
}

fn fill_rules(browser: &Browser<'_>) {
    open_section(browser, "Rules and split");
    browser.click_text(".text-button", "Add a rule");
    for kind in [
        "device", "country", "query", "from", "until", "weekday", "hours", "bot",
    ] {
        add(browser, 0, kind);
    }
    let first = |kind: &str, rest: &str| format!("{} {rest}", condition(0, kind));
    for place in [1, 4] {
        browser.click(&first(
            "device",
            &format!(".check:nth-child({place}) input"),
        ));
    }
    set(browser, "#rule-0-country", "DE, AT");
    browser.choose(&first("country", ".condition-head select"), "not");
    set(browser, "#rule-0-query-0", "ref");
    set(browser, "#rule-0-query-0-value", "poster");
    browser.click(&first("query", "> .text-button"));
    set(browser, "#rule-0-query-1", "any");
    set(browser, "#rule-0-from", "2030-12-01");
    set(browser, "#rule-0-until", "2030-12-20");
    set(browser, "#rule-0-until-time", "10:30");
    for place in [6, 7] {
        browser.click(&first(
            "weekday",
            &format!(".check:nth-child({place}) input"),
        ));
    }
    set(browser, "#rule-0-hours", "22:00-06:00");
    browser.choose(&first("bot", "select"), "true");
    set(browser, "#rule-0-url", "one.example.com/");

    browser.click_text(".text-button", "Add a rule");
    for (kind, value) in [
        ("browser", "Safari"),
        ("region", "Bayern"),
        ("city", "Berlin, Wien"),
        ("continent", ""),
        ("language", "de"),
        ("referrer", "news.example"),
        ("network", "192.0.2.0/24"),
    ] {
        add(browser, 1, kind);
        if !value.is_empty() {
            set(browser, &format!("#rule-1-{kind}"), value);
        }
    }
    browser.click(&format!(
        "{} .check:nth-child(4) input",
        condition(1, "continent")
    ));
    let continents = format!("{} .check", condition(1, "continent"));
    assert_eq!(
        browser.texts(&continents)[..3],
        ["Africa", "Antarctica", "Asia"]
    );
    for kind in ["language", "network"] {
        browser.choose(
            &format!("{} .condition-head select", condition(1, kind)),
            "not",
        );
    }
    set(browser, "#rule-1-url", "https://two.example.com/");
}

fn fill_split(browser: &Browser<'_>) {
    browser.click_text(".text-button", "Add a destination");
    set(browser, "#side-0", "https://a.example.com/");
    set(browser, "#side-0-weight", "30");
    browser.click_text(".text-button", "Add a destination");
    set(browser, "#side-1", "https://b.example.com/");
    set(browser, "#side-1-weight", "20");
    assert_eq!(
        browser.text(".split > .hint[aria-live]"),
        "50 % go to the link’s destination."
    );
    set(browser, "#split-until", "2031-02-27T20:50");
}

#[test]
fn every_member_of_a_life_and_of_rules_is_made_by_the_form_and_one_is_edited_alone() {
    let server = Server::start();
    let browser = Browser::start(&server);
    browser.zone("Europe/Berlin");
    browser.go(&format!(
        "links?new=1#token={}",
        crate::support::server::TOKEN
    ));
    browser.type_into("#url", "https://example.com/");
    browser.type_into("#slug", "whole");
    fill_life(&browser);
    fill_rules(&browser);
    fill_split(&browser);
    open_section(&browser, "Behaviour");
    browser.click("#forwardPath");
    save(&browser);

    let mut expected = every_member();
    let made = read(&server, "whole");
    // Fields have no seconds.
    expected["startsAt"] = made["startsAt"].clone();
    assert_eq!(made["startsAt"], 1_924_989_960);
    for (member, value) in expected.as_object().unwrap() {
        assert_eq!(&made[member], value, "{member}");
    }

    browser.go("links?edit=whole");
    set(&browser, "#maxVisits", "9");
    save(&browser);
    let edited = read(&server, "whole");
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
    server.create(
        &json!({"url": "https://example.com/", "slug": "ruled", "rules": [
            {"when": {"city": ["Washington, D.C."]}, "url": "https://one.example.com/"},
            {"when": {"country": ["DE"]}, "url": "https://two.example.com/"}
        ]}),
    );
    let browser = Browser::signed_in(&server, "links?edit=ruled");
    browser.until("the form says what it cannot show", "return document.querySelector('[data-kind=city] .kept')?.textContent === '[\"Washington, D.C.\"]'");
    browser.click("[data-rule=\"1\"] .rule-up");
    set(&browser, "#rule-0-country", "DE, ATX");
    browser.click(".panel-foot .primary");
    browser.until("the fault stands at its field", "return document.querySelector('#rule-0-country-error')?.textContent.includes('\"ATX\" is not a two-letter country code')");
    set(&browser, "#rule-0-country", "DE, AT");
    save(&browser);
    assert_eq!(
        read(&server, "ruled")["rules"],
        json!([
            {"when": {"country": ["DE", "AT"]}, "url": "https://two.example.com/"},
            {"when": {"city": ["Washington, D.C."]}, "url": "https://one.example.com/"}
        ])
    );
    browser.go("links?edit=ruled");
    for _ in 0..2 {
        browser.click("[data-rule=\"0\"] [aria-label^='Remove rule']");
    }
    save(&browser);
    assert_eq!(read(&server, "ruled")["rules"], Value::Null);
    browser.finish(&["400"]);
}

#[test]
fn a_link_is_disabled_from_the_list_and_found_by_its_status() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "hidden", "maxVisits": 1}));
    server.create(
        &json!({"url": "https://example.com/", "slug": "later", "startsAt": 4_000_000_000_i64}),
    );
    server.create(&json!({"url": "https://example.com/", "slug": "plain"}));
    let browser = Browser::signed_in(&server, "links");
    browser.find("[data-slug=later] [data-status=scheduled]");
    assert!(!browser.has("[data-slug=plain] [data-status]"));
    let switch = |name: &str| {
        browser.click("[data-slug=hidden] .menu-button");
        browser.click_text("[data-slug=hidden] .menu-item", name);
    };
    switch("Disable");
    browser.find("[data-slug=hidden] [data-status=disabled]");
    assert_eq!(server.request("GET", "/hidden").send().status, 404);
    browser.choose(".toolbar select", "disabled");
    browser.until(
        "only it is listed",
        "return [...document.querySelectorAll('.list .row')].map((row) => row.dataset.slug).join() === 'hidden'",
    );
    browser.choose(".toolbar select", "");
    browser.find("[data-slug=plain]");
    switch("Enable");
    browser.until(
        "it is on again",
        "return !document.querySelector('[data-slug=hidden] [data-status]')",
    );
    let link = read(&server, "hidden");
    assert_eq!(
        (&link["disabled"], &link["maxVisits"]),
        (&Value::Null, &json!(1))
    );

    assert_eq!(server.request("GET", "/hidden").send().status, 302);
    browser.go("links?status=used-up");
    browser.find("[data-slug=hidden] [data-status=used-up]");
    browser.finish(&[]);
}

#[test]
fn the_page_of_a_split_link_shows_its_sides_and_what_chance_says() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/old", "slug": "split", "split": [{"url": "https://example.com/new", "weight": 50}]}));
    let ask = |agent: &str| {
        let visit = server.request("GET", "/split").header("user-agent", agent);
        assert_eq!(visit.send().status, 302);
    };
    ask("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0");
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
    server.create(
        &json!({"url": "https://example.com/", "slug": "later", "startsAt": 4_000_000_000_i64}),
    );
    server.create(&json!({"url": "https://example.com/old", "slug": "split", "split": [{"url": "https://example.com/new", "weight": 50}]}));
    server.request("GET", "/split").send();
    let browser = Browser::signed_in(&server, "links");
    let mut found = Vec::new();
    for (look_name, look) in LOOKS {
        browser.look(look);
        browser.go("links?edit=whole&status=all");
        for (name, at) in [
            ("life", "#starts"),
            ("rule-1", "[data-rule=\"0\"]"),
            ("rule-1-end", "#rule-0-hours"),
            ("rule-2", "[data-rule=\"1\"]"),
            ("split-form", ".split"),
        ] {
            browser.find(at);
            browser.run_with(
                "document.querySelector(arguments[0]).scrollIntoView()",
                &json!(at),
            );
            browser.settle();
            found.extend(faults_of_look(&browser, name, look_name));
        }
        browser.go("links?status=all");
        browser.find("[data-slug=later] [data-status=scheduled]");
        browser.settle();
        found.extend(faults_of_look(&browser, "statuses", look_name));
        browser.go("analytics?slug=split&range=24h");
        browser.find(".split-chance");
        browser.run("document.querySelector('.split-card').scrollIntoView()");
        browser.settle();
        found.extend(faults_of_look(&browser, "split-panel", look_name));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    browser.finish(&[]);
}
