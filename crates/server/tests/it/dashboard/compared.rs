//! Compares a few links.

use super::{
    browser::Browser,
    instance::seeded,
    pages::{Analytics, List, number},
};

#[test]
fn links_that_were_chosen_in_the_list_have_a_line_each() {
    let server = seeded(6, 900, 20);
    let browser = Browser::signed_in(&server, "links?sort=az");
    let (list, analytics) = (List(&browser), Analytics(&browser));
    browser.click(".list .row:nth-child(1) .row-check input");
    browser.until(
        "one link is not compared with anything",
        "return [...document.querySelectorAll('.bulk .button')].find((button) => button.textContent === 'Compare')?.disabled",
    );
    browser.click(".list .row:nth-child(2) .row-check input");
    browser.click(".list .row:nth-child(3) .row-check input");
    list.act("Compare");
    browser.counts(".chart path.line:not(.open)", 3);
    browser.counts(".legend-line", 3);
    let address = browser.address();
    assert!(
        address.contains("slug=") && address.matches(',').count() == 2,
        "{address}"
    );

    // Each line holds the visits and visitors that the API counts for its link.
    let totals = analytics.question("/stats/counters?startAt");
    let span: Vec<_> = totals
        .split('&')
        .filter(|part| part.contains("At="))
        .collect();
    for line in browser.texts(".legend-line") {
        let mut parts = line.trim_start_matches('/').lines();
        let mut next = || parts.next().unwrap_or_else(|| panic!("{line:?}"));
        let (slug, visits, visitors) = (next(), next(), next());
        let path = format!("/api/stats/counters?slug={slug}&{}", span.join("&"));
        let counted = server.get(&path).json()["data"][0].clone();
        assert_eq!(number(visits), counted["visits"], "{slug}");
        assert!(visitors.ends_with(" visitors"), "{visitors}");
        assert_eq!(number(visitors), counted["visitors"], "{slug}");
    }

    // Each link has a column for its visits, and one for its visitors.
    analytics.show_table();
    browser.counts(".twin th", 7);
    browser.click(".timeline [aria-pressed=true].icon-button");
    browser.click_text(".segments button", "Together");
    browser.is_at("sum=1");
    browser.counts(".legend-line", 2);
    browser.find(".chart .area");
    browser.back();
    browser.counts(".legend-line", 3);
    browser.finish(&[]);
}
