//! The page of the audit trail.

use serde_json::json;

use super::{
    browser::Browser,
    instance::{import, with_links},
};

/// Waits until there are as many lines, and they are those of the address.
fn shows(browser: &Browser<'_>, lines: usize) {
    browser.counts(".audit-lines:not(.stale) .audit-line", lines);
}

#[test]
fn changes_are_filtered_by_addresses_and_a_long_trail_is_loaded_as_it_is_read() {
    let server = with_links(&["one", "two"]);
    let edit = json!({"slug": "one", "comment": "changed"});
    server.call("PATCH", "/api/link/edit", &edit).is(200);
    let browser = Browser::signed_in(&server, "audit");
    shows(&browser, 3);
    assert_eq!(
        browser.texts(".audit-what"),
        ["Link edited", "Link created", "Link created"]
    );
    assert_eq!(browser.texts(".audit-object"), ["/one", "/two", "/one"]);
    assert_eq!(browser.text(".audit-who"), "Site token");

    browser.choose("select[aria-label=Change]", "link.edit");
    shows(&browser, 1);
    assert!(browser.address().ends_with("/audit?operation=link.edit"));
    browser.back();
    shows(&browser, 3);
    browser.click(".audit-object a[href*='slug=one']");
    shows(&browser, 2);
    // A reload shows the same.
    browser.go("audit?slug=one");
    shows(&browser, 2);
    browser.click(".chip button");
    shows(&browser, 3);
    browser.go("audit?until=2020-01-01");
    browser.click(".empty .button");
    shows(&browser, 3);

    let link = |n| json!({"url": "https://example.com/", "slug": format!("s{n}")});
    import(&server, (0..60).map(link));
    import(&server, (60..120).map(link));
    browser.go("audit");
    browser.find(".audit-line");
    browser.until(
        "all lines",
        "scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('.audit-line').length === 123",
    );
    assert!(!browser.has(".more"));
    browser.finish(&[]);
}
