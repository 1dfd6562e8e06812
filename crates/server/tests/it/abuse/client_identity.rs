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

/// The warnings after visits that send this header.
fn warnings_after(settings: &[(&str, &str)], header: &str) -> Vec<String> {
    let (server, log) = Server::start_logged(tempfile::tempdir().unwrap(), settings);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    for _ in 0..3 {
        let visit = server.request("GET", "/docs");
        assert_eq!(visit.header(header, "192.0.2.1").send().status, 301);
    }
    server.stop("TERM");
    let mut warnings = warnings(&log);
    warnings.retain(|warning| warning.contains("sends the header"));
    warnings
}

#[test]
fn a_proxy_that_the_settings_do_not_fit_is_named_once_with_the_setting() {
    const PROXIES: &str = "SLUGLINE_TRUSTED_PROXIES";
    const HEADER: &str = "SLUGLINE_CLIENT_IP_HEADER";

    let trusting = (PROXIES, "127.0.0.1");
    let told = [trusting, (HEADER, "X-Real-IP")];
    for (settings, header, mend) in [
        (&[][..], "x-forwarded-for", Some(PROXIES)),
        (&[], "x-real-ip", Some(PROXIES)),
        (&[], "forwarded", Some(PROXIES)),
        (&[], "accept", None),
        (&[trusting], "x-real-ip", Some(HEADER)),
        (&told, "x-real-ip", None),
    ] {
        let warned = warnings_after(settings, header);
        assert_eq!(warned.len(), usize::from(mend.is_some()), "{warned:?}");
        if let Some(mend) = mend {
            assert_has(&warned[0], &["127.0.0.1", header, mend]);
        }
    }
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
