use super::{
    browser::Browser,
    front::{Front, PREFIX},
    instance::with_links,
    pages::{Editor, List},
};
use crate::support::server::TOKEN;

#[test]
fn everything_works_below_a_prefix_that_a_proxy_strips() {
    let server = with_links(&["below"]);
    let front = Front::of(&server);
    let browser = Browser::start_at(&server, &front.address());
    browser.sign_in("", TOKEN);
    List(&browser).has("below");
    for (page, shown) in [
        ("analytics", ".counters"),
        ("live", ".live-dot.live"),
        ("audit", ".audit-line"),
        ("setup", ".snippet"),
        ("links", ".list"),
    ] {
        browser.click(&format!(".pages a[href='./{page}']"));
        browser.find(shown);
        browser.settle();
        assert_eq!(browser.address(), format!("{PREFIX}/_dashboard/{page}"));
    }
    browser.go("links?edit=below");
    let editor = Editor(&browser);
    editor.write("comment", "changed below");
    editor.save();
    assert_eq!(server.link("below")["comment"], "changed below");
    // What is copied is what is shown.
    browser.go("links?new=1");
    editor.write("url", "https://example.com/new");
    editor.write("slug", "fresh");
    editor.save();
    browser.says(".toast", &format!("{}/fresh", front.address()));
    browser.finish(&[]);
}
