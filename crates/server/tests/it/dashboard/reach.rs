//! Readers reach everything: at every width, in every language, by hand and by ear.

use serde_json::json;

use super::{
    browser::{Browser, ESCAPE, PHONE, TAB, strings},
    instance::{seeded_with, with_links},
    pages::List,
};
use crate::{support::server::TOKEN, tokens::make};

/// Tags, and the word for links.
const LANGUAGES: [(&str, &str); 10] = [
    ("de-DE", "Links"),
    ("en-US", "Links"),
    ("fr-FR", "Liens"),
    ("id-ID", "Tautan"),
    ("it-IT", "Link"),
    ("pt-BR", "Links"),
    ("pt-PT", "Ligações"),
    ("vi-VN", "Liên kết"),
    ("zh-CN", "链接"),
    ("zh-TW", "連結"),
];

const WIDTHS: [u32; 4] = [390, 768, 1024, 1440];

/// States of the pages: a view, and what is clicked there, one after the other.
const STATES: [(&str, &[&str]); 28] = [
    ("links", &[".list-head input"]),
    ("links?tag=print", &[".list-head input", ".bulk .danger"]),
    (
        "links?tag=print",
        &[".list-head input", ".bulk .button:nth-of-type(4)"],
    ),
    ("links?tag=print&edit=docs", &[".list-head input"]),
    ("links?q=zzzz", &[]),
    ("links?q=zzzz&edit=nowhere", &[]),
    (
        "links?q=zzzz&edit=docs",
        &[".section-head[aria-expanded=false]"],
    ),
    (
        "links?q=zzzz&edit=docs",
        &[".panel-head > button:first-of-type"],
    ),
    (
        "links?q=zzzz&new=1&url=javascript:x",
        &[".panel-foot [type=submit]"],
    ),
    ("links?q=zzzz&new=1&from=docs", &[".panel-foot .quiet"]),
    ("links?q=zzzz&qr=docs", &[]),
    ("links?q=zzzz&history=docs", &[]),
    ("links?q=zzzz&do=import", &[]),
    ("links?q=zzzz&do=export", &[]),
    ("links?q=zzzz&do=check", &[]),
    ("analytics?range=30d&compare=previous&zone=UTC", &[]),
    ("analytics?slug=docs,spring-24&country=!DE&zone=UTC", &[]),
    ("analytics?slug=everything&zone=UTC", &[]),
    (
        "analytics?range=30d&zone=UTC",
        &[".panels > :first-child .card-foot button"],
    ),
    ("analytics?range=24h&zone=UTC", &[".link-choice"]),
    ("live", &[]),
    ("audit", &[]),
    ("audit?slug=docs&from=2020-01-01", &[]),
    ("setup", &[]),
    ("setup", &[".domain-list .button:last-child"]),
    ("trash", &[]),
    ("trash", &[".jump"]),
    ("trash", &[".main-menu .menu-button", ".menu-item:has(kbd)"]),
];

/// Lists what the page cuts, covers or puts out of reach in these languages, at every width that makes a difference.
fn faults(browser: &Browser<'_>, state: &str, languages: &[(&str, &str)]) -> Vec<String> {
    let mut found = Vec::new();
    // A dialog is as wide in a wide window as in a wider one.
    let widths = if browser.has("dialog[open]") {
        &WIDTHS[..2]
    } else {
        &WIDTHS
    };
    for &width in widths {
        browser.resize(width);
        let faults = browser.run_async_with(include_str!("reach.js"), &json!(languages));
        let named = |fault| format!("{state} {width} {fault}");
        found.extend(strings(&faults).into_iter().map(named));
    }
    found
}

#[test]
fn nothing_is_out_of_reach_at_any_width_in_any_language() {
    let server = seeded_with("go.example", 24, 1_000, 40);
    let everything = json!({
        "slug": "everything", "url": "https://example.com/a/long/path/to/everything",
        "comment": "a note that is long enough to end in dots", "password": "secret-word",
        "tags": ["print", "social", "spring"], "expiration": 4_000_000_000_u32, "unsafe": true,
    });
    server.create(&everything);
    make(&server, "a screen", &["links:read", "analytics:read"]);
    let browser = Browser::start(&server);
    browser.go("");
    let mut found = Vec::new();
    for language in LANGUAGES {
        browser.language(language.0);
        browser.go("");
        browser.find("#token");
        found.extend(faults(&browser, "door", &[language]));
    }
    browser.sign_in("links", TOKEN);
    for (view, clicks) in STATES {
        browser.resize(1440);
        browser.go(view);
        browser.settle();
        for css in clicks {
            browser.find(css);
            let all = "for (const one of document.querySelectorAll(arguments[0])) one.click()";
            browser.run_with(all, &json!(css));
            browser.settle();
        }
        let state = format!("{view} {}", clicks.join(" "));
        found.extend(faults(&browser, &state, &LANGUAGES));
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
    browser.finish(&["400", "404"]);
}

/// Waits until this has the focus.
fn has_focus(browser: &Browser<'_>, css: &str) {
    let script = format!("return document.activeElement?.matches({})", json!(css));
    browser.until(&format!("{css} has the focus"), &script);
}

#[test]
fn the_focus_comes_back_and_what_deletes_begins_at_cancel() {
    let server = with_links(&["one", "two"]);
    let browser = Browser::signed_in(&server, "links");
    List(&browser).has("one");
    let slug = List::row("two", ".row-slug");
    browser.press("j");
    has_focus(&browser, &slug);
    let marked =
        "return getComputedStyle(document.activeElement.closest('.row'), '::before').content";
    assert_eq!(browser.run(marked), "\"\"", "the row is marked");
    for (key, part) in [("q", "dialog"), ("e", ".panel"), ("\u{e017}", "dialog")] {
        browser.tap(key);
        browser.find(part);
        if key == "\u{e017}" {
            has_focus(&browser, "dialog .dialog-foot :first-child");
        }
        browser.tap(ESCAPE);
        browser.gone(part);
        has_focus(&browser, &slug);
    }
    let menu = List::row("one", ".menu-button");
    browser.run_with(
        "const button = document.querySelector(arguments[0]); button.focus(); button.click()",
        &json!(menu),
    );
    browser.click(".menu-item.danger");
    has_focus(&browser, "dialog .dialog-foot :first-child");
    browser.tap(ESCAPE);
    has_focus(&browser, &menu);

    // On a phone the editor covers the page, and keeps the focus.
    browser.look(PHONE);
    browser.go("links?edit=two");
    browser.find(".panel[aria-modal=true]");
    has_focus(&browser, "#url");
    for _ in 0..30 {
        browser.tap(TAB);
        let inside = "return document.activeElement.closest('.panel, body') !== null && !document.activeElement.closest('.top, .page-main')";
        assert_eq!(browser.run(inside), true);
    }
    browser.tap(ESCAPE);
    browser.finish(&[]);
}
