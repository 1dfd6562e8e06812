//! The set-up page of the dashboard.

use super::browser::Browser;
use crate::server::Server;

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
