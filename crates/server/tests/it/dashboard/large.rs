//! Pages of an instance with a hundred thousand links, and of one with many visits.

use std::thread;

use serde_json::json;

use super::{
    browser::Browser,
    instance::{import, seeded},
    pages::{Analytics, List},
};
use crate::support::server::Server;

#[test]
fn a_list_of_a_hundred_thousand_links_stays_usable() {
    const LINKS: u32 = 100_000;
    const PIECE: u32 = 1_000;
    let link = |n| json!({"url": format!("https://example.com/{n}"), "slug": format!("n-{n:06}"), "tags": [format!("t{}", n % 40)]});
    let server = Server::start_with(&[("SLUGLINE_IMPORT_REQUEST_LIMIT", "1000")]);
    thread::scope(|scope| {
        for part in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for piece in (part..LINKS / PIECE).step_by(4) {
                    import(server, (piece * PIECE..(piece + 1) * PIECE).map(link));
                }
            });
        }
    });
    let browser = Browser::signed_in(&server, "links?sort=az");
    let list = List(&browser);
    list.begins("n-000000");
    browser.says(".toolbar-count", "100,000");
    // As far as a person scrolls to find a link.
    browser.until(
        "the five hundredth link",
        "scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('.list .row').length >= 500",
    );
    browser.run("scrollTo(0, 0)");
    list.sort("za");
    list.begins("n-099999");
    list.search("n-0777");
    list.begins("n-0777");
    browser.press("je");
    browser.until(
        "the editor has the link",
        "return document.querySelector('#url')?.value.startsWith('https://example.com/777')",
    );
    browser.finish(&[]);
}

#[test]
fn a_log_of_many_visits_is_shown_as_it_is_counted() {
    let server = seeded(50, 100_000, 90);
    let browser = Browser::signed_in(&server, "analytics?range=90d&zone=UTC");
    let analytics = Analytics(&browser);
    analytics.is_counted();
    let question = analytics.question("/stats/counters?");
    let answer = server.get(&format!("/api/stats/counters?{question}"));
    let visits = answer.json()["data"][0]["visits"].as_u64().unwrap();
    assert!(visits > 75_000, "{visits}");
    assert_eq!(analytics.counter("visits"), visits);
    for css in [".chart .line.visits", ".values .value-count", ".cell.h5"] {
        browser.find(css);
    }
    browser.finish(&[]);
}
