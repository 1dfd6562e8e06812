use serde_json::json;

use super::browser::{Browser, ENTER, ESCAPE};
use crate::{
    support::server::{Server, TOKEN},
    tokens::sign_in::{code_by, kept_token, server_with_kept_token},
};

#[test]
fn a_newcomer_signs_in_makes_a_link_follows_it_and_sees_the_graph() {
    let server = Server::start();
    let browser = Browser::start(&server);
    browser.go("");
    browser.type_into("#token", "not-the-token");
    browser.type_into("#token", ENTER);
    browser.until(
        "the refusal is told",
        "return document.querySelector('#token-told')?.textContent.includes('not the token')",
    );
    browser.fill("#token", TOKEN);
    browser.type_into("#token", ENTER);

    browser.type_into(".first-form input", "example.com/a/long/address");
    browser.click(".first-form button");
    let short = browser.text(".first-link a");
    let slug = short.rsplit('/').next().unwrap().to_owned();
    let made = server
        .api("GET", &format!("/api/link/query?slug={slug}"))
        .send();
    assert_eq!(made.json()["url"], "https://example.com/a/long/address");
    assert_eq!(server.visit(&format!("/{slug}")).status, 301);
    browser.until(
        "the visit is seen",
        "return document.querySelector('.first .primary') !== null",
    );
    browser.click(".first .primary");
    browser.settle();
    browser.until("the total is there", "return document.querySelector('[data-counter=visits] .counter-value')?.textContent === '1'");
    browser.find(".chart .line.visits");
    assert!(
        browser
            .address()
            .ends_with(&format!("/_dashboard/analytics?slug={slug}"))
    );
    // The server refused the wrong token, which the browser reports.
    browser.finish(&["401"]);
}

#[test]
fn a_one_time_code_signs_in_once_and_leaves_no_token_in_the_history() {
    let server = server_with_kept_token();
    let code = code_by(&server, "show");
    let browser = Browser::start(&server);
    browser.go(&format!("links#code={code}"));
    browser.find(".first");
    assert_eq!(browser.address(), "/_dashboard/links");
    assert_eq!(browser.run("return location.hash"), "");
    let kept = browser.run("return sessionStorage.getItem('slugline.token')");
    assert_eq!(kept, kept_token(&server));
    browser.click(".main-menu .menu-button");
    browser.click_text(".menu-item", "Sign out");
    browser.find("#token");
    // The address as the history has it.
    browser.go(&format!("#code={code}"));
    browser.until(
        "the door says why",
        "return document.querySelector('#token-told')?.textContent.includes('slugline token show')",
    );
    // In the open tab, too.
    let other = code_by(&server, "show");
    browser.run(&format!("location.hash = '#code={other}'"));
    browser.find(".first");
    browser.until("the fragment is gone", "return location.hash === ''");
    browser.finish(&["401"]);
}

#[test]
fn an_address_replaces_a_session_only_when_its_reader_agrees() {
    let server = server_with_kept_token();
    let own = kept_token(&server);
    let made = server
        .request("POST", "/api/tokens")
        .header("authorization", &format!("Bearer {own}"))
        .json(&json!({"name": "a stranger", "scopes": ["links:read"]}))
        .send();
    let strangers = made.json()["token"].as_str().unwrap().to_owned();
    let browser = Browser::start(&server);
    let session = |whose: &str| {
        assert_eq!(
            browser.run("return sessionStorage.getItem('slugline.token')"),
            whose
        );
    };
    browser.go(&format!("links#token={own}"));
    browser.find(".first");
    // A token that is none is told, and changes nothing.
    browser.go("analytics#token=%");
    browser.until(
        "it is told",
        "return document.querySelector('.toast.bad')?.textContent.includes('not the token')",
    );
    session(&own);
    browser.go(&format!("links#token={strangers}"));
    assert!(browser.text("dialog.offer p").contains("“a stranger”"));
    session(&own);
    browser.click("dialog.offer .dialog-foot .button:not(.primary)");
    browser.until("it is closed", "return !document.querySelector('dialog')");
    session(&own);
    // In an open tab.
    browser.run(&format!("location.hash = '#token={strangers}'"));
    browser.click("dialog.offer .primary");
    browser.until(
        "the stranger's token is taken",
        "return sessionStorage.getItem('slugline.token')?.startsWith('slugline_')",
    );
    browser.find(".first");
    session(&strangers);
    // A code is not used up before the answer.
    let code = code_by(&server, "show");
    browser.go(&format!("links#code={code}"));
    browser.find("dialog.offer");
    browser.press(ESCAPE);
    browser.until("it is closed", "return !document.querySelector('dialog')");
    session(&strangers);
    browser.run(&format!("location.hash = '#code={code}'"));
    browser.click("dialog.offer .primary");
    browser.until(
        "the site token is back",
        "return sessionStorage.getItem('slugline.token')?.length === 64",
    );
    browser.find(".first");
    session(&own);
    browser.finish(&["401"]);
}

#[test]
fn the_token_of_a_fragment_leaves_the_address_and_lasts_for_the_tab() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "links?status=all");
    assert_eq!(browser.address(), "/_dashboard/links?status=all");
    browser.go("links");
    browser.find(".first");
    assert_eq!(
        browser.run("return localStorage.getItem('slugline.token')"),
        json!(null)
    );
    browser.click(".main-menu .menu-button");
    browser.click_text(".menu-item", "Sign out");
    browser.find("#token");
    assert_eq!(browser.run("return sessionStorage.length"), 0);
    browser.finish(&[]);
}

#[test]
fn a_token_that_the_server_no_longer_takes_is_asked_for_without_losing_what_was_typed() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "links?new=1");
    // The host has no dot, so the page does not search for links with this destination: the
    // server would refuse the search before the link.
    browser.type_into("#url", "http://localhost/kept");
    browser.type_into("#comment", "typed before");
    // Simulates a change of the token by the operator: the tab still has the old one.
    browser.run("const send = fetch; window.fetch = (url, given) => send(url, window.changed ? given : { ...given, headers: { ...given.headers, authorization: 'Bearer old' } })");
    browser.click(".panel-foot .primary");
    browser.find(".veil #token");
    browser.run("window.changed = true");
    browser.type_into(".veil #token", TOKEN);
    browser.type_into(".veil #token", ENTER);
    browser.until(
        "the door is gone",
        "return document.querySelector('.veil') === null",
    );
    assert_eq!(
        browser.run("return document.querySelector('#comment').value"),
        "typed before"
    );
    browser.click(".panel-foot .primary");
    browser.until(
        "it is made",
        "return document.querySelector('.panel') === null",
    );
    browser.finish(&["401"]);
}

#[test]
fn too_many_attempts_are_told_with_the_time_to_wait() {
    let server = Server::start();
    let attempt = || {
        let call = server.request("GET", "/api/verify");
        call.header("authorization", "Bearer not-the-token")
            .send()
            .status
    };
    let browser = Browser::start(&server);
    browser.go("");
    browser.type_into("#token", "not-the-token");
    // The limit frees attempts one by one, so a slow browser may get one of them: it then hears
    // that the token is wrong, and tries again.
    let waits =
        "return /Again in \\d+ second/.test(document.querySelector('#token-told').textContent)";
    loop {
        while attempt() != 429 {}
        browser.type_into("#token", ENTER);
        browser.until(
            "an answer",
            "return Boolean(document.querySelector('#token-told')?.textContent)",
        );
        if browser.run(waits) == true {
            break;
        }
    }
    assert_eq!(
        browser.run("return document.querySelector('.door .primary').disabled"),
        true
    );
    browser.finish(&["429", "401"]);
}
