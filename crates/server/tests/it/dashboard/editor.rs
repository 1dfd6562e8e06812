use serde_json::{Value, json};

use super::browser::{Browser, ESCAPE};
use crate::support::server::Server;

fn open_sections(browser: &Browser<'_>) {
    browser.find(".section-head");
    browser.run("for (const head of document.querySelectorAll('.section-head[aria-expanded=false]')) head.click()");
    browser.until(
        "all sections are open",
        "return document.querySelectorAll('.section-body').length === 7",
    );
}

fn read(server: &Server, slug: &str) -> Value {
    let answer = server
        .api("GET", &format!("/api/link/query?slug={slug}"))
        .send();
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()
}

#[test]
fn fields_wait_for_the_link_so_that_nothing_of_it_is_lost() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "slow", "tags": ["one", "two"]}));
    let browser = Browser::signed_in(&server, "links");
    browser.find("[data-slug=slow]");
    browser.run("const send = fetch; window.fetch = async (url, given) => { if (String(url).includes('/query')) await new Promise((go) => setTimeout(go, 1500)); return send(url, given); }");
    browser.type_into("body", "j");
    browser.type_into("body", "e");
    browser.type_into("#comment", "typed at once");
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    let link = read(&server, "slow");
    assert_eq!(link["comment"], "typed at once");
    assert_eq!(link["tags"], json!(["one", "two"]));
    browser.finish(&[]);
}

#[test]
fn every_field_of_a_new_link_arrives() {
    let server = Server::start();
    let browser = Browser::start(&server);
    browser.zone("Europe/Berlin");
    browser.go(&format!(
        "links?url=https%3A%2F%2Fexample.com%2Fbegun#token={}",
        crate::support::server::TOKEN
    ));
    browser.find("#slug");
    assert_eq!(
        browser.run("return document.querySelector('#url').value"),
        "https://example.com/begun"
    );
    open_sections(&browser);
    browser.type_into("#slug", "every-field");
    browser.type_into("#comment", "A note");
    browser.type_into("#tags", "one,two,");
    browser.run("const field = document.querySelector('#expires'); field.value = '2031-07-01T18:30'; field.dispatchEvent(new Event('input', { bubbles: true }))");
    browser.type_into("#password", "open sesame");
    browser.type_into("#apple", "https://apple.example.com/");
    browser.type_into("#google", "https://google.example.com/");
    browser.click_text(".text-button", "Add a country");
    browser.choose(".country-rule select", "DE");
    browser.type_into("#geo-0", "https://de.example.com/");
    browser.type_into("#title", "A title");
    browser.type_into("#description", "A text");
    browser.type_into("#image", "/a.png");
    browser.choose("select[aria-label^='Pass the visitor']", "yes");
    browser.run(
        "for (const box of document.querySelectorAll('.section-body .check input')) box.click()",
    );
    browser.until(
        "the slug is free",
        "return document.querySelector('#slug-hint .good') !== null",
    );
    browser.click(".panel-foot .primary");
    browser.until(
        "the panel is closed",
        "return document.querySelector('.panel') === null",
    );

    let link = read(&server, "every-field");
    // 18:30 in Berlin's summer is 16:30 in UTC.
    assert_eq!(link["expiration"], 1_940_689_800);
    assert!(link["password"].is_string());
    for (member, value) in [
        ("url", json!("https://example.com/begun")),
        ("comment", json!("A note")),
        ("tags", json!(["one", "two"])),
        ("apple", json!("https://apple.example.com/")),
        ("google", json!("https://google.example.com/")),
        ("geo", json!({"DE": "https://de.example.com/"})),
        ("title", json!("A title")),
        ("description", json!("A text")),
        ("image", json!("/a.png")),
        ("redirectWithQuery", json!(true)),
        ("cloaking", json!(true)),
        ("proxy", json!(true)),
        ("unsafe", json!(true)),
    ] {
        assert_eq!(link[member], value, "{member}");
    }
    browser.finish(&[]);
}

#[test]
fn a_password_is_kept_replaced_and_removed() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "locked", "password": "first", "comment": "old"}));
    let opens_with = |password: &str| {
        server
            .request("GET", "/locked")
            .header("x-link-password", password)
            .send()
            .status
            == 301
    };
    let browser = Browser::signed_in(&server, "links?edit=locked");

    browser.fill("#comment", "new");
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    assert_eq!(read(&server, "locked")["comment"], "new");
    assert!(
        opens_with("first"),
        "a note was changed, the password was not"
    );

    browser.go("links?edit=locked");
    browser.click_text(".segments button", "Set a new one");
    browser.type_into("#password", "second");
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    assert!(opens_with("second") && !opens_with("first"));

    browser.go("links?edit=locked");
    browser.click_text(".segments button", "Remove");
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    assert!(read(&server, "locked").get("password").is_none());
    browser.finish(&[]);
}

#[test]
fn faults_stand_at_their_fields_and_unsaved_changes_are_asked_about() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/same", "slug": "same"}));
    let browser = Browser::signed_in(&server, "links?new=1");
    browser.type_into("#url", "https://example.com/same");
    browser.until(
        "the same destination is found",
        "return document.querySelector('#url-hint')?.textContent.includes('same')",
    );
    browser.type_into("#slug", "same");
    browser.until(
        "the slug is in use",
        "return document.querySelector('#slug-hint .warn-text') !== null",
    );
    browser.click(".panel-foot .primary");
    browser.find("#slug-error");
    browser.fill("#url", "javascript:alert(1)");
    browser.click(".panel-foot .primary");
    browser.find("#url-error");
    assert_eq!(
        browser.run("return document.querySelector('#url').getAttribute('aria-invalid')"),
        "true"
    );

    browser.type_into("#comment", ESCAPE);
    browser.until(
        "it asks first",
        "return document.querySelector('.panel-ask') !== null",
    );
    browser.click_text(".panel-foot button", "Discard");
    browser.until(
        "the panel is closed",
        "return document.querySelector('.panel') === null",
    );
    // The browser reports refused requests.
    browser.finish(&["409", "400"]);
}

#[test]
fn a_link_is_deleted_only_after_a_confirmation() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "going"}));
    let browser = Browser::signed_in(&server, "links?edit=going");
    browser.click(".panel-head .icon-button");
    browser.click_text("dialog button", "Cancel");
    browser.until(
        "the question is gone",
        "return document.querySelector('dialog') === null",
    );
    read(&server, "going");
    browser.click(".panel-head .icon-button");
    browser.click("dialog .danger");
    browser.find(".first");
    assert_eq!(
        server
            .api("GET", "/api/link/query?slug=going")
            .send()
            .status,
        404
    );
    browser.finish(&[]);
}

#[test]
fn campaign_parameters_are_those_of_the_destination() {
    let server = Server::start();
    let destination = "https://example.com/a?x=%7E&utm_source=letter#part";
    server.create(&json!({"url": destination, "slug": "campaign"}));
    let browser = Browser::signed_in(&server, "links?edit=campaign");
    browser.until(
        "what the destination says is read",
        "return document.querySelector('#utm_source')?.value === 'letter'",
    );
    browser.fill("#utm_source", "new letter");
    browser.type_into("#utm_medium", "email");
    browser.until(
        "the destination says it",
        "return document.querySelector('#url').value === 'https://example.com/a?x=%7E&utm_source=new+letter&utm_medium=email#part'",
    );
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    assert_eq!(
        read(&server, "campaign")["url"],
        "https://example.com/a?x=%7E&utm_source=new+letter&utm_medium=email#part"
    );
    browser.finish(&[]);
}

#[test]
fn two_people_who_change_the_same_see_both_versions() {
    let server = Server::start();
    server.create(
        &json!({"url": "https://example.com/", "slug": "shared", "comment": "old", "title": "old"}),
    );
    let browser = Browser::signed_in(&server, "links?edit=shared");
    browser.fill("#comment", "my note");
    browser.fill("#title", "my title");
    let theirs = json!({"slug": "shared", "comment": "their note", "title": "their title", "description": "theirs alone"});
    let changed = server.api("PATCH", "/api/link/edit").json(&theirs).send();
    assert_eq!(changed.status, 200, "{}", changed.text);
    browser.click(".panel-foot .primary");
    browser.until(
        "both versions of both members",
        "return document.querySelectorAll('.conflict fieldset').length === 2 && document.querySelector('[data-member=comment]').innerText.includes('their note') && document.querySelector('[data-member=comment]').innerText.includes('my note')",
    );
    assert_eq!(
        read(&server, "shared")["comment"],
        "their note",
        "nothing is sent"
    );
    let typed = browser.run("return document.querySelector('#comment').value");
    assert_eq!(typed, "my note", "what was typed stays");
    browser.click("[data-member=comment] input");
    browser.until(
        "theirs is taken",
        "return document.querySelector('#comment').value === 'their note'",
    );
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    let link = read(&server, "shared");
    assert_eq!(link["comment"], "their note");
    assert_eq!(link["title"], "my title");
    assert_eq!(link["description"], "theirs alone");
    browser.finish(&["412"]);
}

#[test]
fn a_draft_that_is_opened_again_does_not_undo_what_others_did_meanwhile() {
    let server = Server::start();
    for slug in ["one", "two"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "comment": "old"}));
    }
    let browser = Browser::signed_in(&server, "links?edit=one");
    browser.fill("#comment", "typed");
    browser.click("[data-slug=two] .row-slug");
    browser.until(
        "the other link",
        "return document.querySelector('#comment')?.value === 'old'",
    );
    let theirs = json!({"slug": "one", "title": "theirs"});
    server.api("PATCH", "/api/link/edit").json(&theirs).send();
    browser.click("[data-slug=one] .row-slug");
    browser.until(
        "the draft",
        "return document.querySelector('#comment')?.value === 'typed'",
    );
    browser.click(".panel-foot .primary:not(:disabled)");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    let link = read(&server, "one");
    assert_eq!(
        (&link["comment"], &link["title"]),
        (&json!("typed"), &json!("theirs"))
    );
    browser.finish(&["412"]);
}

#[test]
fn two_people_who_change_different_things_both_keep_their_change() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "shared", "comment": "old"}));
    let browser = Browser::signed_in(&server, "links?edit=shared");
    browser.fill("#comment", "mine");
    let change = json!({"slug": "shared", "title": "theirs"});
    assert_eq!(
        server
            .api("PATCH", "/api/link/edit")
            .json(&change)
            .send()
            .status,
        200
    );
    browser.click(".panel-foot .primary");
    browser.until(
        "it is saved",
        "return document.querySelector('.panel') === null",
    );
    let link = read(&server, "shared");
    assert_eq!(
        (&link["comment"], &link["title"]),
        (&json!("mine"), &json!("theirs"))
    );
    browser.finish(&["412"]);
}

#[test]
fn what_was_typed_is_there_again_after_a_look_at_another_link() {
    let server = Server::start();
    for slug in ["one", "two"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    let browser = Browser::signed_in(&server, "links?edit=one");
    browser.type_into("#comment", "half a sen");
    browser.click("[data-slug=two] .row-slug");
    browser.until(
        "the other link",
        "return document.querySelector('#comment')?.value === ''",
    );
    browser.click("[data-slug=one] .row-slug");
    browser.until(
        "the draft",
        "return document.querySelector('#comment')?.value === 'half a sen'",
    );
    browser.finish(&[]);
}
