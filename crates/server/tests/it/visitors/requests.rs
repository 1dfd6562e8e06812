//! Requests of visitors.

use std::io::Read;

use serde_json::json;

use crate::support::{
    outsider::{Outsider, answer},
    server::Server,
};

#[test]
fn no_slug_is_reserved_and_every_service_path_still_works() {
    let server = Server::start();
    let slugs = [
        "api",
        "mcp",
        "dashboard",
        "docs",
        "assets",
        "health",
        "metrics",
        "favicon",
        "link",
        "stats",
        "index",
        "static",
        "admin",
        "login",
    ];
    for slug in slugs {
        server.create(&json!({"url": format!("https://example.com/{slug}"), "slug": slug}));
    }
    for slug in slugs {
        for path in [format!("/{slug}"), format!("/{slug}/")] {
            let followed = server.visit(&path).is(301);
            assert_eq!(
                followed.header("location"),
                format!("https://example.com/{slug}")
            );
        }
    }
    for path in [
        "/_docs/openapi.json",
        "/_health/live",
        "/_health/ready",
        "/_assets/page.css",
        "/",
    ] {
        assert_eq!(server.visit(path).status, 200, "{path}");
    }
    assert_eq!(server.api("GET", "/api/link/list").send().status, 200);
}

#[test]
fn what_people_paste_leads_to_the_link_and_counts_for_it() {
    let server = Server::start();
    let link = json!({"url": "https://e.example/", "slug": "my_docs", "redirectWithQuery": true});
    server.create(&link);
    let pasted = [
        ("/my%5Fdocs", ""),
        ("/my_docs).", ""),
        ("/my_docs,/", ""),
        ("/my_docs%E2%80%A6%22", ""),
        ("/my_docs%E2%80%8B", ""),
        ("/my_docs&utm_source=mail", "?utm_source=mail"),
        ("/my_docs.&a=1?b=2", "?a=1&b=2"),
    ];
    for (path, query) in pasted {
        server.leads(path, &format!("https://e.example/{query}"));
    }
    for path in [
        "/my_docs%2F",
        "/my_docs%5C",
        "/my%255Fdocs",
        "/my_docs%2E",
        "/my_docs./x",
    ] {
        assert_eq!(server.visit(path).status, 404, "{path}");
    }
    server.counters_with("slug=my_docs", pasted.len().try_into().unwrap());
}

#[test]
fn a_missing_link_is_a_page_for_people_and_json_for_programs() {
    let server = Server::start();
    let page = server.visit_with("/nowhere", &[("accept", "text/html,*/*")]);
    let page = page.is(404);
    assert!(page.header("content-type").starts_with("text/html"));
    assert!(page.text.contains("Link not found"));
    assert_eq!(server.visit("/nowhere").json()["code"], "link_not_found");
    assert_eq!(
        server.visit("/favicon.ico").json()["code"],
        "route_not_found"
    );
    assert_eq!(server.visit("/a/b").json()["code"], "route_not_found");
    assert_eq!(server.request("HEAD", "/nowhere").send().text, "");
}

#[test]
fn a_password_is_asked_for_by_form_and_taken_by_header() {
    let server = Server::start_with(&[("SLUGLINE_REDIRECT_STATUS_CODE", "308")]);
    let link =
        json!({"url": "https://example.com/secret", "slug": "vault", "password": "öffne dich"});
    server.create(&link);

    let asked = server.visit("/Vault").is(200);
    asked.says("Password Required");
    asked.says(r#"<form method="post">"#);
    assert_eq!(asked.header("cache-control"), "no-store");
    assert!(
        asked
            .header("content-security-policy")
            .contains("default-src 'none'")
    );
    assert!(
        !asked.text.contains("example.com"),
        "the destination is not given away"
    );

    let post = |body: &str| server.submit("/vault", body);
    let wrong = post("password=sesam").is(200);
    assert!(wrong.text.contains("Incorrect password"));
    assert!(post("").text.contains("Incorrect password"));
    // 308 would post the password to the destination.
    let right = post("password=%C3%B6ffne+dich").is(303);
    assert_eq!(right.header("location"), "https://example.com/secret");
    assert_eq!(right.header("cache-control"), "no-store");

    let with_header =
        |password: &str| server.visit_with("/vault", &[("x-link-password", password)]);
    assert_eq!(
        with_header("sesam").json()["statusMessage"],
        "Incorrect password"
    );
    assert_eq!(with_header("sesam").status, 403);
    // UTF-8, as programs send it.
    let mut answer = String::new();
    let mut stream = server.begin(
        "GET",
        "/vault",
        "x-link-password: öffne dich\r\nconnection: close\r\n",
        "",
    );
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 308 "), "{answer}");
    let json_body = json!({"password": "öffne dich"});
    server
        .request("POST", "/vault")
        .json(&json_body)
        .send()
        .is(303);
    server.counters_with("slug=vault", 3);
}

#[test]
fn an_unsafe_link_warns_and_shows_where_it_leads() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/?a=1&b=<x>", "slug": "odd", "unsafe": true}));
    let warned = server.visit("/odd").is(200);
    assert!(warned.text.contains("Potentially Unsafe Link"));
    warned.says("https://example.com/?a=1&#38;b=&#60;x&#62;");
    server.submit("/odd", "confirm=true").is(303);
    let confirmed = [("x-link-confirm", "true")];
    server.visit_with("/odd", &confirmed).is(301);

    let both =
        json!({"url": "https://example.com/", "slug": "both", "unsafe": true, "password": "pw"});
    server.create(&both);
    let second = server.submit("/both", "password=pw");
    assert!(second.text.contains("Potentially Unsafe Link"));
    assert!(second.text.contains(r#"name="password" value="pw""#));
    server.submit("/both", "password=pw&confirm=true").is(303);
    let unconfirmed = server.visit_with("/both", &[("x-link-password", "pw")]);
    unconfirmed.refuses(403, "confirmation_required");
}

#[test]
fn a_visit_is_a_get_or_the_form_of_a_gate() {
    let origin = Outsider::start(|_| answer("200 OK", "hello"));
    let server = Server::start_with(&[
        ("NUXT_PUBLIC_LINK_PROXY_ENABLED", "true"),
        ("SLUGLINE_PROXY_ALLOWED_NETWORKS", "127.0.0.0/8"),
    ]);
    let to = "https://e.example/";
    server.create(&json!({"slug": "plain", "url": to}));
    server.create(&json!({"slug": "gated", "url": to, "password": "letmein"}));
    server.create(&json!({"slug": "proxied", "url": origin.url("/"), "proxy": true}));
    let methods = [
        "HEAD", "HEAD", "HEAD", "OPTIONS", "POST", "PROPFIND", "PUT", "GET",
    ];
    for method in methods {
        server.request(method, "/plain").send().is(301);
        let gated = server.request(method, "/gated");
        let gated = gated.header("x-link-password", "letmein").send();
        let form = method == "POST";
        gated.is(if form { 303 } else { 301 });
        server.request(method, "/proxied").send().is(200);
    }
    // The last one that came in.
    server.counters_with("slug=proxied", 4);
    server.counters_with("slug=plain", 1);
    server.counters_with("slug=gated", 2);
}
