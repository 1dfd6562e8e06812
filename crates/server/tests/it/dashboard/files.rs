use serde_json::json;

use crate::support::server::Server;

#[test]
fn the_page_is_asked_for_again_and_its_files_are_kept_for_good() {
    let server = Server::start();
    let page = server.visit("/_dashboard/").is(200);
    assert_eq!(page.header("cache-control"), "no-cache");
    let policy = page.header("content-security-policy");
    assert!(policy.contains("script-src 'self'"), "{policy}");
    let known = server.request("GET", "/_dashboard/links");
    let known = known.header("if-none-match", page.header("etag"));
    known.send().is(304);
    let (_, rest) = page.text.split_once("src=\"./").unwrap();
    let (script, _) = rest.split_once('"').unwrap();
    let file = server.visit(&format!("/_dashboard/{script}")).is(200);
    for (name, value) in [
        ("cache-control", "public, max-age=31536000, immutable"),
        ("content-type", "text/javascript; charset=utf-8"),
    ] {
        assert_eq!(file.header(name), value, "{name}");
    }
    // Programs install the page by this file, and share addresses to it.
    let (_, rest) = page.text.split_once("rel=\"manifest\" href=\"./").unwrap();
    let (manifest, _) = rest.split_once('"').unwrap();
    let manifest = server.visit(&format!("/_dashboard/{manifest}")).is(200);
    assert_eq!(manifest.header("content-type"), "application/manifest+json");
    assert_eq!(manifest.json()["share_target"]["action"], "../../links");
    for absent in [
        "/_dashboard/other.js",
        "/_dashboard/a-old/web/main.js",
        "/_dashboard/a-old/../main.js",
    ] {
        assert_eq!(server.visit(absent).status, 404, "{absent}");
    }
    for (address, location) in [("/_dashboard", "_dashboard/"), ("/_dashboard/other", "./")] {
        let moved = server.visit(address).is(307);
        assert_eq!(moved.header("location"), location);
    }
}

#[test]
fn addresses_of_sinks_dashboard_lead_here_unless_a_link_has_them() {
    let server = Server::start();
    for (path, location) in [
        ("/dashboard", "_dashboard/"),
        ("/dashboard/links", "../_dashboard/links"),
        ("/dashboard/link?slug=a", "../_dashboard/analytics?slug=a"),
    ] {
        server.visit(path).is(302);
        server.leads(path, location);
    }
    server.create(&json!({"url": "https://example.com/mine", "slug": "dashboard"}));
    server.leads("/dashboard", "https://example.com/mine");
    server.leads("/dashboard/links", "../_dashboard/links");
}
