use serde_json::json;

use super::{
    browser::{Browser, ENTER, ESCAPE},
    instance::{import, with_links},
    pages::{Analytics, Dialog, Editor, List},
};
use crate::support::server::Server;

fn fruit_and_roots() -> Server {
    let server = Server::start();
    for (slug, tag, created) in [
        ("apple", "fruit", 1_000_000),
        ("beet", "root", 2_000_000),
        ("cherry", "fruit", 3_000_000),
    ] {
        let url = format!("https://example.com/{slug}");
        server.create(&json!({"url": url, "slug": slug, "tags": [tag], "createdAt": created}));
    }
    server
}

#[test]
fn a_list_is_asked_for_ahead_of_its_page_and_its_filters_are_addresses_that_back_undoes() {
    let server = fruit_and_roots();
    let browser = Browser::signed_in(&server, "links?sort=az");
    let list = List(&browser);
    list.shows("apple,beet,cherry");
    assert_eq!(browser.requested("/link/list").len(), 1);
    browser.go("links?sort=za");
    list.shows("cherry,beet,apple");
    assert_eq!(browser.requested("/link/list").len(), 1);
    list.sort("az");
    list.shows("apple,beet,cherry");
    // The answer that was asked for ahead is not shown twice.
    server.create(&json!({"url": "https://example.com/", "slug": "date"}));
    list.sort("za");
    list.shows("date,cherry,beet,apple");
    server.delete_link("date");

    browser.go("links");
    list.shows("cherry,beet,apple");
    list.sort("az");
    list.shows("apple,beet,cherry");
    assert_eq!(browser.address(), "/_dashboard/links?sort=az");
    browser.choose(".toolbar .select:nth-of-type(2) select", "fruit");
    list.shows("apple,cherry");
    browser.back();
    list.shows("apple,beet,cherry");
    browser.back();
    list.shows("cherry,beet,apple");

    browser.press("/");
    browser.find("#search:focus");
    list.search("bee");
    list.shows("beet");
    assert_eq!(browser.address(), "/_dashboard/links?q=bee");
    list.search("nothing like it");
    browser.click(".empty .button");
    list.shows("cherry,beet,apple");
    browser.go("links?q=cherry&edit=cherry");
    list.shows("cherry");
    Editor(&browser).holds("url", "https://example.com/cherry");
    browser.finish(&[]);
}

#[test]
fn visits_stand_in_the_rows_order_them_and_lead_to_the_links_analytics() {
    let server = fruit_and_roots();
    for (slug, visits) in [("apple", 2), ("beet", 3), ("cherry", 1)] {
        for _ in 0..visits {
            server.visit(&format!("/{slug}"));
        }
    }
    server.counters_with("", 6);
    let browser = Browser::signed_in(&server, "links");
    let list = List(&browser);
    list.shows("cherry,beet,apple");
    list.sort("visits");
    list.shows("beet,apple,cherry");
    for (slug, visits) in [("beet", "3"), ("apple", "2"), ("cherry", "1")] {
        list.shows_visits(slug, visits);
    }
    list.search("pp");
    list.shows("apple");
    list.search("e");
    list.shows("beet,apple,cherry");
    list.sort("recent");
    list.shows("beet,apple,cherry");
    assert_eq!(browser.text(".list-head > :nth-child(5)"), "30 days");

    browser.go("links");
    list.shows_visits("beet", "3");
    browser.click(&List::row("beet", ".row-visits"));
    browser.is_at("?slug=beet");
    Analytics(&browser).shows_visits(3);
    browser.finish(&[]);
}

#[test]
fn the_list_is_worked_by_keys_alone() {
    let server = fruit_and_roots();
    let browser = Browser::signed_in(&server, "links");
    let list = List(&browser);
    list.shows("cherry,beet,apple");
    browser.press("jj");
    let row = "return document.activeElement.closest('.row').dataset.slug";
    assert_eq!(browser.run(row), "beet");
    browser.type_into(&List::row("beet", ".row-slug"), "x");
    list.selected(1);
    browser.press(ESCAPE);
    browser.gone(".bulk");
    browser.press("?");
    browser.until(
        "keys are listed",
        "return document.querySelectorAll('.help dt').length > 12",
    );
    browser.type_into("dialog", ESCAPE);
    Dialog(&browser).is_closed();
    browser.press("gs");
    browser.until("set-up", "return location.pathname.endsWith('/setup')");
    browser.press("c");
    browser.find("#slug");
    // Inside a field a shortcut key types its letter.
    Editor(&browser).write("comment", "gl?");
    assert!(!browser.has("dialog"));
    browser.finish(&[]);
}

#[test]
fn the_next_page_comes_when_the_end_is_near() {
    let server = Server::start();
    let link = |n| json!({"url": "https://example.com/", "slug": format!("link-{n}")});
    import(&server, (0..60).map(link));
    let browser = Browser::signed_in(&server, "links");
    browser.find(".list .row:nth-child(50)");
    browser.scroll_down();
    browser.counts(".list .row", 60);
    assert!(browser.text(".toolbar-count").contains("60"));
    browser.finish(&[]);
}

#[test]
fn a_short_link_is_copied_and_its_qr_code_saved() {
    let server = fruit_and_roots();
    let browser = Browser::signed_in(&server, "links");
    // On plain http, browsers do not offer the clipboard.
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.addEventListener('copy', () => { window.copied = document.activeElement.value; })",
    );
    browser.click(&List::row("apple", ".row-actions .icon-button"));
    browser.find(&List::row("apple", ".is-done"));
    let copied = browser.run("return window.copied");
    assert_eq!(copied, json!(format!("{}/apple", server.origin())));

    browser.go("links?qr=apple");
    browser.find(".qr-frame path");
    let shown = browser.text(".qr-link .mono");
    assert!(shown.ends_with("/apple"), "{shown}");
    browser.catch_files();
    Dialog(&browser).press("SVG");
    Dialog(&browser).press("PNG");
    assert_eq!(browser.caught(2), ["apple.svg", "apple.png"]);
    let svg = browser.text_of_file();
    assert!(svg.starts_with("<svg xmlns"), "{svg}");
    let png = browser.run_async("caught[1].arrayBuffer().then((bytes) => arguments[0]([...new Uint8Array(bytes.slice(1, 4))]))");
    assert_eq!(png, json!([b'P', b'N', b'G']));
    browser.finish(&[]);
}

#[test]
fn a_pasted_short_link_finds_its_link_and_a_pasted_address_makes_one() {
    let server = with_links(&["docs", "other"]);
    let browser = Browser::signed_in(&server, "links");
    let list = List(&browser);
    let paste = |css: &str, text: &str| {
        let script = "const [css, text] = arguments[0]; const data = new DataTransfer(); data.setData('text/plain', text); document.querySelector(css).dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }))";
        browser.run_with(script, &json!([css, text]));
    };
    list.has("other");
    paste("#search", &format!("{}/docs?a=b", server.origin()));
    browser.holds("#search", "docs");
    browser.gone("[data-slug=other]");
    paste("body", "https://example.com/a/long/address");
    Editor(&browser).holds("url", "https://example.com/a/long/address");
    browser.go("links");
    browser.press("/");
    browser.tap(ESCAPE);
    browser.click(".jump");
    browser.type_into(".palette input", &format!("{}/docs", server.origin()));
    browser.says(".palette-list", "/docs");
    browser.fill(".palette input", "https://example.com/typed");
    browser.says(".palette-list [aria-selected=true]", "Shorten");
    browser.tap(ENTER);
    Editor(&browser).holds("url", "https://example.com/typed");
    browser.finish(&[]);
}
