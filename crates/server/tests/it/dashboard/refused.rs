//! The dashboard while the server refuses requests: disabled controls, messages, and recovery.

use serde_json::json;

use super::{
    browser::{Browser, DELETE},
    instance::add_links,
    pages::{Editor, List},
};
use crate::{
    operation::store_outage,
    support::server::{Server, TOKEN},
};

#[test]
fn a_demonstration_turns_off_what_it_would_refuse_and_says_why() {
    let server = Server::start_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]);
    add_links(&server, &["shown", "other"]);
    let browser = Browser::signed_in(&server, "links?edit=shown");
    let (editor, list) = (Editor(&browser), List(&browser));
    editor.write("comment", "more");
    browser.says("#refusal", "demonstration");
    editor.cannot_save();
    assert!(browser.is_off(".panel-head [aria-label=Delete]"));
    editor.keeps("comment", "more");
    editor.press("Cancel");
    editor.press("Discard");
    // A link cannot be deleted, and the menu says why.
    browser.click(&List::row("other", ".menu-button"));
    browser.says(".menu-item.danger:disabled", "demonstration");
    browser.press("j");
    browser.type_into("body", DELETE);
    browser.find(".toast.bad");
    assert!(!browser.has("dialog"));
    list.select(&["other"]);
    browser.find("#bulk-why");
    assert!(!browser.has(".bulk > .button:not(.quiet):not(:disabled)"));
    // Links can be created.
    browser.press("c");
    editor.write("url", "https://example.com/new");
    editor.save();
    browser.finish(&[]);
}

#[test]
fn a_store_that_is_away_is_told_and_comes_back_by_itself() {
    let (server, relay) = store_outage::start();
    let slug = format!("away-{}", std::process::id());
    add_links(&server, &[&slug]);
    let browser = Browser::signed_in(&server, &format!("links?q={slug}"));
    let (editor, list) = (Editor(&browser), List(&browser));
    list.has(&slug);
    browser.press("c");
    editor.write("url", "http://localhost/kept");
    editor.write("comment", "typed before");
    relay.cut();
    editor.send();
    browser.find(".panel .error-note");
    list.status("all");
    browser.until(
        "the outage is told, with the time of the next attempt",
        "return /Next attempt in \\d+ s/.test(document.querySelector('.page-main .error-note')?.textContent)",
    );
    relay.mend();
    // It comes back without a click.
    browser.gone(".page-main .error-note");
    list.shows(&slug);
    editor.keeps("comment", "typed before");
    editor.save();
    browser.finish(&["503"]);
}

#[test]
fn while_links_are_moved_here_their_progress_is_shown_and_then_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let old = folder.path().join("old.json");
    // More entries than one run moves.
    let entry = |n: u32| json!({"key": format!("link:moved-{n}"), "value": json!({"id": format!("m{n}"), "slug": format!("moved-{n}"), "url": "https://example.com/"}).to_string()});
    let entries: Vec<_> = (0..250).map(entry).collect();
    std::fs::write(&old, json!(entries).to_string()).unwrap();
    let url = format!("file:{}", old.display());
    let server = Server::start_with(&[("SLUGLINE_LEGACY_KV_URL", &url)]);
    let browser = Browser::start(&server);
    browser.sign_in("links?new=1&sort=az", TOKEN);
    browser.says(".moving", "older store");
    let editor = Editor(&browser);
    editor.write("url", "http://localhost/kept");
    editor.cannot_save();
    let mut run = json!({});
    loop {
        let moved = server.post("/api/link/migration/run", &run).is(200);
        let report = moved.json();
        if report["list_complete"] == true {
            break;
        }
        browser.until(
            "how far it is",
            "return /\\d+ links are here/.test(document.querySelector('.moving-count')?.textContent)",
        );
        run = json!({"cursor": report["cursor"]});
    }
    List(&browser).has("moved-0");
    // What was typed becomes a link.
    browser.gone("#refusal");
    editor.save();
    browser.finish(&["423"]);
}
