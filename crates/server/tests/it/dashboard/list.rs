use serde_json::json;

use super::browser::{Browser, ESCAPE};
use crate::support::server::Server;

const SLUGS: &str =
    "return [...document.querySelectorAll('.list .row')].map((row) => row.dataset.slug).join()";

fn with_links() -> Server {
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

fn shows(browser: &Browser<'_>, slugs: &str) {
    browser.until(
        &format!("the list shows {slugs}"),
        &format!("{SLUGS} === '{slugs}'"),
    );
}

#[test]
fn the_first_list_is_asked_for_once_ahead_of_the_page_and_again_when_it_changes() {
    let server = with_links();
    let browser = Browser::signed_in(&server, "links?sort=az");
    shows(&browser, "apple,beet,cherry");
    let lists = "return performance.getEntriesByType('resource').filter(({ name }) => name.includes('/link/list')).length";
    assert_eq!(browser.run(lists), 1);
    browser.go("links?sort=za");
    shows(&browser, "cherry,beet,apple");
    assert_eq!(browser.run(lists), 1);
    browser.choose(".toolbar .select:nth-of-type(3) select", "az");
    shows(&browser, "apple,beet,cherry");
    // The answer that was asked for ahead is not shown twice.
    server.create(&json!({"url": "https://example.com/", "slug": "date"}));
    browser.choose(".toolbar .select:nth-of-type(3) select", "za");
    shows(&browser, "date,cherry,beet,apple");
    browser.finish(&[]);
}

#[test]
fn search_filters_and_order_are_addresses_that_back_undoes() {
    let server = with_links();
    let browser = Browser::signed_in(&server, "links");
    shows(&browser, "cherry,beet,apple");
    browser.choose(".toolbar .select:nth-of-type(3) select", "az");
    shows(&browser, "apple,beet,cherry");
    assert_eq!(browser.address(), "/_dashboard/links?sort=az");
    browser.choose(".toolbar .select:nth-of-type(2) select", "fruit");
    shows(&browser, "apple,cherry");
    browser.back();
    shows(&browser, "apple,beet,cherry");
    browser.back();
    shows(&browser, "cherry,beet,apple");

    browser.press("/");
    browser.type_into("#search", "bee");
    shows(&browser, "beet");
    assert_eq!(browser.address(), "/_dashboard/links?q=bee");
    browser.fill("#search", "nothing like it");
    browser.find(".empty");
    browser.click(".empty .button");
    shows(&browser, "cherry,beet,apple");
    browser.go("links?q=cherry&edit=cherry");
    shows(&browser, "cherry");
    browser.until(
        "the editor has the link",
        "return document.querySelector('#url')?.value === 'https://example.com/cherry'",
    );
    browser.finish(&[]);
}

#[test]
fn visits_stand_in_the_rows_and_lead_to_the_links_analytics() {
    let server = with_links();
    for _ in 0..3 {
        server.visit("/beet");
    }
    server.counters_with("slug=beet", 3);
    let browser = Browser::signed_in(&server, "links");
    browser.until(
        "visits are there",
        "return document.querySelector('[data-slug=beet] .row-visits')?.innerText.startsWith('3')",
    );
    browser.click("[data-slug=beet] .row-visits");
    browser.until("analytics of the link", "return location.search === '?slug=beet' && document.querySelector('[data-counter=visits] .counter-value')?.textContent === '3'");
    browser.finish(&[]);
}

#[test]
fn the_most_visited_links_come_first_also_among_those_that_were_searched_for() {
    let server = with_links();
    for (slug, visits) in [("apple", 2), ("beet", 3), ("cherry", 1)] {
        for _ in 0..visits {
            server.visit(&format!("/{slug}"));
        }
    }
    server.counters_with("", 6);
    let browser = Browser::signed_in(&server, "links");
    shows(&browser, "cherry,beet,apple");
    browser.choose(".toolbar .select:nth-of-type(3) select", "visits");
    shows(&browser, "beet,apple,cherry");
    browser.until(
        "their visits",
        "return [...document.querySelectorAll('.row-visits span:first-of-type')].map((one) => one.textContent).join() === '3,2,1'",
    );
    browser.type_into("#search", "pp");
    shows(&browser, "apple");
    browser.fill("#search", "e");
    shows(&browser, "beet,apple,cherry");
    browser.choose(".toolbar .select:nth-of-type(3) select", "recent");
    shows(&browser, "beet,apple,cherry");
    assert_eq!(browser.text(".list-head > :nth-child(5)"), "30 days");
    browser.finish(&[]);
}

#[test]
fn the_list_is_worked_by_keys_alone() {
    let server = with_links();
    let browser = Browser::signed_in(&server, "links");
    shows(&browser, "cherry,beet,apple");
    browser.press("jj");
    assert_eq!(
        browser.run("return document.activeElement.closest('.row').dataset.slug"),
        "beet"
    );
    browser.type_into(".row[data-slug=beet] .row-slug", "x");
    browser.find(".bulk");
    browser.press(ESCAPE);
    browser.until(
        "nothing is selected",
        "return document.querySelector('.bulk') === null",
    );
    browser.press("?");
    browser.until(
        "keys are listed",
        "return document.querySelectorAll('.help dt').length > 12",
    );
    browser.type_into("dialog", ESCAPE);
    browser.until(
        "the list of keys is gone",
        "return document.querySelector('dialog') === null",
    );
    browser.press("gs");
    browser.until("set-up", "return location.pathname.endsWith('/setup')");
    browser.press("c");
    browser.find("#slug");
    // Inside a field a shortcut key types its letter.
    browser.type_into("#comment", "gl?");
    assert!(!browser.has("dialog"));
    browser.finish(&[]);
}

#[test]
fn the_next_page_comes_when_the_end_is_near() {
    let server = Server::start();
    for number in 0..60 {
        server.create(&json!({"url": "https://example.com/", "slug": format!("link-{number}")}));
    }
    let browser = Browser::signed_in(&server, "links");
    browser.until(
        "the first page",
        "return document.querySelectorAll('.list .row').length >= 50",
    );
    browser.run("scrollTo(0, document.body.scrollHeight)");
    browser.until(
        "the second page",
        "return document.querySelectorAll('.list .row').length === 60",
    );
    assert!(browser.text(".toolbar-count").contains("60"));
    browser.finish(&[]);
}

#[test]
fn a_qr_code_of_the_short_link_can_be_saved() {
    let server = with_links();
    let browser = Browser::signed_in(&server, "links?qr=apple");
    browser.find(".qr-frame path");
    let shown = browser.text(".qr-link .mono");
    assert!(shown.ends_with("/apple"), "{shown}");
    browser.run("window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return 'blob:x'; }; HTMLAnchorElement.prototype.click = function () { saved.push(this.download); }");
    browser.click_text("dialog button", "SVG");
    browser.click_text("dialog button", "PNG");
    browser.until("both are saved", "return window.saved.length === 4");
    assert_eq!(
        browser.run("return saved.filter((one) => typeof one === 'string').join()"),
        "apple.svg,apple.png"
    );
    let svg = browser.run_async("saved[0].text().then(arguments[0])");
    assert!(svg.as_str().unwrap().starts_with("<svg xmlns"), "{svg}");
    let png = browser.run_async("saved[2].arrayBuffer().then((bytes) => arguments[0]([...new Uint8Array(bytes.slice(1, 4))]))");
    assert_eq!(png, json!([b'P', b'N', b'G']));
    browser.finish(&[]);
}

#[test]
fn a_link_is_copied_where_a_page_has_no_clipboard() {
    let server = with_links();
    let browser = Browser::signed_in(&server, "links");
    shows(&browser, "cherry,beet,apple");
    // On plain http, browsers do not offer the clipboard.
    browser.run(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.addEventListener('copy', () => { window.copied = document.activeElement.value; })",
    );
    browser.click("[data-slug=apple] .row-actions .icon-button");
    browser.until(
        "it is said",
        "return document.querySelector('[data-slug=apple] .is-done') !== null",
    );
    let copied = browser.run("return window.copied");
    assert_eq!(copied, json!(format!("{}/apple", server.origin())));
    browser.finish(&[]);
}
