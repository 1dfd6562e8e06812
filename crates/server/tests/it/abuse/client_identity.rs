//! Identifies clients behind trusted and untrusted proxies.

use serde_json::json;
use tempfile::NamedTempFile;

use crate::support::server::{Server, assert_has, command, eventually, run};

fn warnings(log: &NamedTempFile) -> Vec<String> {
    let text = std::fs::read_to_string(log.path()).unwrap();
    // Every user may be able to read the test's folder, which causes another warning.
    let about_settings = |line: &&str| line.contains("WARN") && line.contains("SLUGLINE_");
    let lines = text.lines().filter(about_settings);
    lines.map(str::to_owned).collect()
}

/// The warnings after visits that each send one of these headers.
fn warnings_after(settings: &[(&str, &str)], sent: &[(&str, &str)]) -> Vec<String> {
    let (server, log) = Server::start_logged(tempfile::tempdir().unwrap(), settings);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    for (name, value) in sent {
        for _ in 0..3 {
            let visit = server.request("GET", "/docs").header(name, value).send();
            assert_eq!(visit.status, 301);
        }
    }
    server.stop("TERM");
    let mut warnings = warnings(&log);
    warnings.retain(|warning| warning.contains("sends the header"));
    warnings
}

#[test]
fn a_proxy_that_no_setting_names_is_named_once() {
    for header in ["x-forwarded-for", "x-real-ip", "forwarded"] {
        let warnings = warnings_after(&[], &[(header, "192.0.2.1")]);
        assert_eq!(warnings.len(), 1, "{warnings:?}");
        for word in ["127.0.0.1", header, "SLUGLINE_TRUSTED_PROXIES"] {
            assert!(warnings[0].contains(word), "{word}: {warnings:?}");
        }
    }
    assert_eq!(warnings_after(&[], &[("accept", "*/*")]), [""; 0]);
}

#[test]
fn a_trusted_proxy_that_names_clients_elsewhere_is_named_once() {
    let trusting = ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1");
    let real_ip = [("x-real-ip", "192.0.2.1")];
    let warned = warnings_after(&[trusting], &real_ip);
    assert_eq!(warned.len(), 1, "{warned:?}");
    assert!(
        warned[0].contains("SLUGLINE_CLIENT_IP_HEADER"),
        "{warned:?}"
    );
    let told = [trusting, ("SLUGLINE_CLIENT_IP_HEADER", "X-Real-IP")];
    assert_eq!(warnings_after(&told, &real_ip), [""; 0]);
}

#[test]
fn settings_that_an_operator_may_regret_are_named_at_the_start_and_by_the_doctor() {
    let settings = [
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_SITE_TOKEN", "short-token"),
    ];
    let (server, log) = Server::start_logged(tempfile::tempdir().unwrap(), &settings);
    let warned_of = |word: &str| warnings(&log).iter().any(|line| line.contains(word));
    eventually("two warnings", || {
        warned_of("SLUGLINE_SITE_TOKEN") && warned_of("SLUGLINE_BASE_URL")
    });
    let (_, data) = server.stop("TERM");
    let mut doctor = command(data.path());
    let (code, told, _) = run(doctor.arg("doctor").envs(settings));
    assert_eq!(code, Some(0));
    assert_has(
        &told,
        &["settings: ADVICE: the site token", "set SLUGLINE_BASE_URL"],
    );
}

/// The service counts wrong tokens by client address, so the count shows which client it takes
/// a request for.
#[test]
fn a_client_behind_a_proxy_cannot_choose_its_address() {
    let server = Server::start_with(&[
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_CLIENT_IP_HEADER", "x-real-ip"),
    ]);
    let stopped = |header: &dyn Fn(usize) -> (&'static str, String)| {
        (0..60).any(|i| {
            let (name, value) = header(i);
            let call = server.request("GET", "/api/link/list");
            let call = call.header("authorization", "Bearer wrong-guess");
            call.header(name, &value).send().status == 429
        })
    };
    assert!(!stopped(&|i| ("x-real-ip", format!("192.0.2.{i}"))));
    assert!(stopped(&|i| ("x-forwarded-for", format!("192.0.2.{i}"))));
}
