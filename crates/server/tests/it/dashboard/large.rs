//! Pages of an instance with a hundred thousand links, and of one with many visits.

use std::thread;

use serde_json::json;

use super::{analytics::seeded, browser::Browser};
use crate::support::server::Server;

/// The first row of the list, if any.
const FIRST: &str = "return document.querySelector('.list:not(.stale) .row')?.dataset.slug";

fn import(server: &Server, numbers: std::ops::Range<u32>) {
    let links: Vec<_> = numbers
        .map(|n| json!({"url": format!("https://example.com/{n}"), "slug": format!("n-{n:06}"), "tags": [format!("t{}", n % 40)]}))
        .collect();
    let body = json!({"version": "1.0", "links": links});
    let answer = server.api("POST", "/api/link/import").json(&body).send();
    assert_eq!(answer.status, 200, "{}", answer.text);
}

#[test]
fn a_list_of_a_hundred_thousand_links_stays_usable() {
    const LINKS: u32 = 100_000;
    const PIECE: u32 = 1_000;
    let server = Server::start_with(&[("SLUGLINE_IMPORT_REQUEST_LIMIT", "1000")]);
    thread::scope(|scope| {
        for part in 0..4 {
            let server = &server;
            scope.spawn(move || {
                for piece in (part..LINKS / PIECE).step_by(4) {
                    import(server, piece * PIECE..(piece + 1) * PIECE);
                }
            });
        }
    });
    let browser = Browser::signed_in(&server, "links?sort=az");
    browser.until("the beginning", &format!("{FIRST} === 'n-000000'"));
    browser.until(
        "all are counted",
        "return document.querySelector('.toolbar-count').textContent.includes('100,000')",
    );
    // As far as a person scrolls to find a link.
    browser.until(
        "the five hundredth link",
        "scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('.list .row').length >= 500",
    );
    browser.run("scrollTo(0, 0)");
    browser.choose(".toolbar .select:nth-of-type(3) select", "za");
    browser.until("the end", &format!("{FIRST} === 'n-099999'"));
    browser.type_into("#search", "n-0777");
    browser.until(
        "what was searched for",
        &format!(
            "const slug = {}; return slug?.startsWith('n-0777')",
            FIRST.trim_start_matches("return ")
        ),
    );
    browser.press("j");
    browser.type_into("body", "e");
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
    browser.until(
        "the total",
        "return document.querySelector('[data-counter=visits] .counter-value')?.textContent > ''",
    );
    browser.settle();
    let shown = browser.text("[data-counter=visits] .counter-value");
    let span = browser.run("return performance.getEntriesByType('resource').map(({ name }) => name).find((name) => name.includes('/stats/counters?')).split('/api/')[1]");
    let answer = server
        .api("GET", &format!("/api/{}", span.as_str().unwrap()))
        .send();
    let visits = answer.json()["data"][0]["visits"].as_u64().unwrap();
    assert!(visits > 75_000, "{visits}");
    assert_eq!(shown.replace(',', ""), visits.to_string());
    for css in [".chart .line.visits", ".values .value-count", ".cell.h5"] {
        browser.find(css);
    }
    browser.finish(&[]);
}
