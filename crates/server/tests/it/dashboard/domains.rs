//! Several domains in one instance: the switch, links of the same slug, and the Set-up page.

use serde_json::{Value, json};

use super::{
    browser::Browser,
    instance::with_links,
    looks::in_every_look,
    pages::{Analytics, Dialog, Editor, List, Panel, Shell},
};
use crate::support::server::Server;

/// A server whose host `go.example` has a link with the slug of a link of the default domain.
fn with_two_domains() -> Server {
    let server = Server::start();
    let host = json!({"host": "go.example"});
    server.post("/api/domains", &host).is(201);
    for (url, domain) in [("default", ""), ("named", "go.example")] {
        let url = format!("https://example.com/{url}");
        server.create(&json!({"url": url, "slug": "promo", "domain": domain}));
    }
    server
}

fn visit(server: &Server, host: &str) -> String {
    let answer = server.request("GET", "/promo").header("host", host).send();
    answer.header("location").to_owned()
}

#[test]
fn one_domain_has_no_switch_and_shows_no_host() {
    let server = with_links(&["promo"]);
    let browser = Browser::signed_in(&server, "links?edit=promo");
    let list = List(&browser);
    list.shows("promo");
    browser.settle();
    assert!(!browser.has(".domain-switch"));
    assert_eq!(browser.texts(".row-slug"), ["/promo"]);
    browser.go("links?new=1");
    browser.find("#slug");
    assert!(!browser.has(".domain-of-new"));
    // A domain that is not there is the default one.
    browser.go("links?domain=gone.example");
    list.shows("promo");
    browser.go("analytics");
    browser.find("#tab-url");
    assert!(!browser.has("#tab-domain"));
    browser.finish(&["400"]);
}

#[test]
fn links_of_one_slug_in_two_domains_are_told_apart() {
    let server = with_two_domains();
    let browser = Browser::signed_in(&server, "links");
    let (list, shell) = (List(&browser), Shell(&browser));
    list.shows("promo");
    shell.look_at_domain("*");
    list.shows_together("go.example/promo,promo");
    let shown = browser.texts(".row-slug");
    assert!(shown.contains(&"go.example/promo".to_owned()), "{shown:?}");

    // The choice is remembered, and it is part of the address.
    let address = browser.address();
    assert!(address.ends_with("domain=*"), "{address}");
    browser.go("links");
    list.shows_together("go.example/promo,promo");
    shell.look_at_domain("go.example");
    list.shows("go.example/promo");

    // An edit reaches the link of the domain alone.
    list.open("go.example/promo");
    browser.says(".panel-body a.mono", "go.example:");
    let editor = Editor(&browser);
    editor.rewrite("comment", "only here");
    editor.save();
    for (query, comment) in [
        ("&domain=go.example", json!("only here")),
        ("", Value::Null),
    ] {
        let path = format!("/api/link/query?slug=promo{query}");
        let link = server.get(&path).is(200).json();
        assert_eq!(link["comment"], comment, "{query}");
    }

    // A new link is of the domain that is looked at, or of another one.
    browser.go("links?new=1");
    editor.write("url", "https://example.com/made");
    editor.write("slug", "made");
    editor.send();
    list.shows_together("go.example/made,go.example/promo");
    browser.go("links?new=1");
    editor.write("url", "https://example.com/other");
    editor.write("slug", "made");
    browser.choose(".domain-of-new select", "");
    editor.save();
    shell.look_at_domain("");
    list.shows_together("made,promo");

    // An action on links of both domains.
    shell.look_at_domain("*");
    list.shows_together("go.example/made,go.example/promo,made,promo");
    list.select(&["go.example/made", "made"]);
    browser.click(".bulk > .danger");
    list.confirm(2);
    list.shows_together("go.example/promo,promo");
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
    let (analytics, shell) = (Analytics(&browser), Shell(&browser));
    analytics.shows_visits(1);
    browser.go("analytics");
    shell.has_domains();
    analytics.shows_visits(2);
    let asked = browser.requested("/stats/counters?").len();
    assert_eq!(asked, 1, "the domains are known before the first question");
    shell.look_at_domain("*");
    analytics.shows_visits(3);
    browser.click("#tab-domain");
    let links = Panel(&browser, "links");
    links.has(2);
    links.choose("go.example");
    analytics.shows_visits(1);
    browser.go("analytics?slug=promo,go.example/promo");
    browser.counts(".timeline .legend-people", 2);
    browser.go("live?domain=*");
    browser.counts(".event", 3);
    shell.look_at_domain("go.example");
    browser.counts(".event", 1);
    browser.reads(".event-link a", "go.example/promo");
    browser.finish(&[]);
}

#[test]
fn domains_are_added_edited_and_taken_away_on_the_set_up_page() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "setup");
    let dialog = Dialog(&browser);
    let add = ".domain-form [type=submit]";
    let domain = "[data-domain='go.example']";
    browser.type_into("#domain-host", "go.example");
    browser.type_into("#domain-homeUrl", "nonsense");
    browser.click(add);
    browser.find("#domain-homeUrl-error");
    browser.fill("#domain-homeUrl", "https://example.com/");
    browser.click(add);
    browser.find(domain);
    Shell(&browser).has_domains();
    server.create(&json!({"url": "https://example.com/", "slug": "promo", "domain": "go.example"}));

    browser.click(&format!("{domain} button"));
    browser.click("dialog .domain-form input[type=checkbox]");
    browser.click("dialog .domain-form [type=submit]");
    dialog.is_closed();
    let told = server.get("/api/domains").json();
    let stored = &told["domains"][0];
    assert_eq!(stored["fallThrough"], true, "{told}");
    assert_eq!(stored["homeUrl"], "https://example.com/", "{told}");

    // It has a link, so it stays until the operator says what becomes of that.
    browser.click(&format!("{domain} button:last-of-type"));
    dialog.confirm();
    browser.find("dialog .error-note");
    browser.choose(".domain-links select", "move");
    browser.find(".domain-target");
    dialog.confirm();
    browser.gone("[data-domain], .domain-switch");
    server.get("/api/link/query?slug=promo").is(200);
    browser.finish(&["400", "409"]);
}

#[test]
fn pages_of_two_domains_look_well_and_a_short_link_is_of_its_host() {
    let server = with_two_domains();
    visit(&server, "go.example");
    server.counters_with("", 1);
    let browser = Browser::signed_in(&server, "links?domain=*&qr=go.example/promo");
    browser.says(".qr-link .mono", "go.example:");
    in_every_look(&browser, |check| {
        for (name, view) in [
            ("domains-links", "links?domain=*"),
            ("domains-new", "links?domain=*&new=1"),
            ("domains-analytics", "analytics?domain=*"),
            ("domains-live", "live?domain=*"),
            ("domains-audit", "audit"),
            ("domains-setup", "setup"),
        ] {
            browser.go(view);
            Shell(&browser).has_domains();
            browser.settle();
            check(name);
        }
    });
    browser.finish(&[]);
}
