use serde_json::json;

use super::browser::Browser;
use crate::support::server::Server;

#[test]
fn visits_appear_while_they_happen_and_wait_while_the_page_is_paused() {
    let server = Server::start();
    for slug in ["seen", "other"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    let browser = Browser::signed_in(&server, "live");
    browser.find(".live-dot.live");
    server.visit("/seen");
    browser.until(
        "the visit is there",
        "return document.querySelectorAll('.event').length === 1",
    );
    browser.press(" ");
    browser.find(".live-dot.paused");
    server.visit("/other");
    browser.until(
        "it waits",
        "return document.querySelector('.live-fresh')?.textContent.startsWith('1')",
    );
    assert_eq!(
        browser.run("return document.querySelectorAll('.event').length"),
        1
    );
    browser.click(".live-fresh");
    browser.until(
        "both are there",
        "return document.querySelectorAll('.event').length === 2",
    );
    browser.click(".event-link a[href*='slug=seen']");
    browser.until(
        "one link only",
        "return document.querySelectorAll('.event').length === 1",
    );
    browser.finish(&[]);
}
