use serde_json::{Value, json};

use super::{
    browser::Browser,
    instance::{import, with_links},
    pages::{Dialog, List},
};
use crate::support::server::Server;

fn count(server: &Server, query: &str) -> Value {
    let path = format!("/api/link/count?{query}");
    server.get(&path).json()["count"].clone()
}

#[test]
fn many_links_are_tagged_untagged_and_deleted_after_a_look_at_it_and_each_is_undone() {
    let server = Server::start();
    for (slug, tag) in [
        ("one", "old"),
        ("two", "old"),
        ("three", "fresh"),
        ("four", "old"),
    ] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": [tag]}));
    }
    let tags = |slug| server.link(slug)["tags"].clone();
    let browser = Browser::signed_in(&server, "links");
    let list = List(&browser);
    list.select(&["one", "two", "three"]);
    list.selected(3);
    list.act("Add tag");
    browser.type_into("#bulk-tag", "fresh");
    list.would_change(2);
    list.outcome("bulkUnchanged", 1);
    assert_eq!(tags("one"), json!(["old"]), "only looked");
    list.confirm(2);
    assert_eq!(tags("one"), json!(["fresh", "old"]));
    assert_eq!(tags("four"), json!(["old"]));
    list.undo(2);
    assert_eq!(tags("one"), json!(["old"]));
    assert_eq!(tags("three"), json!(["fresh"]), "it had the tag before");

    list.select(&["one", "three"]);
    list.act("Remove tag");
    browser.type_into("#bulk-tag", "old");
    list.confirm(1);
    assert_eq!(tags("one"), json!([]));
    list.undo(1);
    assert_eq!(tags("one"), json!(["old"]));

    let end = |slug| server.link(slug)["expiration"].clone();
    let former = json!({"slug": "one", "expiration": 2_000_000_000});
    server.call("PATCH", "/api/link/edit", &former).is(200);
    browser.go("links?tag=old&status=all");
    list.select(&["one", "two"]);
    // One leaves the list, and stays selected.
    let retagged = json!({"slug": "one", "tags": ["fresh"]});
    server.call("PATCH", "/api/link/edit", &retagged).is(200);
    for word in ["Disable", "Enable"] {
        browser.click(&List::row("four", ".menu-button"));
        browser.click_text(".menu-item", word);
    }
    list.shows_together("four,two");
    list.act("Set expiry");
    browser.set("#bulk-expires", "2031-07-01T18:30");
    list.confirm(2);
    assert!(end("two").is_number() && end("one") == end("two"));
    list.undo(2);
    assert_eq!(
        (end("one"), end("two")),
        (json!(2_000_000_000), Value::Null)
    );

    browser.go("links");
    list.select(&["one", "two"]);
    browser.click(".bulk > .danger");
    list.confirm(2);
    list.shows_together("four,three");
    assert_eq!(count(&server, ""), 2);
    list.undo(2);
    list.shows_together("four,one,three,two");

    // Links that are gone are told before anything is done.
    list.select_all_shown();
    server.delete_link("three");
    browser.click(".bulk > .danger");
    list.would_change(3);
    list.outcome("bulkGone", 1);
    Dialog(&browser).press("Cancel");
    Dialog(&browser).is_closed();
    assert_eq!(count(&server, ""), 3);
    browser.finish(&[]);
}

#[test]
fn an_action_reaches_all_links_that_match_also_those_that_are_not_loaded() {
    let server = with_links(&["other"]);
    let link =
        |n| json!({"url": "https://example.com/", "slug": format!("n-{n}"), "tags": ["many"]});
    import(&server, (0..70).map(link));
    let browser = Browser::signed_in(&server, "links?tag=many");
    let list = List(&browser);
    list.select_all_shown();
    browser.click(".bulk-all");
    list.selected(70);
    list.act("Add tag");
    browser.type_into("#bulk-tag", "all");
    list.confirm(70);
    assert_eq!(count(&server, "tag=all"), 70);
    assert_eq!(server.link("other")["tags"], json!([]));
    browser.finish(&[]);
}
