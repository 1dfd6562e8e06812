//! Hosts with links of their own.

use serde_json::{Value, json};

use crate::support::server::{Answer, Server};

fn at(server: &Server, host: &str, path: &str) -> Answer {
    server.request("GET", path).header("host", host).send()
}

fn named(server: &Server, domain: &Value) {
    let answer = server.api("POST", "/api/domains").json(domain).send();
    assert_eq!(answer.status, 201, "{}", answer.text);
}

#[test]
fn a_domain_has_its_own_home_its_own_end_and_its_own_rule_for_case() {
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "http://sl.example"),
        ("SLUGLINE_HOME_URL", "https://example.com/home"),
        ("SLUGLINE_NOT_FOUND_REDIRECT", "https://example.com/lost"),
    ]);
    named(
        &server,
        &json!({"host": "go.example", "homeUrl": "https://example.com/go",
            "notFoundUrl": "https://example.com/go-lost", "caseSensitive": true}),
    );
    named(&server, &json!({"host": "plain.example"}));
    named(
        &server,
        &json!({"host": "through.example", "fallThrough": true}),
    );
    server.create(&json!({"slug": "docs", "url": "https://example.com/default"}));
    let cased = json!({"slug": "Docs", "domain": "go.example", "url": "https://example.com/cased"});
    server.create(&cased);
    let lost = "https://example.com/lost";
    for (host, path, status, location) in [
        ("sl.example", "/", 302, "https://example.com/home"),
        ("go.example", "/", 302, "https://example.com/go"),
        ("plain.example", "/", 302, "https://example.com/home"),
        ("sl.example", "/DOCS", 301, "https://example.com/default"),
        ("other.example", "/docs", 301, "https://example.com/default"),
        ("go.example", "/Docs", 301, "https://example.com/cased"),
        (
            "GO.example.:8080",
            "/Docs",
            301,
            "https://example.com/cased",
        ),
        ("go.example", "/docs", 302, "https://example.com/go-lost"),
        // A named host does not fall through to the default domain, unless it is told to.
        ("plain.example", "/docs", 302, lost),
        (
            "through.example",
            "/docs",
            301,
            "https://example.com/default",
        ),
        ("through.example", "/none", 302, lost),
        ("sl.example", "/none", 302, lost),
    ] {
        let answer = at(&server, host, path);
        let found = (answer.status, answer.header("location"));
        assert_eq!(found, (status, location), "{host}{path}");
    }
}
