use serde_json::json;

use super::{
    browser::{Browser, ESCAPE},
    pages::{Dialog, Editor, List, Shell},
};
use crate::support::server::{Server, TOKEN};

#[test]
fn fields_wait_for_the_link_so_that_nothing_of_it_is_lost() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "slow", "tags": ["one", "two"]}));
    let browser = Browser::signed_in(&server, "links");
    List(&browser).has("slow");
    browser.run("const send = fetch; window.fetch = async (url, given) => { if (String(url).includes('/query')) await new Promise((go) => setTimeout(go, 1500)); return send(url, given); }");
    browser.press("je");
    let editor = Editor(&browser);
    editor.write("comment", "typed at once");
    editor.save();
    let link = server.link("slow");
    assert_eq!(link["comment"], "typed at once");
    assert_eq!(link["tags"], json!(["one", "two"]));
    browser.finish(&[]);
}

#[test]
fn every_field_of_a_new_link_arrives() {
    let server = Server::start_with(&[("SLUGLINE_GEOIP_PATH", "off")]);
    let browser = Browser::start(&server);
    browser.zone("Europe/Berlin");
    browser.sign_in("links?text=Read%20https%3A%2F%2Fexample.com%2Fbegun", TOKEN);
    let editor = Editor(&browser);
    browser.find(".section-head");
    browser.run("for (const head of document.querySelectorAll('.section-head[aria-expanded=false]')) head.click()");
    browser.counts(".section-body", 6);
    editor.keeps("url", "https://example.com/begun");
    for (field, text) in [
        ("slug", "every-field"),
        ("comment", "A note"),
        ("tags", "one,two,"),
        ("password", "open sesame"),
        ("apple", "https://apple.example.com/"),
        ("google", "https://google.example.com/"),
        ("title", "A title"),
        ("description", "A text"),
        ("image", "/a.png"),
    ] {
        editor.write(field, text);
    }
    editor.set("expires", "2031-07-01T18:30");
    editor.add("Add a country");
    browser.choose(".country-rule select", "DE");
    editor.write("geo-0", "https://de.example.com/");
    // Nothing tells this instance where visitors are.
    browser.says(".country-rule ~ .warn-text", "SLUGLINE_GEOIP_PATH");
    browser.choose("select[aria-label^='Pass on the visitor']", "yes");
    browser.run(
        "for (const box of document.querySelectorAll('.section-body .check input')) box.click()",
    );
    browser.find("#slug-hint .good");
    editor.save();

    let link = server.link("every-field");
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
        let visit = server.request("GET", "/locked");
        visit.header("x-link-password", password).send().status == 301
    };
    let browser = Browser::signed_in(&server, "links?edit=locked");
    let editor = Editor(&browser);
    editor.rewrite("comment", "new");
    editor.save();
    assert_eq!(server.link("locked")["comment"], "new");
    assert!(
        opens_with("first"),
        "a note was changed, the password was not"
    );

    browser.go("links?edit=locked");
    browser.click_text(".segments button", "Set a new one");
    editor.write("password", "second");
    editor.save();
    assert!(opens_with("second") && !opens_with("first"));

    browser.go("links?edit=locked");
    browser.click_text(".segments button", "Remove");
    editor.save();
    assert!(server.link("locked").get("password").is_none());
    browser.finish(&[]);
}

#[test]
fn faults_stand_at_their_fields_and_what_would_be_lost_is_asked_about() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/same", "slug": "same"}));
    let browser = Browser::signed_in(&server, "links?new=1");
    let editor = Editor(&browser);
    editor.write("url", "https://example.com/same");
    browser.says("#url-hint", "same");
    editor.write("slug", "same");
    browser.find("#slug-hint .warn-text");
    editor.send();
    browser.find("#slug-error");
    editor.rewrite("url", "javascript:alert(1)");
    editor.send();
    browser.find("#url-error");
    browser.find("#url[aria-invalid=true]");
    editor.write("comment", ESCAPE);
    browser.find(".panel-ask");
    editor.press("Discard");
    browser.gone(".panel");

    // The link is deleted only after a confirmation.
    browser.go("links?edit=same");
    let dialog = Dialog(&browser);
    editor.delete();
    dialog.press("Cancel");
    dialog.is_closed();
    server.get("/api/link/query?slug=same").is(200);
    editor.delete();
    dialog.confirm();
    Shell(&browser).welcomes();
    server.get("/api/link/query?slug=same").is(404);
    // The browser reports refused requests.
    browser.finish(&["409", "400"]);
}

#[test]
fn campaign_parameters_are_those_of_the_destination() {
    const CHANGED: &str = "https://example.com/a?x=%7E&utm_source=new+letter&utm_medium=email#part";
    let server = Server::start();
    let destination = "https://example.com/a?x=%7E&utm_source=letter#part";
    server.create(&json!({"url": destination, "slug": "campaign"}));
    let browser = Browser::signed_in(&server, "links?edit=campaign");
    let editor = Editor(&browser);
    editor.holds("utm_source", "letter");
    editor.rewrite("utm_source", "new letter");
    editor.write("utm_medium", "email");
    editor.holds("url", CHANGED);
    editor.save();
    assert_eq!(server.link("campaign")["url"], CHANGED);
    browser.finish(&[]);
}

#[test]
fn two_people_who_change_the_same_see_both_versions_and_else_both_keep_their_changes() {
    let server = Server::start();
    server.create(
        &json!({"url": "https://example.com/", "slug": "shared", "comment": "old", "title": "old"}),
    );
    let edit = |change| server.call("PATCH", "/api/link/edit", &change).is(200);
    let browser = Browser::signed_in(&server, "links?edit=shared");
    let editor = Editor(&browser);
    editor.rewrite("comment", "mine");
    edit(json!({"slug": "shared", "title": "theirs"}));
    editor.save();
    let link = server.link("shared");
    assert_eq!(
        (&link["comment"], &link["title"]),
        (&json!("mine"), &json!("theirs"))
    );

    browser.go("links?edit=shared");
    editor.rewrite("comment", "my note");
    editor.rewrite("title", "my title");
    edit(
        json!({"slug": "shared", "comment": "their note", "title": "their title", "description": "theirs alone"}),
    );
    editor.send();
    let dispute = ".conflict fieldset[data-member=comment]";
    browser.says(dispute, "their note");
    browser.says(dispute, "my note");
    browser.counts(".conflict fieldset", 2);
    assert_eq!(
        server.link("shared")["comment"],
        "their note",
        "nothing is sent"
    );
    editor.keeps("comment", "my note");
    browser.click("[data-member=comment] input");
    editor.holds("comment", "their note");
    editor.save();
    let link = server.link("shared");
    assert_eq!(link["comment"], "their note");
    assert_eq!(link["title"], "my title");
    assert_eq!(link["description"], "theirs alone");
    browser.finish(&["412"]);
}

#[test]
fn a_draft_is_there_again_and_does_not_undo_what_others_did_meanwhile() {
    let server = Server::start();
    for slug in ["one", "two"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "comment": "old"}));
    }
    let browser = Browser::signed_in(&server, "links?edit=one");
    let (editor, list) = (Editor(&browser), List(&browser));
    editor.rewrite("comment", "half a sen");
    list.open("two");
    editor.holds("comment", "old");
    list.open("one");
    editor.holds("comment", "half a sen");
    list.open("two");
    editor.holds("comment", "old");
    let theirs = json!({"slug": "one", "title": "theirs"});
    server.call("PATCH", "/api/link/edit", &theirs).is(200);
    list.open("one");
    editor.holds("comment", "half a sen");
    editor.save();
    let link = server.link("one");
    assert_eq!(
        (&link["comment"], &link["title"]),
        (&json!("half a sen"), &json!("theirs"))
    );
    browser.finish(&["412"]);
}
