//! Compares a few links.

use super::{analytics::seeded, browser::Browser};

#[test]
fn links_that_were_chosen_in_the_list_have_a_line_each() {
    let server = seeded(6, 900, 20);
    let browser = Browser::signed_in(&server, "links?sort=az");
    browser.find(".list .row:nth-child(3)");
    browser.click(".list .row:nth-child(1) .row-check input");
    browser.until(
        "one link is not compared with anything",
        "return [...document.querySelectorAll('.bulk .button')].find((button) => button.textContent === 'Compare')?.disabled",
    );
    browser.click(".list .row:nth-child(2) .row-check input");
    browser.click(".list .row:nth-child(3) .row-check input");
    browser.click_text(".bulk .button:not(:disabled)", "Compare");
    browser.until(
        "three lines with their names",
        "return document.querySelectorAll('.chart path.line:not(.open)').length === 3 && document.querySelectorAll('.legend-line').length === 3",
    );
    let address = browser.address();
    assert!(
        address.contains("slug=") && address.matches(',').count() == 2,
        "{address}"
    );

    browser.until(
        "the totals of the range were asked for",
        "return performance.getEntriesByType('resource').some(({ name }) => name.includes('/stats/counters?startAt'))",
    );
    // Each line holds the visits and visitors that the API counts for its link.
    for line in browser.texts(".legend-line") {
        let mut parts = line.trim_start_matches('/').lines();
        let mut next = || parts.next().unwrap_or_else(|| panic!("{line:?}"));
        let (slug, visits, visitors) = (next(), next(), next());
        let span = browser.run("const url = new URL(performance.getEntriesByType('resource').map(({ name }) => name).find((name) => name.includes('/stats/counters?startAt'))); return `startAt=${url.searchParams.get('startAt')}&endAt=${url.searchParams.get('endAt')}`");
        let path = format!("/api/stats/counters?slug={slug}&{}", span.as_str().unwrap());
        let answer = server.api("GET", &path).send().json();
        assert_eq!(
            visits.replace(',', ""),
            answer["data"][0]["visits"].to_string(),
            "{slug}"
        );
        assert_eq!(
            visitors.trim_end_matches(" visitors").replace(',', ""),
            answer["data"][0]["visitors"].to_string(),
            "{slug}"
        );
    }

    browser.click(".timeline [aria-pressed=false].icon-button");
    browser.until(
        "a column for the visits of each link, and one for its visitors",
        "return document.querySelectorAll('.twin th').length === 7",
    );
    browser.click(".timeline [aria-pressed=true].icon-button");
    browser.click_text(".segments button", "Together");
    browser.until(
        "one line for all",
        "return location.search.includes('sum=1') && document.querySelectorAll('.legend-line').length === 2 && document.querySelector('.chart .area') !== null",
    );
    browser.back();
    browser.until(
        "three lines again",
        "return document.querySelectorAll('.legend-line').length === 3",
    );
    browser.finish(&[]);
}
