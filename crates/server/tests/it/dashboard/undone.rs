//! People undo changes and deletions of links, and try a link before they save it.

use serde_json::json;

use super::{
    browser::Browser,
    looks::in_every_look,
    pages::{Dialog, Editor, List, Shell},
};
use crate::support::server::Server;

fn make(server: &Server, slug: &str, url: &str) {
    server.create(&json!({"slug": slug, "url": url, "comment": "kept"}));
}

const RESTORE: &str = ".trash-actions .button:not(.danger)";

/// Gives a link that comes back another slug.
fn restore_as(browser: &Browser<'_>, slug: &str) {
    browser.find("#other-slug");
    browser.fill("#other-slug", slug);
    Dialog(browser).accept();
}

/// Checks the page as it is, in every look.
fn looks_right(browser: &Browser<'_>, name: &str) {
    in_every_look(browser, |check| {
        browser.settle();
        check(name);
    });
}

#[test]
fn a_deletion_is_undone_by_one_click_and_an_older_version_brought_back() {
    let server = Server::start();
    make(&server, "docs", "https://example.com/first");
    let browser = Browser::signed_in(&server, "links?edit=docs");
    Editor(&browser).delete();
    Dialog(&browser).confirm();
    assert_eq!(browser.text(".toast-action"), "Undo");
    server.get("/api/link/query?slug=docs").is(404); // It is gone at once.
    Shell(&browser).welcomes(); // No link is left.
    browser.click(".toast-action");
    List(&browser).has("docs");
    assert_eq!(server.link("docs")["comment"], "kept");

    let edit = json!({"slug": "docs", "url": "https://example.com/second"});
    server.call("PATCH", "/api/link/edit", &edit).is(200);
    browser.go("links?history=docs");
    browser.says(".version-members", "url");
    browser.says(".version-members", "https://example.com/first");
    let versions = browser.texts(".version").len();
    browser.click(".version .button");
    browser.counts(".version", versions + 1);
    assert_eq!(server.link("docs")["url"], "https://example.com/first");
    browser.finish(&[]);
}

#[test]
fn without_a_trash_nobody_is_promised_one() {
    let server = Server::start_with(&[("SLUGLINE_TRASH_DAYS", "0")]);
    make(&server, "docs", "https://example.com/docs");
    let browser = Browser::signed_in(&server, "links?edit=docs");
    Editor(&browser).delete();
    let dialog = Dialog(&browser);
    browser.says("dialog", "This cannot be undone.");
    dialog.confirm();
    browser.find(".toast");
    assert!(!browser.has(".toast-action"));
    browser.go("trash");
    browser.find(".empty-title");
    assert!(
        !browser.has(".empty-text"),
        "an empty trash promises nothing"
    );
    browser.finish(&[]);
}

#[test]
fn the_trash_gives_links_back_and_lets_them_go() {
    let server = Server::start();
    for slug in ["docs", "gone"] {
        make(&server, slug, "https://example.com/old");
        server.delete_link(slug);
    }
    make(&server, "docs", "https://example.com/new");
    let browser = Browser::signed_in(&server, "trash");
    browser.find(".trash-entry");
    assert_eq!(browser.texts(".trash-entry .mono"), ["/gone", "/docs"]);
    looks_right(&browser, "trash");
    // The slug of the second one is taken.
    browser.click(&format!(".trash-entry:nth-child(2) {RESTORE}"));
    restore_as(&browser, "docs-again");
    browser.counts(".trash-entry", 1);
    for (slug, url) in [("docs-again", "old"), ("docs", "new")] {
        let url = format!("https://example.com/{url}");
        assert_eq!(server.link(slug)["url"], url, "{slug}");
    }
    browser.click(".trash-entry .button.danger");
    Dialog(&browser).confirm();
    browser.find(".empty");
    let left = server.get("/api/link/trash").json();
    assert_eq!(left["links"], json!([]));
    browser.finish(&["409"]);
}

#[test]
fn a_link_whose_domain_was_taken_away_comes_back_to_another_one() {
    let server = Server::start_with(&[("SLUGLINE_DOMAINS", "go.example")]);
    let link = json!({"slug": "docs", "domain": "go.example", "url": "https://example.com/old"});
    server.create(&link);
    make(&server, "docs", "https://example.com/new");
    let remove = "/api/domains?host=go.example&links=delete";
    server.delete(remove).is(200);
    let browser = Browser::signed_in(&server, "trash");
    browser.click(RESTORE);
    browser.find("dialog .other-domain");
    looks_right(&browser, "trash");
    Dialog(&browser).accept();
    restore_as(&browser, "docs-again");
    browser.find(".empty");
    let back = server.link("docs-again");
    assert_eq!(back["url"], "https://example.com/old");
    browser.finish(&["400", "409"]);
}

#[test]
fn a_link_is_tried_before_it_is_saved() {
    let server = Server::start_with(&[("SLUGLINE_GEOIP_PATH", "off")]);
    let rules = json!([
        {"when": {"country": ["AT"]}, "url": "https://example.com/at"},
        {"when": {"device": ["ios"]}, "url": "https://example.com/ios"},
    ]);
    server.create(&json!({"slug": "go", "url": "https://example.com/", "rules": rules}));
    let browser = Browser::signed_in(&server, "links?edit=go");
    let editor = Editor(&browser);
    editor.open_section("Test this link");
    browser.find(".test-answer");
    editor.rewrite("test-country", "DE");
    browser.choose(".test-visitor select", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1");
    // The second rule wins.
    browser.says(".test-answer", "https://example.com/ios");
    let missed = browser.text(".test-missed");
    assert!(
        missed.contains("Rule 1") && missed.contains("DE"),
        "{missed}"
    );
    browser.choose(".test-visitor select", "");
    editor.rewrite("url", "https://example.com/changed");
    // The draft is tried.
    browser.says(".test-answer", "https://example.com/changed");
    // Nothing tells this instance where visitors are, so the first rule holds for none of them.
    browser.says(".test-link .warn-text", "SLUGLINE_GEOIP_PATH");
    browser.says(
        "[data-rule='0'] [data-kind=country] .warn-text",
        "SLUGLINE_GEOIP_PATH",
    );
    assert!(!browser.has("[data-kind=device] .warn-text"));
    looks_right(&browser, "test-link");
    assert_eq!(server.link("go")["url"], "https://example.com/");
    browser.finish(&[]);
}
