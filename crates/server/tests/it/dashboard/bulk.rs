use serde_json::{Value, json};

use super::browser::{Browser, Look};
use crate::support::server::Server;

fn link(server: &Server, slug: &str) -> Value {
    server
        .api("GET", &format!("/api/link/query?slug={slug}"))
        .send()
        .json()
}

fn count(server: &Server, query: &str) -> Value {
    let path = format!("/api/link/count?{query}");
    server.api("GET", &path).send().json()["count"].clone()
}

/// Waits for the result of the dry run, and until the action is enabled.
fn would_change(browser: &Browser<'_>, links: u32) {
    browser.until(
        &format!("{links} would change"),
        &format!("return document.querySelector('[data-outcome=bulkWould] dd')?.textContent === '{links}' && !document.querySelector('dialog [type=submit]').disabled"),
    );
}

fn is_done(browser: &Browser<'_>) {
    browser.until(
        "it is done",
        "return document.querySelector('.bulk') === null && document.querySelector('dialog') === null",
    );
    browser.settle();
}

#[test]
fn many_links_are_tagged_untagged_and_deleted_after_a_look_at_what_would_happen() {
    let server = Server::start();
    for slug in ["one", "two", "three", "four"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": ["old"]}));
    }
    let change = json!({"slug": "three", "tags": ["fresh"]});
    server.api("PATCH", "/api/link/edit").json(&change).send();
    let browser = Browser::signed_in(&server, "links");
    for slug in ["one", "two", "three"] {
        browser.click(&format!("[data-slug={slug}] .row-check input"));
    }
    browser.until(
        "three are selected",
        "return document.querySelector('.bulk strong')?.textContent.includes('3')",
    );
    browser.click_text(".bulk button", "Add tag");
    browser.type_into("#bulk-tag", "fresh");
    would_change(&browser, 2);
    assert_eq!(browser.text("[data-outcome=bulkUnchanged] dd"), "1");
    assert_eq!(link(&server, "one")["tags"], json!(["old"]), "only looked");
    browser.click("dialog [type=submit]");
    is_done(&browser);
    assert_eq!(link(&server, "one")["tags"], json!(["fresh", "old"]));
    assert_eq!(link(&server, "four")["tags"], json!(["old"]));

    browser.click("[data-slug=one] .row-check input");
    browser.click_text(".bulk button", "Remove tag");
    browser.type_into("#bulk-tag", "old");
    would_change(&browser, 1);
    browser.click("dialog [type=submit]");
    is_done(&browser);
    assert_eq!(link(&server, "one")["tags"], json!(["fresh"]));

    browser.click("[data-slug=one] .row-check input");
    browser.click_text(".bulk button", "Set expiry");
    browser.find("#bulk-expires");
    browser.run("const field = document.querySelector('#bulk-expires'); field.value = '2031-07-01T18:30'; field.dispatchEvent(new Event('input', { bubbles: true }))");
    would_change(&browser, 1);
    browser.click("dialog [type=submit]");
    is_done(&browser);
    assert!(link(&server, "one")["expiration"].is_number());

    browser.click("[data-slug=one] .row-check input");
    browser.click("[data-slug=two] .row-check input");
    browser.click(".bulk > .danger");
    would_change(&browser, 2);
    browser.click("dialog [type=submit]");
    browser.until(
        "two are left",
        "return document.querySelectorAll('.list .row').length === 2",
    );
    assert_eq!(count(&server, ""), 2);
    browser.finish(&[]);
}

#[test]
fn an_action_reaches_all_links_that_match_also_those_that_are_not_loaded() {
    let server = Server::start();
    let links: Vec<_> = (0..70)
        .map(|n| json!({"url": "https://example.com/", "slug": format!("n-{n}"), "tags": ["many"]}))
        .collect();
    let body = json!({"version": "1.0", "links": links});
    server.api("POST", "/api/link/import").json(&body).send();
    server.create(&json!({"url": "https://example.com/", "slug": "other"}));
    let browser = Browser::signed_in(&server, "links?tag=many");
    browser.find(".list .row");
    browser.click(".list-head input");
    browser.click(".bulk-all");
    browser.until(
        "all are selected",
        "return document.querySelector('.bulk strong')?.textContent.startsWith('70')",
    );
    browser.click_text(".bulk button", "Add tag");
    browser.type_into("#bulk-tag", "all");
    would_change(&browser, 70);
    browser.click("dialog [type=submit]");
    is_done(&browser);
    assert_eq!(count(&server, "tag=all"), 70);
    assert_eq!(link(&server, "other")["tags"], json!([]));
    browser.finish(&[]);
}

#[test]
fn links_that_are_gone_are_told_before_anything_is_done() {
    let server = Server::start();
    for slug in ["stays", "goes"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    let browser = Browser::signed_in(&server, "links");
    browser.find(".list .row");
    browser.click(".list-head input");
    let body = json!({"slug": "goes"});
    server.api("POST", "/api/link/delete").json(&body).send();
    browser.click(".bulk > .danger");
    would_change(&browser, 1);
    assert_eq!(browser.text("[data-outcome=bulkGone] dd"), "1");
    browser.click_text("dialog button", "Cancel");
    browser.until(
        "nothing was done",
        "return document.querySelector('dialog') === null",
    );
    assert_eq!(count(&server, ""), 1);
    browser.finish(&[]);
}

#[test]
fn actions_and_a_long_slug_fit_a_phone_in_every_language() {
    const LANGUAGES: [&str; 10] = [
        "de-DE", "en-US", "fr-FR", "id-ID", "it-IT", "pt-BR", "pt-PT", "vi-VN", "zh-CN", "zh-TW",
    ];
    let server = Server::start();
    let long = "spring-campaign-".repeat(6);
    let long = long.trim_end_matches('-');
    for slug in ["one", "two", long] {
        server.create(
            &json!({"url": "https://example.com/", "slug": slug, "password": "secret-word"}),
        );
    }
    let browser = Browser::signed_in(&server, "links");
    browser.look(Look {
        width: 360,
        dark: false,
    });
    for language in LANGUAGES {
        browser.run_with(
            "localStorage.setItem('slugline.language', arguments[0])",
            &json!(language),
        );
        browser.go("links");
        for slug in ["one", "two"] {
            browser.click(&format!("[data-slug={slug}] .row-check input"));
        }
        browser.find(".bulk .danger");
        // Nothing of the bar has to be scrolled to, or is cut off.
        let hidden = browser.run(
            "return [...document.querySelectorAll('.bulk, .bulk button, .bulk strong')].filter((part) => { const { left, right } = part.getBoundingClientRect(); return part.scrollWidth > part.clientWidth && part.clientWidth > 0 || left < 0 || right > innerWidth; }).map((part) => part.outerHTML)",
        );
        assert_eq!(hidden, json!([]), "{language}");
        let beside = browser.run_with(
            "const row = document.querySelector(`[data-slug='${arguments[0]}']`); const [slug, badge] = ['.row-slug', '.badge'].map((part) => row.querySelector(part).getBoundingClientRect()); return slug.height > 30 && badge.left >= slug.right && badge.bottom < slug.top + 30",
            &json!(long),
        );
        assert_eq!(
            beside, true,
            "{language}: the badge is beside the first line"
        );
    }
    browser.finish(&[]);
}
