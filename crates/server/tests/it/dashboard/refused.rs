//! The dashboard while the server refuses requests: disabled controls, messages, and recovery.

use serde_json::json;

use super::browser::Browser;
use crate::{
    operation::store_outage,
    support::server::{Server, TOKEN},
};

#[test]
fn a_demonstration_turns_off_what_it_would_refuse_and_says_why() {
    let server = Server::start_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]);
    for slug in ["shown", "other"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    let browser = Browser::signed_in(&server, "links?edit=shown");
    browser.type_into("#comment", "more");
    browser.until(
        "the reason stands in the panel",
        "return document.querySelector('#refusal')?.textContent.includes('demonstration')",
    );
    for control in [
        ".panel-foot .primary",
        ".panel-head .icon-button[aria-label=Delete]",
    ] {
        let script = "return document.querySelector(arguments[0]).disabled";
        assert_eq!(browser.run_with(script, &json!(control)), true, "{control}");
    }
    let typed = browser.run("return document.querySelector('#comment').value");
    assert_eq!(typed, "more", "what was typed stays");
    browser.click_text(".panel-foot button", "Cancel");
    browser.click_text(".panel-foot button", "Discard");
    browser.click("[data-slug=other] .row-actions .menu-button");
    browser.until(
        "a link cannot be deleted, and the menu says why",
        "const item = document.querySelector('.menu-item.danger'); return item?.disabled && item.textContent.includes('demonstration')",
    );
    browser.press("j");
    browser.type_into("body", "\u{e017}");
    browser.find(".toast.bad");
    assert!(!browser.has("dialog"));
    browser.click("[data-slug=other] .row-check input");
    browser.find("#bulk-why");
    let off = browser.run("return [...document.querySelectorAll('.bulk > .button:not(.quiet)')].every((button) => button.disabled)");
    assert_eq!(off, true);
    // Links can be created.
    browser.press("c");
    browser.type_into("#url", "https://example.com/new");
    browser.click(".panel-foot .primary");
    browser.until(
        "it is made",
        "return document.querySelector('.panel') === null",
    );
    browser.finish(&[]);
}

#[test]
fn a_store_that_is_away_is_told_and_comes_back_by_itself() {
    let (server, relay) = store_outage::start();
    let slug = format!("away-{}", std::process::id());
    server.create(&json!({"url": "https://example.com/", "slug": slug}));
    let view = format!("links?q={slug}");
    let browser = Browser::signed_in(&server, &view);
    let row = format!("[data-slug={slug}]");
    browser.find(&row);
    browser.press("c");
    browser.type_into("#url", "http://localhost/kept");
    browser.type_into("#comment", "typed before");
    relay.cut();
    browser.click(".panel-foot .primary");
    browser.find(".panel .error-note");
    browser.choose(".toolbar .select:nth-of-type(1) select", "all");
    browser.until(
        "the outage is told, with the time of the next attempt",
        "return /Next attempt in \\d+ s/.test(document.querySelector('.page-main .error-note')?.textContent)",
    );
    relay.mend();
    browser.until(
        "it comes back without a click",
        "return document.querySelector('.page-main .error-note') === null && document.querySelector('.list:not(.stale) .row') !== null",
    );
    let typed = browser.run("return document.querySelector('#comment').value");
    assert_eq!(typed, "typed before");
    browser.click(".panel-foot .primary");
    browser.until(
        "the link is made at last",
        "return document.querySelector('.panel') === null",
    );
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
    browser.go(&format!("links?new=1&sort=az#token={TOKEN}"));
    browser.until(
        "the reason stands in place of the list",
        "return document.querySelector('.moving')?.textContent.includes('older store')",
    );
    browser.type_into("#url", "http://localhost/kept");
    assert_eq!(
        browser.run("return document.querySelector('.panel-foot .primary').disabled"),
        true
    );
    let mut cursor = json!(null);
    loop {
        let body = if cursor.is_null() {
            json!({})
        } else {
            json!({"cursor": cursor})
        };
        let moved = server
            .api("POST", "/api/link/migration/run")
            .json(&body)
            .send();
        assert_eq!(moved.status, 200, "{}", moved.text);
        let report = moved.json();
        if report["list_complete"] == true {
            break;
        }
        browser.until(
            "how far it is",
            "return /\\d+ links are here/.test(document.querySelector('.moving-count')?.textContent)",
        );
        cursor = report["cursor"].clone();
    }
    browser.find("[data-slug=moved-0]");
    browser.until(
        "controls are on again",
        "return !document.querySelector('.panel-foot .primary').disabled && document.querySelector('#refusal') === null",
    );
    browser.click(".panel-foot .primary");
    browser.until(
        "what was typed became a link",
        "return document.querySelector('.panel') === null",
    );
    browser.finish(&["423"]);
}
