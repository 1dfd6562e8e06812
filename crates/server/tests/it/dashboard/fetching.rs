use super::{
    browser::Browser,
    front::{Front, PREFIX},
    instance::with_links,
    pages::{Editor, List},
};
use crate::support::server::TOKEN;

#[test]
fn a_page_that_does_not_come_is_told_on_that_page_alone_and_comes_by_itself() {
    let server = with_links(&["here"]);
    let front = Front::of(&server);
    let browser = Browser::start_at(&server, &front.address());
    browser.go("");
    browser.language("de-DE");
    browser.sign_in("links", TOKEN);
    List(&browser).has("here");
    browser.settle();
    front.be_down(true);
    browser.click(".pages a[href='./audit']");
    browser.says("#main .error-note", "Der Server ist nicht erreichbar.");
    assert!(!browser.text("#main").contains("unreachable"));
    browser.click(".pages a[href='./links']");
    browser.gone(".error-note code");
    browser.click(".pages a[href='./setup']");
    browser.find("#main .error-note");
    front.be_down(false);
    browser.find(".snippet");
    browser.click(".pages a[href='./links']");
    List(&browser).has("here");
    browser.gone(".error-note");
    browser.finish(&["ERR_EMPTY_RESPONSE", "ERR_CONNECTION"]);
}

#[test]
fn an_upgrade_under_an_open_page_reloads_it_once_and_keeps_what_was_typed() {
    let server = with_links(&["here"]);
    let front = Front::of(&server);
    front.serve_old_build(true);
    let browser = Browser::start_at(&server, &front.address());
    browser.sign_in("links?new=1&url=https%3A%2F%2Fexample.com%2Fsent", TOKEN);
    let editor = Editor(&browser);
    editor.write("comment", "half a sen");
    browser.run("window.sameDocument = true");
    front.serve_old_build(false);
    browser.click(".pages a[href='./audit']");
    browser.find(".audit-line");
    assert_eq!(browser.address(), format!("{PREFIX}/_dashboard/audit"));
    let same = browser.run("return window.sameDocument === true");
    assert_eq!(same, false, "the page was loaded again");
    browser.back();
    editor.holds("comment", "half a sen");
    editor.keeps("url", "https://example.com/sent");
    assert_eq!(
        browser.run("return sessionStorage.getItem('slugline.drafts')"),
        serde_json::Value::Null
    );

    // An older node answers in between: the page does not go to and fro.
    front.serve_old_build(true);
    browser.go("links");
    List(&browser).has("here");
    browser.settle();
    front.serve_old_build(false);
    browser.run("window.sameDocument = true");
    browser.click(".pages a[href='./setup']");
    browser.says("#main .error-note", "did not load");
    assert_eq!(browser.run("return window.sameDocument"), true);
    front.serve_old_build(true);
    browser.find(".snippet");
    browser.finish(&["404"]);
}
