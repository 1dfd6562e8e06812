use super::{browser::Browser, instance::with_links};

#[test]
fn visits_appear_while_they_happen_and_wait_while_the_page_is_paused() {
    let server = with_links(&["seen", "other"]);
    let browser = Browser::signed_in(&server, "live");
    browser.find(".live-dot.live");
    server.visit("/seen");
    browser.counts(".event", 1);
    browser.press(" ");
    browser.find(".live-dot.paused");
    server.visit("/other");
    browser.says(".live-fresh", "1");
    browser.counts(".event", 1);
    browser.click(".live-fresh");
    browser.counts(".event", 2);
    browser.click(".event-link a[href*='slug=seen']");
    browser.counts(".event", 1);
    browser.finish(&[]);
}
