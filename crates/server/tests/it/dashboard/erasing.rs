//! The visits of a link are erased from its panel.

use super::{
    browser::{Browser, ESCAPE},
    instance::with_links,
    looks::faults,
    pages::{Dialog, Editor, Shell},
};
use crate::tokens::make;

#[test]
fn visits_are_erased_once_the_slug_is_typed_and_only_by_an_administrator() {
    let server = with_links(&["docs", "kept"]);
    for slug in ["/docs", "/docs", "/kept"] {
        server.visit(slug);
    }
    server.counters_with("", 3);
    let browser = Browser::signed_in(&server, "links?edit=docs");
    let (editor, dialog) = (Editor(&browser), Dialog(&browser));
    // Escape closes the dialog alone.
    browser.click(".erase-visits .button");
    browser.find("dialog #erase-slug");
    browser.press(ESCAPE);
    dialog.is_closed();
    browser.find(".erase-visits .button");
    server.counters_with("", 3);

    browser.click(".erase-visits .button");
    browser.find("dialog #erase-slug");
    assert_eq!(faults(&browser), [""; 0]);
    assert!(browser.is_off("dialog .danger"));
    editor.write("erase-slug", "doc");
    assert!(browser.is_off("dialog .danger"));
    editor.write("erase-slug", "s");
    dialog.confirm();
    dialog.is_closed();
    // The panel is still there.
    browser.find(".erase-visits");
    server.counters_with("", 1);
    server.counters_with("slug=docs", 0);
    browser.go("audit");
    browser.reads(".audit-what", "Visits erased");

    Shell(&browser).sign_out();
    let token = make(&server, "editor", &["links:read", "links:write"]);
    browser.sign_in("links?edit=docs", &token);
    browser.find(".erase-visits .button:disabled");
    browser.says("#erase-why", "admin");
    browser.finish(&[]);
}
