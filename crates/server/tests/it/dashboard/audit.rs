//! The page of the audit trail.

use serde_json::json;

use super::browser::Browser;
use crate::support::server::Server;

fn lines(browser: &Browser<'_>, number: usize) {
    browser.until(
        "as many lines",
        &format!("return document.querySelectorAll('.audit-line').length === {number} && !document.querySelector('.audit-lines.stale')"),
    );
}

#[test]
fn a_page_of_changes_is_filtered_and_every_filter_is_an_address() {
    let server = Server::start();
    for slug in ["one", "two"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    let edit = json!({"slug": "one", "comment": "changed"});
    server.api("PATCH", "/api/link/edit").json(&edit).send();
    let browser = Browser::signed_in(&server, "audit");
    lines(&browser, 3);
    assert_eq!(
        browser.texts(".audit-what"),
        ["Link edited", "Link created", "Link created"]
    );
    assert_eq!(browser.texts(".audit-object"), ["/one", "/two", "/one"]);
    assert_eq!(browser.text(".audit-who"), "Site token");

    browser.choose("select[aria-label=Change]", "link.edit");
    lines(&browser, 1);
    assert!(browser.address().ends_with("/audit?operation=link.edit"));
    browser.back();
    lines(&browser, 3);
    browser.click(".audit-object a[href*='slug=one']");
    lines(&browser, 2);
    // A reload shows the same.
    browser.go("audit?slug=one");
    lines(&browser, 2);
    browser.click(".chip button");
    lines(&browser, 3);
    browser.go("audit?until=2020-01-01");
    browser.find(".empty");
    browser.click(".empty .button");
    lines(&browser, 3);
    browser.finish(&[]);
}

#[test]
fn a_long_trail_is_loaded_as_it_is_read() {
    let server = Server::start();
    let links: Vec<_> = (0..120)
        .map(|number| json!({"url": "https://example.com/", "slug": format!("s{number}")}))
        .collect();
    for some in links.chunks(60) {
        let import = json!({"version": "1.0", "links": some});
        let imported = server.api("POST", "/api/link/import").json(&import).send();
        assert_eq!(imported.status, 200, "{}", imported.text);
    }
    let browser = Browser::signed_in(&server, "audit");
    browser.find(".audit-line");
    browser.until(
        "all lines",
        "scrollTo(0, document.body.scrollHeight); return document.querySelectorAll('.audit-line').length === 120",
    );
    assert!(!browser.has(".more"));
    browser.finish(&[]);
}
