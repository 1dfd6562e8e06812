//! The set-up page of the dashboard.

use serde_json::json;

use super::browser::Browser;
use crate::support::server::{Server, TOKEN};

#[test]
fn every_finding_stands_there_with_what_mends_it() {
    let server = Server::start();
    let told = server.get("/api/setup").json();
    let findings = told["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "{told}");
    let browser = Browser::signed_in(&server, "setup");
    browser.counts(".finding", findings.len());
    let shown = browser.texts(".finding code");
    for (finding, shown) in findings.iter().zip(shown) {
        let fix = &finding["fix"];
        let wanted = match fix["setting"].as_str() {
            Some(setting) => format!("{setting}={}", fix["value"].as_str().unwrap_or_default()),
            None => fix["command"].as_str().unwrap().to_owned(),
        };
        assert_eq!(shown, wanted, "{finding}");
    }
    let version = told["version"].as_str().unwrap();
    assert!(browser.text(".setup-foot").contains(version));
    browser.finish(&[]);
}

#[test]
fn findings_about_proxies_are_said_in_the_readers_language() {
    let trusted = ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1");
    let forwarded = "Ihre Anfrage kam von 127.0.0.1";
    for (settings, header, language, words) in [
        (vec![], "x-forwarded-for", "de-DE", forwarded),
        (
            vec![trusted],
            "x-real-ip",
            "fr-FR",
            "dans l’en-tête x-real-ip",
        ),
    ] {
        let server = Server::start_with(&settings);
        let browser = Browser::signed_in(&server, "links");
        browser.language(language);
        browser.send_with(&json!({header: "198.51.100.7"}));
        browser.go("setup");
        browser.says(".findings", words);
        browser.finish(&[]);
    }
}

#[test]
fn a_program_gets_a_token_of_its_own_in_place() {
    let server = Server::start();
    let browser = Browser::signed_in(&server, "setup");
    browser.click_text("[role=tab]", "Cursor");
    for name in ["Cursor", "Cursor 2"] {
        browser.click(".snippet .primary");
        browser.find(&format!("[data-token='{name}']"));
        browser.click(".snippet [aria-label='Show the token']:not([aria-pressed=true])");
        let snippet = browser.text(".snippet pre");
        let token = snippet.split("Bearer ").nth(1).unwrap();
        let token = token.split('"').next().unwrap();
        let told = server.by(token, "GET", "/api/verify").send().json();
        assert_eq!(told["tokenName"], name);
        let scopes = json!(["links:read", "links:write", "analytics:read"]);
        assert_eq!(told["scopes"], scopes);
        browser.go("setup");
        browser.click_text("[role=tab]", "Cursor");
    }
    browser.finish(&["409"]);
}

#[test]
fn programs_are_told_the_address_of_the_api_where_it_has_a_host_of_its_own() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "https://sl.example"),
        ("SLUGLINE_ADMIN_HOST", "localhost"),
    ]);
    let address = server.origin().replace("127.0.0.1", "localhost");
    let browser = Browser::start_at(&server, &address);
    browser.sign_in("setup", TOKEN);
    browser.says(".snippet pre", " https://localhost/api/mcp ");
    browser.finish(&[]);
}
