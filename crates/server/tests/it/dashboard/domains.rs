//! Several domains in one instance: the switch, links of the same slug, and the Set-up page.

use serde_json::{Value, json};

use super::{
    browser::Browser,
    looks::{LOOKS, faults_of_look},
};
use crate::support::server::Server;

/// A server whose host `go.example` has a link with the slug of a link of the default domain.
fn with_two_domains() -> Server {
    let server = Server::start();
    let added = server.api("POST", "/api/domains");
    let added = added.json(&json!({"host": "go.example"})).send();
    assert_eq!(added.status, 201, "{}", added.text);
    server.create(&json!({"url": "https://example.com/default", "slug": "promo"}));
    server.create(
        &json!({"url": "https://example.com/named", "slug": "promo", "domain": "go.example"}),
    );
    server
}

fn visit(server: &Server, host: &str) -> String {
    let answer = server.request("GET", "/promo").header("host", host).send();
    answer.header("location").to_owned()
}

fn comment(server: &Server, query: &str) -> Value {
    let path = format!("/api/link/query?slug=promo{query}");
    server.api("GET", &path).send().json()["comment"].clone()
}

fn rows(browser: &Browser<'_>, keys: &[&str]) {
    browser.until(
        &format!("the rows {keys:?}"),
        &format!(
            "return JSON.stringify([...document.querySelectorAll('.list:not(.skeleton):not(.stale) .row')].map((row) => row.dataset.slug).sort()) === {:?}",
            json!(keys).to_string()
        ),
    );
}

#[test]
fn one_domain_has_no_switch_and_shows_no_host() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "promo"}));
    let browser = Browser::signed_in(&server, "links?edit=promo");
    rows(&browser, &["promo"]);
    browser.settle();
    assert!(!browser.has(".domain-switch"));
    assert_eq!(browser.text(".row-slug"), "/promo");
    browser.go("links?new=1");
    browser.find("#slug");
    assert!(!browser.has(".domain-of-new"));
    // A domain that is not there is the default one.
    browser.go("links?domain=gone.example");
    rows(&browser, &["promo"]);
    browser.go("analytics");
    browser.find("#tab-url");
    assert!(!browser.has("#tab-domain"));
    browser.finish(&["400"]);
}

#[test]
fn links_of_one_slug_in_two_domains_are_told_apart() {
    let server = with_two_domains();
    let browser = Browser::signed_in(&server, "links");
    rows(&browser, &["promo"]);
    browser.find(".domain-switch");
    browser.choose(".domain-switch select", "*");
    rows(&browser, &["go.example/promo", "promo"]);
    let shown = browser.texts(".row-slug");
    assert!(shown.contains(&"go.example/promo".to_owned()), "{shown:?}");

    // The choice is remembered, and it is part of the address.
    assert!(
        browser.address().ends_with("domain=*"),
        "{}",
        browser.address()
    );
    browser.go("links");
    rows(&browser, &["go.example/promo", "promo"]);
    browser.choose(".domain-switch select", "go.example");
    rows(&browser, &["go.example/promo"]);

    // An edit reaches the link of the domain alone.
    browser.click("[data-slug='go.example/promo'] .row-slug");
    browser.find("#comment");
    browser.until(
        "its address",
        "return document.querySelector('.panel-body a.mono')?.textContent.startsWith('go.example:')",
    );
    browser.fill("#comment", "only here");
    browser.click(".panel-foot [type=submit]");
    browser.until("it is saved", "return !document.querySelector('.panel')");
    assert_eq!(comment(&server, "&domain=go.example"), "only here");
    assert_eq!(comment(&server, ""), Value::Null);

    // A new link is of the domain that is looked at, or of another one.
    browser.go("links?new=1");
    browser.type_into("#url", "https://example.com/made");
    browser.type_into("#slug", "made");
    browser.click(".panel-foot [type=submit]");
    rows(&browser, &["go.example/made", "go.example/promo"]);
    browser.go("links?new=1");
    browser.type_into("#url", "https://example.com/other");
    browser.type_into("#slug", "made");
    browser.choose(".domain-of-new select", "");
    browser.click(".panel-foot [type=submit]");
    browser.until("it is made", "return !document.querySelector('.panel')");
    browser.choose(".domain-switch select", "");
    rows(&browser, &["made", "promo"]);

    // An action on links of both domains.
    browser.choose(".domain-switch select", "*");
    rows(
        &browser,
        &["go.example/made", "go.example/promo", "made", "promo"],
    );
    for key in ["go.example/made", "made"] {
        browser.click(&format!("[data-slug='{key}'] .row-check input"));
    }
    browser.click(".bulk > .danger");
    browser.until(
        "two would go",
        "return document.querySelector('[data-outcome=bulkWould] dd')?.textContent === '2' && !document.querySelector('dialog [type=submit]').disabled",
    );
    browser.click("dialog [type=submit]");
    rows(&browser, &["go.example/promo", "promo"]);
    browser.finish(&[]);
}

#[test]
fn visits_of_one_slug_in_two_domains_are_told_apart() {
    let server = with_two_domains();
    assert_eq!(visit(&server, "go.example"), "https://example.com/named");
    for _ in 0..2 {
        assert_eq!(visit(&server, "s.example"), "https://example.com/default");
    }
    server.counters_with("", 3);
    let browser = Browser::signed_in(&server, "analytics?slug=go.example/promo");
    let visits = |browser: &Browser<'_>, number: u32| {
        browser.until(
            &format!("{number} visits"),
            &format!("return document.querySelector('[data-counter=visits] .counter-value')?.textContent === '{number}'"),
        );
    };
    visits(&browser, 1);
    browser.go("analytics");
    browser.find(".domain-switch");
    visits(&browser, 2);
    browser.choose(".domain-switch select", "*");
    visits(&browser, 3);
    browser.click("#tab-domain");
    browser.until(
        "both domains",
        "return document.querySelectorAll('[data-panel=links] .values li').length === 2",
    );
    browser.click_text("[data-panel=links] .value-name", "go.example");
    visits(&browser, 1);
    browser.go("analytics?slug=promo,go.example/promo");
    browser.until(
        "a line for each",
        "return document.querySelectorAll('.timeline .legend-people').length === 2",
    );
    browser.go("live?domain=*");
    browser.until(
        "all visits",
        "return document.querySelectorAll('.event').length === 3",
    );
    browser.choose(".domain-switch select", "go.example");
    browser.until(
        "visits of one domain",
        "return document.querySelectorAll('.event').length === 1 && document.querySelector('.event-link a').textContent === 'go.example/promo'",
    );
    browser.finish(&[]);
}

#[test]
fn domains_are_added_edited_and_taken_away_on_the_set_up_page() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "setup");
    browser.type_into("#domain-host", "go.example");
    browser.type_into("#domain-homeUrl", "nonsense");
    browser.click(".domain-form [type=submit]");
    browser.find("#domain-homeUrl-error");
    browser.fill("#domain-homeUrl", "https://example.com/");
    browser.click(".domain-form [type=submit]");
    browser.find("[data-domain='go.example']");
    browser.find(".domain-switch");
    server.create(&json!({"url": "https://example.com/", "slug": "promo", "domain": "go.example"}));

    browser.click("[data-domain='go.example'] button");
    browser.click("dialog .domain-form input[type=checkbox]");
    browser.click("dialog .domain-form [type=submit]");
    browser.until("it is saved", "return !document.querySelector('dialog')");
    let told = server.api("GET", "/api/domains").send().json();
    let domain = &told["domains"][0];
    assert_eq!(domain["fallThrough"], true, "{told}");
    assert_eq!(domain["homeUrl"], "https://example.com/", "{told}");

    // It has a link, so it stays until the operator says what becomes of that.
    let remove = "[data-domain='go.example'] button:last-of-type";
    browser.click(remove);
    browser.click("dialog .danger");
    browser.find("dialog .error-note");
    browser.choose(".domain-links select", "move");
    browser.find(".domain-target");
    browser.click("dialog .danger");
    browser.until(
        "it is gone",
        "return !document.querySelector('[data-domain]') && !document.querySelector('.domain-switch')",
    );
    let moved = server.api("GET", "/api/link/query?slug=promo").send();
    assert_eq!(moved.status, 200, "{}", moved.text);
    browser.finish(&["400", "409"]);
}

#[test]
fn pages_of_two_domains_look_well_and_a_short_link_is_of_its_host() {
    let server = with_two_domains();
    visit(&server, "go.example");
    server.counters_with("", 1);
    let browser = Browser::signed_in(&server, "links?domain=*&qr=go.example/promo");
    browser.until(
        "the address in the code",
        "return document.querySelector('.qr-link .mono')?.textContent.startsWith('go.example:')",
    );
    let mut found = Vec::new();
    for (look_name, look) in LOOKS {
        browser.look(look);
        for (name, view) in [
            ("domains-links", "links?domain=*"),
            ("domains-new", "links?domain=*&new=1"),
            ("domains-analytics", "analytics?domain=*"),
            ("domains-live", "live?domain=*"),
            ("domains-audit", "audit"),
            ("domains-setup", "setup"),
        ] {
            browser.go(view);
            browser.find(".domain-switch");
            browser.settle();
            found.extend(faults_of_look(&browser, name, look_name));
        }
    }
    assert_eq!(found, [""; 0]);
    browser.finish(&[]);
}
