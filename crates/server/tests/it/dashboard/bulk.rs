use serde_json::{Value, json};

use super::browser::Browser;
use crate::server::Server;

fn tags(server: &Server, slug: &str) -> Value {
    server
        .api("GET", &format!("/api/link/query?slug={slug}"))
        .send()
        .json()["tags"]
        .clone()
}

#[test]
fn many_links_are_tagged_untagged_and_deleted_together() {
    let server = Server::start();
    for slug in ["one", "two", "three", "four"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": ["old"]}));
    }
    let browser = Browser::signed_in(&server, "links");
    for slug in ["one", "two", "three"] {
        browser.click(&format!("[data-slug={slug}] .row-check input"));
    }
    browser.until(
        "three are selected",
        "return document.querySelector('.bulk strong')?.textContent.includes('3')",
    );
    browser.click_text(".bulk button", "Add tag");
    browser.type_into("#bulk-tag", "fresh");
    browser.click("dialog .primary");
    browser.until(
        "it is done",
        "return document.querySelector('.bulk') === null",
    );
    assert_eq!(tags(&server, "one"), json!(["fresh", "old"]));
    assert_eq!(tags(&server, "four"), json!(["old"]));
    browser.settle();

    browser.click("[data-slug=one] .row-check input");
    browser.click_text(".bulk button", "Remove tag");
    browser.type_into("#bulk-tag", "old");
    browser.click("dialog .primary");
    browser.until(
        "it is done",
        "return document.querySelector('.bulk') === null",
    );
    assert_eq!(tags(&server, "one"), json!(["fresh"]));
    browser.settle();

    browser.click("[data-slug=one] .row-check input");
    browser.click("[data-slug=two] .row-check input");
    browser.click(".bulk > .danger");
    browser.click("dialog .danger");
    browser.until(
        "two are left",
        "return document.querySelectorAll('.list .row').length === 2",
    );
    let left = server.api("GET", "/api/link/count").send().json();
    assert_eq!(left["count"], 2);
    browser.finish(&[]);
}
