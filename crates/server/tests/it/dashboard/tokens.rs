//! Tokens on the Set-up page, and the page with a token that permits little.

use serde_json::json;

use super::browser::Browser;
use crate::{
    support::server::{Server, eventually},
    tokens::make,
};

/// Returns whether the server takes this token.
fn works(server: &Server, token: &str) -> bool {
    let call = server.request("GET", "/api/verify");
    let call = call.header("authorization", &format!("Bearer {token}"));
    call.send().status == 200
}

#[test]
fn a_token_is_made_shown_once_and_revoked() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "setup");
    browser.type_into("#token-name", "a screen");
    browser.click("[data-scope='links:read']");
    browser.click("[data-scope='analytics:read']");
    browser.click(".token-form .primary");
    let shown = browser.text(".token-made code");
    assert!(shown.starts_with("slugline_"), "{shown}");
    assert!(works(&server, &shown));
    browser.find("[data-token='a screen']");
    assert_eq!(browser.texts(".token .chip"), ["analytics:read"]);
    let address = browser.texts(".token-made code")[1].clone();
    assert_eq!(
        address,
        format!("{}/_dashboard/#token={shown}", server.origin())
    );
    // The name is taken now.
    browser.type_into("#token-name", "a screen");
    browser.click(".token-form .primary");
    browser.find("#token-name-error");
    browser.click("[data-token='a screen'] .button");
    browser.click("dialog .danger");
    browser.until(
        "it is gone, and so is its text",
        "return !document.querySelector('.token') && !document.querySelector('.token-made')",
    );
    eventually("it is refused", || !works(&server, &shown));
    browser.finish(&["409"]);
}

#[test]
fn a_token_is_bound_to_slugs_and_tags() {
    let server = Server::start();
    for (slug, tags) in [("docs", json!([])), ("other", json!(["partner"]))] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": tags}));
    }
    let browser = Browser::signed_in(&server, "setup");
    browser.type_into("#token-name", "a guest");
    browser.type_into("#token-slugs", "missing, /docs");
    browser.click(".token-form .primary");
    assert!(browser.text("#token-slugs-error").contains("missing"));
    browser.fill("#token-slugs", "/docs");
    browser.type_into("#token-tags", "partner,");
    let off = browser.run("return document.querySelector('[data-scope=admin]').disabled");
    assert_eq!(off, true, "what may do everything cannot be bound");
    browser.click(".token-form .primary");
    let shown = browser.text(".token-made code");
    browser.find("[data-token='a guest']");
    assert_eq!(browser.texts("[data-bound=slug]"), ["/docs"]);
    assert_eq!(browser.texts("[data-bound=tag]"), ["partner"]);
    let verify = server.request("GET", "/api/verify");
    let verify = verify.header("authorization", &format!("Bearer {shown}"));
    let told = verify.send().json();
    assert_eq!(
        (&told["slugs"], &told["tags"]),
        (&json!(["docs"]), &json!(["partner"]))
    );
    browser.click("[data-scope=admin]");
    browser.find(".token-bound:disabled");
    browser.finish(&["400"]);
}

#[test]
fn with_links_read_alone_links_are_shown_and_what_is_refused_is_off() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "shown"}));
    let token = make(&server, "reader", &["links:read"]);
    let browser = Browser::start(&server);
    browser.go(&format!("links?edit=shown#token={token}"));
    browser.find("[data-slug=shown]");
    browser.until(
        "the panel says which scope is missing",
        "return document.querySelector('#refusal')?.textContent.includes('links:write')",
    );
    browser.settle();
    let off = browser.run("return document.querySelector('.panel-foot .primary').disabled");
    assert_eq!(off, true);
    assert_eq!(browser.address(), "/_dashboard/links?edit=shown");
    let orders = browser.run("return [...document.querySelectorAll('.toolbar .select option')].map((one) => one.value).includes('visits')");
    assert_eq!(orders, false, "the order of visits needs another scope");
    browser.click(".panel-head .icon-button[aria-label=Close]");
    browser.click("[data-slug=shown] .row-check input");
    browser.find("#bulk-why");
    browser.press("g");
    browser.type_into("body", "a");
    browser.until(
        "analytics say which scope is missing",
        "return document.querySelector('#main .empty')?.textContent.includes('analytics:read')",
    );
    browser.press("g");
    browser.type_into("body", "s");
    browser.find(".setup-card");
    browser.settle();
    assert!(!browser.has(".tokens") && !browser.has(".findings"));
    browser.finish(&[]);
}

#[test]
fn with_analytics_read_alone_a_shared_view_shows_visits() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "shown"}));
    server.visit("/shown");
    server.counters_with("", 1);
    let token = make(&server, "guest", &["analytics:read"]);
    let browser = Browser::start(&server);
    browser.go(&format!("analytics?slug=shown#token={token}"));
    browser.until("the total is there", "return document.querySelector('[data-counter=visits] .counter-value')?.textContent === '1'");
    browser.settle();
    browser.press("g");
    browser.type_into("body", "v");
    browser.find(".live");
    browser.press("g");
    browser.type_into("body", "l");
    browser.until(
        "links say which scope is missing",
        "return document.querySelector('#main .empty')?.textContent.includes('links:read')",
    );
    browser.finish(&[]);
}
