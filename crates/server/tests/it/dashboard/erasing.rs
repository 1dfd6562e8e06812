//! The visits of a link are erased from its panel.

use serde_json::json;

use super::{
    browser::{Browser, ESCAPE},
    looks::faults,
};
use crate::{support::server::Server, tokens::make};

fn visited() -> Server {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    server.create(&json!({"url": "https://example.com/", "slug": "kept"}));
    for slug in ["/docs", "/docs", "/kept"] {
        server.visit(slug);
    }
    server.counters_with("", 3);
    server
}

#[test]
fn visits_are_erased_once_the_slug_is_typed() {
    let server = visited();
    let browser = Browser::signed_in(&server, "links?edit=docs");
    browser.click(".erase-visits .button");
    browser.find("dialog #erase-slug");
    assert_eq!(faults(&browser), [""; 0]);
    let off = "return document.querySelector('dialog .danger').disabled";
    assert_eq!(browser.run(off), true);
    browser.type_into("#erase-slug", "doc");
    assert_eq!(browser.run(off), true);
    browser.type_into("#erase-slug", "s");
    browser.click("dialog .danger");
    browser.until(
        "the dialog is gone, and the panel is still there",
        "return !document.querySelector('dialog') && document.querySelector('.erase-visits') !== null",
    );
    server.counters_with("", 1);
    server.counters_with("slug=docs", 0);
    browser.go("audit");
    browser.until(
        "the trail has it",
        "return document.querySelector('.audit-what')?.textContent === 'Visits erased'",
    );
    browser.finish(&[]);
}

#[test]
fn escape_closes_the_dialog_alone_and_a_token_without_admin_cannot_open_it() {
    let server = visited();
    let browser = Browser::signed_in(&server, "links?edit=docs");
    browser.click(".erase-visits .button");
    browser.find("dialog #erase-slug");
    browser.press(ESCAPE);
    browser.until(
        "the dialog is gone",
        "return !document.querySelector('dialog')",
    );
    browser.find(".erase-visits .button");
    server.counters_with("", 3);
    browser.finish(&[]);

    let token = make(&server, "editor", &["links:read", "links:write"]);
    let browser = Browser::start(&server);
    browser.go(&format!("links?edit=docs#token={token}"));
    browser.until(
        "the button is off and says why",
        "return document.querySelector('.erase-visits .button')?.disabled \
         && document.querySelector('#erase-why').textContent.includes('admin')",
    );
    browser.finish(&[]);
}
