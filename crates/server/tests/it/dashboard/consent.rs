//! A person decides about an assistant, in a browser and by the keyboard alone.

use serde_json::json;

use super::{
    browser::{Browser, ENTER, TAB},
    looks::in_every_look,
    pages::Dialog,
};
use crate::{
    assistants::{authorize, connect, enters, register, request, sdks::start_here, start},
    support::server::{Server, TOKEN, eventually},
};

const SPACE: &str = " ";

/// The address for the answer, on this machine, where something answers.
fn callback(server: &Server) -> String {
    format!("{}/_health/live", server.origin())
}

/// The page of a request by an application with this name.
fn page_for(server: &Server, name: &str) -> String {
    let callback = callback(server);
    let metadata = json!({"client_name": name, "redirect_uris": [callback]});
    let client = register(server, &metadata).json()["client_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let resource = format!("{}/api/mcp", server.origin());
    let mut sent = request(&client);
    sent.insert("redirect_uri", &callback);
    sent.insert("resource", &resource);
    format!("..{}", authorize(&sent))
}

/// Presses Tab until the element is in focus.
fn tab_to(browser: &Browser<'_>, css: &str) {
    for _ in 0..30 {
        browser.tap(TAB);
        let here = format!("return document.activeElement.matches('{css}')");
        if browser.run(&here) == true {
            return;
        }
    }
    panic!("Tab does not reach {css}");
}

#[test]
fn the_keyboard_is_enough() {
    let server = start_here(&[], None);
    server.create(&json!({"url": "https://example.com/", "slug": "docs", "tags": ["summer"]}));
    let browser = Browser::start(&server);
    browser.go(&page_for(&server, "Claude"));
    browser.find("#token:focus");
    browser.type_into("#token", "wrong-token");
    browser.tap(ENTER);
    assert!(browser.text("[role=alert]").contains("wrong"));
    browser.type_into("#token", TOKEN);
    browser.tap(ENTER);
    browser.find("input[name=scope]");
    assert!(browser.text("h1").contains("Give this assistant access?"));
    tab_to(&browser, "[value=\"links:write\"]");
    browser.tap(SPACE);
    tab_to(&browser, "summary");
    browser.tap(ENTER);
    tab_to(&browser, "#tags");
    browser.type_into("#tags", "summer");
    tab_to(&browser, "[value=allow]");
    browser.tap(ENTER);
    browser.until(
        "the answer arrived",
        "return location.pathname === '/_health/live' && location.search.includes('code=')",
    );
    browser.finish(&["403", "favicon.ico"]);
}

#[test]
fn the_pages_are_accessible_and_fit_every_screen() {
    let server = start_here(&[], None);
    let browser = Browser::start(&server);
    let page = page_for(&server, "Claude");
    in_every_look(&browser, |check| {
        browser.go("../_oauth/authorize?broken");
        browser.find("#token");
        check("sign-in");
        browser.type_into("#token", TOKEN);
        browser.tap(ENTER);
        browser.find("h1");
        browser.until(
            "it says why not",
            "return document.body.innerText.includes('client_id')",
        );
        check("refused");
        browser.go(&page);
        browser.find("input[name=scope]");
        check("consent");
        browser.run("document.querySelector('details').open = true");
        check("consent-open");
        // Signs out, for the next look.
        browser.click("[value=deny]");
        browser.until(
            "it was told",
            "return location.search.includes('access_denied')",
        );
    });
    browser.finish(&["400", "favicon.ico"]);
}

#[test]
fn the_list_of_tokens_names_the_assistant_and_revokes_it() {
    let server = start();
    let tokens = connect(&server);
    assert_eq!(enters(&server, &tokens.access), 200);
    let browser = Browser::signed_in(&server, "setup");
    let row = ".token[data-token='Claude (claude.ai)']";
    let said = browser.text(&format!("{row} [data-assistant='claude.ai']"));
    assert!(said.contains("Claude from claude.ai"), "{said}");
    let use_of_it = browser.text(row);
    assert!(use_of_it.contains("Last used"), "{use_of_it}");
    assert!(browser.has("[id='snippet-claude.ai, ChatGPT']"));
    browser.click(&format!("{row} button"));
    Dialog(&browser).confirm();
    eventually("it is revoked", || enters(&server, &tokens.access) == 401);
    browser.finish(&[]);
}
