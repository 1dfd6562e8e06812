//! People undo changes and deletions of links, and try a link before they save it.

use serde_json::{Value, json};

use super::{
    browser::Browser,
    looks::{LOOKS, faults_of_look},
};
use crate::support::server::Server;

fn read(server: &Server, slug: &str) -> (u16, Value) {
    let path = format!("/api/link/query?slug={slug}");
    let answer = server.api("GET", &path).send();
    (answer.status, answer.json())
}

fn make(server: &Server, slug: &str, url: &str) {
    server.create(&json!({"slug": slug, "url": url, "comment": "kept"}));
}

fn delete(server: &Server, slug: &str) {
    let deleted = server.api("POST", "/api/link/delete");
    assert_eq!(deleted.json(&json!({"slug": slug})).send().status, 204);
}

fn looks_right(browser: &Browser<'_>, view: &str) {
    for (name, look) in LOOKS {
        browser.look(look);
        browser.settle();
        assert_eq!(faults_of_look(browser, view, name), [""; 0]);
    }
}

#[test]
fn a_deletion_is_undone_by_one_click() {
    let server = Server::start();
    make(&server, "docs", "https://example.com/docs");
    let browser = Browser::signed_in(&server, "links?edit=docs");
    browser.click(".panel-head [aria-label=Delete]");
    browser.click("dialog .button.danger");
    browser.find(".toast-action");
    assert_eq!(read(&server, "docs").0, 404, "it is gone at once");
    assert_eq!(browser.text(".toast-action"), "Undo");
    browser.click(".toast-action");
    browser.find(".row[data-slug=docs]");
    let (status, link) = read(&server, "docs");
    assert_eq!((status, &link["comment"]), (200, &json!("kept")));
    browser.finish(&[]);
}

#[test]
fn without_a_trash_nobody_is_promised_one() {
    let server = Server::start_with(&[("SLUGLINE_TRASH_DAYS", "0")]);
    make(&server, "docs", "https://example.com/docs");
    let browser = Browser::signed_in(&server, "links?edit=docs");
    browser.click(".panel-head [aria-label=Delete]");
    browser.until(
        "the text says so",
        "return document.querySelector('dialog')?.textContent.includes('This cannot be undone.')",
    );
    browser.click("dialog .button.danger");
    browser.find(".toast");
    assert!(!browser.has(".toast-action"));
    browser.go("trash");
    browser.until(
        "an empty trash that promises nothing",
        "return document.querySelector('.empty-title') && !document.querySelector('.empty-text')",
    );
    browser.finish(&[]);
}

#[test]
fn the_trash_gives_links_back_and_lets_them_go() {
    let server = Server::start();
    for slug in ["docs", "gone"] {
        make(&server, slug, "https://example.com/old");
        delete(&server, slug);
    }
    make(&server, "docs", "https://example.com/new");
    let browser = Browser::signed_in(&server, "trash");
    browser.find(".trash-entry");
    assert_eq!(browser.texts(".trash-entry .mono"), ["/gone", "/docs"]);
    looks_right(&browser, "trash");
    // The slug of the second one is taken.
    browser.click(".trash-entry:nth-child(2) .trash-actions .button:not(.danger)");
    browser.find("#other-slug");
    browser.fill("#other-slug", "docs-again");
    browser.click("dialog .button.primary");
    browser.until(
        "one is back",
        "return document.querySelectorAll('.trash-entry').length === 1",
    );
    assert_eq!(
        read(&server, "docs-again").1["url"],
        "https://example.com/old"
    );
    assert_eq!(read(&server, "docs").1["url"], "https://example.com/new");
    browser.click(".trash-entry .button.danger");
    browser.click("dialog .button.danger");
    browser.find(".empty");
    let trash = server.api("GET", "/api/link/trash").send().json();
    assert_eq!(trash["links"], json!([]));
    browser.finish(&["409"]);
}

#[test]
fn a_link_whose_domain_was_taken_away_comes_back_to_another_one() {
    let server = Server::start_with(&[("SLUGLINE_DOMAINS", "go.example")]);
    let link = json!({"slug": "docs", "domain": "go.example", "url": "https://example.com/old"});
    server.create(&link);
    make(&server, "docs", "https://example.com/new");
    let removed = server.api("DELETE", "/api/domains?host=go.example&links=delete");
    assert_eq!(removed.send().status, 200);
    let browser = Browser::signed_in(&server, "trash");
    browser.click(".trash-entry .trash-actions .button:not(.danger)");
    browser.find("dialog .other-domain");
    looks_right(&browser, "trash");
    browser.click("dialog .button.primary");
    browser.find("#other-slug");
    browser.fill("#other-slug", "docs-again");
    browser.click("dialog .button.primary");
    browser.find(".empty");
    assert_eq!(
        read(&server, "docs-again").1["url"],
        "https://example.com/old"
    );
    browser.finish(&["400", "409"]);
}

#[test]
fn an_older_version_of_a_link_is_brought_back() {
    let server = Server::start();
    make(&server, "docs", "https://example.com/first");
    let edit = json!({"slug": "docs", "url": "https://example.com/second"});
    server.api("PATCH", "/api/link/edit").json(&edit).send();
    let browser = Browser::signed_in(&server, "links?history=docs");
    browser.find(".version-members");
    let members = browser.text(".version-members");
    assert!(
        members.contains("url") && members.contains("https://example.com/first"),
        "{members}"
    );
    browser.click(".version .button");
    browser.until(
        "it is the third version",
        "return document.querySelectorAll('.version').length === 3",
    );
    assert_eq!(read(&server, "docs").1["url"], "https://example.com/first");
    browser.finish(&[]);
}

#[test]
fn a_link_is_tried_before_it_is_saved() {
    let server = Server::start();
    let rules = json!([
        {"when": {"country": ["AT"]}, "url": "https://example.com/at"},
        {"when": {"device": ["ios"]}, "url": "https://example.com/ios"},
    ]);
    server.create(&json!({"slug": "go", "url": "https://example.com/", "rules": rules}));
    let browser = Browser::signed_in(&server, "links?edit=go");
    browser.find(".section-head");
    browser.click_text(".section-head", "Test this link");
    browser.find(".test-answer");
    browser.fill("#test-country", "DE");
    browser.choose(".test-visitor select", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1");
    browser.until("the second rule wins", "return document.querySelector('.test-answer')?.innerText.includes('https://example.com/ios')");
    let missed = browser.text(".test-missed");
    assert!(
        missed.contains("Rule 1") && missed.contains("DE"),
        "{missed}"
    );
    browser.choose(".test-visitor select", "");
    browser.fill("#url", "https://example.com/changed");
    browser.until("the draft is tried", "return document.querySelector('.test-answer')?.innerText.includes('https://example.com/changed')");
    looks_right(&browser, "test-link");
    assert_eq!(read(&server, "go").1["url"], "https://example.com/");
    browser.finish(&[]);
}
