//! The set-up page of the dashboard.

use serde_json::json;

use super::browser::Browser;
use crate::support::server::{Server, TOKEN};

#[test]
fn every_finding_stands_there_with_what_mends_it() {
    let server = Server::start();
    let told = server.api("GET", "/api/setup").send().json();
    let findings = told["findings"].as_array().unwrap();
    assert!(!findings.is_empty(), "{told}");
    let browser = Browser::signed_in(&server, "setup");
    browser.until(
        "all findings",
        &format!(
            "return document.querySelectorAll('.finding').length === {}",
            findings.len()
        ),
    );
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
    let peer = "127.0.0.1";
    for (settings, header, language, words) in [
        (
            vec![],
            "x-forwarded-for",
            "de-DE",
            "Ihre Anfrage kam von 127.0.0.1",
        ),
        (
            vec![("SLUGLINE_TRUSTED_PROXIES", peer)],
            "x-real-ip",
            "fr-FR",
            "dans l’en-tête x-real-ip",
        ),
    ] {
        let server = Server::start_with(&settings);
        let browser = Browser::signed_in(&server, "links");
        browser.run_with(
            "localStorage.setItem('slugline.language', arguments[0])",
            &json!(language),
        );
        browser.send_with(&json!({header: "198.51.100.7"}));
        browser.go("setup");
        browser.until(
            words,
            &format!("return document.querySelector('.findings')?.textContent.includes('{words}')"),
        );
        browser.finish(&[]);
    }
}

#[test]
fn programs_are_told_the_address_of_the_api_where_it_has_a_host_of_its_own() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "https://sl.example"),
        ("SLUGLINE_ADMIN_HOST", "localhost"),
    ]);
    let address = server.origin().replace("127.0.0.1", "localhost");
    let browser = Browser::start_at(&server, &address);
    browser.go(&format!("setup#token={TOKEN}"));
    browser.until(
        "the address of MCP",
        "return document.querySelector('.snippet pre')?.textContent.includes(' https://localhost/api/mcp ')",
    );
    browser.finish(&[]);
}
