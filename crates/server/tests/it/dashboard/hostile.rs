use serde_json::json;

use super::browser::Browser;
use crate::support::server::Server;

/// Markup that a stranger, or an import of a stranger's file, might store.
const MARKUP: &str = "<img src=x onerror=alert(1)><b>bold</b>&amp;\u{202e}";

#[test]
fn texts_of_strangers_are_texts() {
    let server = Server::start();
    server.create(&json!({
        "url": "https://example.com/?a=%3Cscript%3E<b>x</b>", "slug": "hostile", "comment": MARKUP, "title": MARKUP,
        "description": MARKUP, "tags": ["<b>tag</b>"], "image": "https://stranger.example/a.png",
    }));
    let visited = server
        .request("GET", "/hostile")
        .header("user-agent", MARKUP.trim_end_matches('\u{202e}'))
        .header("referer", "https://<b>x</b>.example/")
        .header("accept-language", "<b>")
        .send();
    assert_eq!(visited.status, 301);
    server.counters_with("slug=hostile", 1);
    let browser = Browser::signed_in(&server, "links?edit=hostile");
    for view in [
        "links?edit=hostile",
        "links?q=%3Cb%3E",
        "analytics?range=7d",
        "live",
        "analytics?slug=%3Cimg%20src%3Dx%3E",
    ] {
        browser.go(view);
        browser.is_filled();
        assert!(!browser.has("main img, main b, main script"), "{view}");
    }
    browser.go("links?q=%3Cb%3E");
    browser.says(".row-note", "<img src=x");
    browser.finish(&[]);
}
