//! The bare origin, and paths that lead nowhere.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use serde_json::json;

use crate::support::server::Server;

#[test]
fn short_addresses_of_the_service_lead_on_and_take_no_slug() {
    let server = Server::start();
    for (path, to, leads_to) in [
        ("/_docs", "_docs/swagger", "/_docs/swagger"),
        ("/_docs/", "swagger", "/_docs/scalar"),
        ("/_health", "_health/ready", "/_health/ready"),
        ("/_health/", "ready", "/_health/ready"),
    ] {
        let answer = server.visit(path);
        let lead = (answer.status, answer.header("location"));
        assert_eq!(lead, (307, to), "{path}");
        assert_eq!(server.visit(leads_to).status, 200);
    }
    for slug in ["docs", "health"] {
        server.create(&serde_json::json!({"url": "https://example.com/", "slug": slug}));
        assert_eq!(server.visit(&format!("/{slug}")).status, 301);
    }
}

#[test]
fn the_bare_origin_leads_home() {
    let server = Server::start_with(&[("NUXT_PUBLIC_HOME_URL", "https://example.com/start")]);
    for method in ["GET", "HEAD"] {
        let sent = server.request(method, "/").send();
        assert_eq!(
            (
                sent.status,
                sent.header("location"),
                sent.header("cache-control")
            ),
            (302, "https://example.com/start", "no-store")
        );
    }
    assert_eq!(server.visit("/?a=b").status, 200);
}

#[test]
fn a_home_that_is_the_bare_origin_itself_is_no_circle() {
    let server = Server::start_with(&[("SLUGLINE_HOME_URL", "https://sl.example")]);
    let asked_as = |host: &str| {
        let raw = format!("GET / HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n");
        status(&server, raw.as_bytes())
    };
    for own in [
        "sl.example",
        "SL.Example.",
        "sl.example:443",
        "sl.example:80",
    ] {
        assert_eq!(asked_as(own), 200, "{own}");
    }
    for other in ["other.example", "sl.example:8443"] {
        assert_eq!(asked_as(other), 302, "{other}");
    }
}

#[test]
fn who_finds_nothing_is_sent_to_the_address_for_that() {
    let server = Server::start_with(&[("SLUGLINE_NOT_FOUND_REDIRECT", "/lost?why=404")]);
    server.import_expired("old");
    server.create(&json!({"url": "https://example.com/", "slug": "lost"}));
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    for path in ["/nowhere", "/old", "/a/b", "/favicon.ico", "/lost/x"] {
        let sent = server.visit(path);
        assert_eq!(
            (
                sent.status,
                sent.header("location"),
                sent.header("cache-control")
            ),
            (302, "/lost?why=404", "no-store"),
            "{path}"
        );
    }
    assert_eq!(server.visit("/lost?why=404").status, 404, "no circle");
    assert_eq!(server.visit("/lost").status, 301, "another address");
    assert_eq!(server.api("GET", "/api/nothing").send().status, 404);
    let wrong = server
        .request("GET", "/vault")
        .header("x-link-password", "guess");
    assert_eq!(wrong.send().status, 403);
}

#[test]
fn odd_requests_are_answered_cleanly() {
    let server = Server::start();
    let long = format!("/{}", "a".repeat(20_000));
    let paths = [
        "//",
        "///a",
        "/%00",
        "/%",
        "/%zz",
        "/%FF%FE",
        "/..%2f",
        "/..%2f..%2fetc/passwd",
        "/../..",
        "/a%2fb",
        "/docs%0d%0aSet-Cookie:%20a=b",
        "/;a=b",
        "/_assets/",
        "/_assets/../page.css",
        "/<script>",
        "/\"",
        &long,
    ];
    for path in paths {
        for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "BREW"] {
            for accept in ["text/html", "*/*"] {
                let raw = format!(
                    "{method} {path} HTTP/1.1\r\nhost: sl.example\r\naccept: {accept}\r\n\
                     connection: close\r\n\r\n"
                );
                let status = status(&server, raw.as_bytes());
                // 400 if the request line itself is malformed.
                assert!([400, 404].contains(&status), "{method} {path}: {status}");
            }
        }
    }
    assert_eq!(server.visit("/_health/live").status, 200);
}

#[test]
fn headers_of_any_content_do_no_harm() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs", "title": "Docs"}));
    let long = "x".repeat(30_000);
    let commas = ",;q=".repeat(5_000);
    let values: [&[u8]; 7] = [
        b"",
        b"\xff\xfe\x80",
        "日本語;q=ü".as_bytes(),
        b"\"><script>alert(1)</script>",
        b"de;q=1e999, *;q=-1, ;;;,,,q=q",
        long.as_bytes(),
        commas.as_bytes(),
    ];
    for name in [
        "user-agent",
        "referer",
        "cookie",
        "accept-language",
        "accept",
    ] {
        for value in values {
            for (path, expected) in [("/docs", 301), ("/nowhere", 404), ("/", 200)] {
                let start = format!("GET {path} HTTP/1.1\r\nhost: sl.example\r\n{name}: ");
                let raw = [start.as_bytes(), value, b"\r\nconnection: close\r\n\r\n"].concat();
                assert_eq!(status(&server, &raw), expected, "{name} {path}");
            }
        }
    }
}

/// The status of the answer to exactly these bytes.
fn status(server: &Server, request: &[u8]) -> u16 {
    let address = server.origin().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream.write_all(request).unwrap();
    let mut answer = Vec::new();
    // The server may close before it has read everything; its answer counts.
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(
        !answer.contains("<script") && !answer.to_ascii_lowercase().contains("\nset-cookie:"),
        "{answer}"
    );
    let status = answer.split(' ').nth(1).and_then(|code| code.parse().ok());
    status.unwrap_or_else(|| panic!("no answer: {answer:?}"))
}
