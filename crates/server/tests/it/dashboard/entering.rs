use serde_json::json;

use super::{
    browser::{Browser, ENTER, ESCAPE},
    pages::{Analytics, Dialog, Door, Editor, Shell},
};
use crate::{
    support::server::{Server, TOKEN, eventually},
    tokens::sign_in::{code_by, kept_token, server_with_kept_token},
};

#[test]
fn a_newcomer_signs_in_makes_a_link_follows_it_and_sees_the_graph() {
    let server = Server::start();
    let browser = Browser::start(&server);
    browser.go("");
    let door = Door(&browser);
    door.enter("not-the-token");
    door.says("not the token");
    door.enter(TOKEN);

    browser.type_into(".first-form input", "example.com/a/long/address");
    browser.click(".first-form button");
    let short = browser.text(".first-link a");
    let slug = short.rsplit('/').next().unwrap();
    let made = server.link(slug);
    assert_eq!(made["url"], "https://example.com/a/long/address");
    server.visit(&format!("/{slug}")).is(301);
    // The visit is seen.
    browser.click(".first .primary");
    browser.settle();
    Analytics(&browser).shows_visits(1);
    browser.find(".chart .line.visits");
    let analytics = format!("/_dashboard/analytics?slug={slug}");
    assert!(browser.address().ends_with(&analytics));
    // The server refused the wrong token, which the browser reports.
    browser.finish(&["401"]);
}

#[test]
fn a_one_time_code_signs_in_once_and_leaves_no_token_in_the_history() {
    let server = server_with_kept_token();
    let code = code_by(&server, "show");
    let browser = Browser::start(&server);
    let shell = Shell(&browser);
    browser.go(&format!("links#code={code}"));
    shell.welcomes();
    assert_eq!(browser.address(), "/_dashboard/links");
    assert_eq!(shell.session(), kept_token(&server));
    shell.sign_out();
    // The address as the history has it.
    browser.go(&format!("#code={code}"));
    Door(&browser).says("slugline token show");
    // In the open tab, too.
    let other = code_by(&server, "show");
    browser.follow_fragment(&format!("code={other}"));
    shell.welcomes();
    browser.until("the fragment is gone", "return location.hash === ''");
    browser.finish(&["401"]);
}

#[test]
fn an_address_replaces_a_session_only_when_its_reader_agrees() {
    let server = server_with_kept_token();
    let own = kept_token(&server);
    let stranger = json!({"name": "a stranger", "scopes": ["links:read"]});
    let made = server
        .by(&own, "POST", "/api/tokens")
        .json(&stranger)
        .send();
    let strangers = made.json()["token"].as_str().unwrap().to_owned();
    let browser = Browser::start(&server);
    let (shell, dialog) = (Shell(&browser), Dialog(&browser));
    let has_session = |whose: &str| eventually("it is taken", || shell.session() == whose);
    browser.sign_in("links", &own);
    shell.welcomes();
    // A token that is none is told, and changes nothing.
    browser.sign_in("analytics", "%");
    browser.says(".toast.bad", "not the token");
    assert_eq!(shell.session(), own);
    browser.sign_in("links", &strangers);
    assert!(browser.text("dialog.offer p").contains("“a stranger”"));
    assert_eq!(shell.session(), own);
    browser.click("dialog.offer .dialog-foot .button:not(.primary)");
    dialog.is_closed();
    assert_eq!(shell.session(), own);
    // In an open tab.
    browser.follow_fragment(&format!("token={strangers}"));
    dialog.accept();
    has_session(&strangers);
    shell.welcomes();
    // A code is not used up before the answer.
    let code = code_by(&server, "show");
    browser.go(&format!("links#code={code}"));
    browser.find("dialog.offer");
    browser.press(ESCAPE);
    dialog.is_closed();
    assert_eq!(shell.session(), strangers);
    browser.follow_fragment(&format!("code={code}"));
    dialog.accept();
    has_session(&own);
    shell.welcomes();
    browser.finish(&["401"]);
}

#[test]
fn the_token_of_a_fragment_leaves_the_address_and_lasts_until_the_server_refuses_it() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "links?status=all");
    assert_eq!(browser.address(), "/_dashboard/links?status=all");
    browser.go("links");
    let shell = Shell(&browser);
    shell.welcomes();
    let kept = browser.run("return localStorage.getItem('slugline.token')");
    assert_eq!(kept, json!(null));
    shell.sign_out();
    assert_eq!(browser.run("return sessionStorage.length"), 0);

    // A token that the server no longer takes is asked for, and nothing typed is lost.
    browser.sign_in("links?new=1", TOKEN);
    let editor = Editor(&browser);
    // The host has no dot, so the page does not search for links with this destination: the
    // server would refuse the search before the link.
    editor.write("url", "http://localhost/kept");
    editor.write("comment", "typed before");
    // Simulates a change of the token by the operator: the tab still has the old one.
    browser.run("const send = fetch; window.fetch = (url, given) => send(url, window.changed ? given : { ...given, headers: { ...given.headers, authorization: 'Bearer old' } })");
    editor.send();
    browser.find(".veil #token");
    browser.run("window.changed = true");
    Door(&browser).enter(TOKEN);
    browser.gone(".veil");
    editor.keeps("comment", "typed before");
    editor.save();
    browser.finish(&["401"]);
}

#[test]
fn too_many_attempts_are_told_with_the_time_to_wait() {
    let server = Server::start();
    let attempt = || {
        server
            .by("not-the-token", "GET", "/api/verify")
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
        browser.find("#token-told:not(:empty)");
        if browser.run(waits) == true {
            break;
        }
    }
    assert!(browser.is_off(".door .primary"));
    browser.finish(&["429", "401"]);
}
