//! Tokens on the Set-up page, and the page with a token that permits little.

use serde_json::json;

use super::{
    browser::Browser,
    instance::with_links,
    pages::{Analytics, Dialog, Editor, List, Shell},
};
use crate::{
    support::server::{Answer, Server, eventually},
    tokens::make,
};

fn verify(server: &Server, token: &str) -> Answer {
    server.by(token, "GET", "/api/verify").send()
}

/// Sends the form, and returns the text of the token and the address that signs in with it.
fn made(browser: &Browser<'_>, name: &str) -> (String, String) {
    browser.click(SEND);
    browser.find(&format!("[data-token='{name}']"));
    let shown = browser.texts(".token-made code");
    (shown[0].clone(), shown[1].clone())
}

const SEND: &str = ".token-form .primary";

#[test]
fn a_token_is_made_shown_once_and_revoked_and_another_is_bound_to_slugs_and_tags() {
    let server = with_links(&["docs"]);
    server.create(&json!({"url": "https://example.com/", "slug": "other", "tags": ["partner"]}));
    let browser = Browser::signed_in(&server, "setup");
    browser.type_into("#token-name", "a screen");
    browser.click("[data-scope='links:read']");
    browser.click("[data-scope='analytics:read']");
    let (token, address) = made(&browser, "a screen");
    assert!(token.starts_with("slugline_"), "{token}");
    verify(&server, &token).is(200);
    assert_eq!(browser.texts(".token .chip"), ["analytics:read"]);
    let wanted = format!("{}/_dashboard/#token={token}", server.origin());
    assert_eq!(address, wanted);
    // The name is taken now.
    browser.type_into("#token-name", "a screen");
    browser.click(SEND);
    browser.find("#token-name-error");
    browser.click("[data-token='a screen'] .button");
    Dialog(&browser).confirm();
    // Its text is gone, too.
    browser.gone(".token, .token-made");
    eventually("it is refused", || verify(&server, &token).status == 401);

    browser.fill("#token-name", "a guest");
    browser.type_into("#token-slugs", "missing, /docs");
    browser.click(SEND);
    browser.says("#token-slugs-error", "missing");
    browser.fill("#token-slugs", "/docs");
    browser.type_into("#token-tags", "partner,");
    let is_off = browser.is_off("[data-scope=admin]");
    assert!(is_off, "what may do everything cannot be bound");
    let (token, _) = made(&browser, "a guest");
    assert_eq!(browser.texts("[data-bound=slug]"), ["/docs"]);
    assert_eq!(browser.texts("[data-bound=tag]"), ["partner"]);
    let told = verify(&server, &token).json();
    let bounds = (&told["slugs"], &told["tags"]);
    assert_eq!(bounds, (&json!(["docs"]), &json!(["partner"])));
    browser.click("[data-scope=admin]");
    browser.find(".token-bound:disabled");
    browser.finish(&["400", "409"]);
}

#[test]
fn with_links_read_alone_links_are_shown_and_what_is_refused_is_off() {
    let server = with_links(&["shown"]);
    let token = make(&server, "reader", &["links:read"]);
    let browser = Browser::start(&server);
    browser.sign_in("links?edit=shown", &token);
    let (editor, list, shell) = (Editor(&browser), List(&browser), Shell(&browser));
    list.has("shown");
    browser.says("#refusal", "links:write");
    browser.settle();
    editor.cannot_save();
    assert_eq!(browser.address(), "/_dashboard/links?edit=shown");
    let by_visits = ".toolbar .select option[value=visits]";
    assert!(
        !browser.has(by_visits),
        "the order of visits needs another scope"
    );
    browser.click(".panel-head [aria-label=Close]");
    list.select(&["shown"]);
    browser.find("#bulk-why");
    browser.press("ga");
    shell.lacks("analytics:read");
    browser.press("gs");
    browser.find(".setup-card");
    browser.settle();
    assert!(!browser.has(".tokens") && !browser.has(".findings"));
    browser.finish(&[]);
}

#[test]
fn with_analytics_read_alone_a_shared_view_shows_visits() {
    let server = with_links(&["shown"]);
    server.visit("/shown");
    server.counters_with("", 1);
    let token = make(&server, "guest", &["analytics:read"]);
    let browser = Browser::start(&server);
    browser.sign_in("analytics?slug=shown", &token);
    Analytics(&browser).shows_visits(1);
    browser.settle();
    browser.press("gv");
    browser.find(".live");
    browser.press("gl");
    Shell(&browser).lacks("links:read");
    // Without a page in the address, one comes that the token permits.
    browser.go("");
    Analytics(&browser).shows_visits(1);
    assert_eq!(browser.address(), "/_dashboard/analytics");
    assert_eq!(browser.texts(".pages a"), ["Analytics", "Live", "Set-up"]);
    assert!(!browser.has(".top .new"));
    browser.finish(&[]);
}
