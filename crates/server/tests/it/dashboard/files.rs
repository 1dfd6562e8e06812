use serde_json::json;

use crate::support::server::Server;

#[test]
fn the_page_is_asked_for_again_and_its_files_are_kept_for_good() {
    let server = Server::start();
    let page = server.visit("/_dashboard/");
    assert_eq!(page.status, 200);
    assert_eq!(page.header("cache-control"), "no-cache");
    assert!(
        page.header("content-security-policy")
            .contains("script-src 'self'")
    );
    let known = server
        .request("GET", "/_dashboard/links")
        .header("if-none-match", page.header("etag"))
        .send();
    assert_eq!(known.status, 304);
    let (_, rest) = page.text.split_once("src=\"./").unwrap();
    let (script, _) = rest.split_once('"').unwrap();
    let file = server.visit(&format!("/_dashboard/{script}"));
    assert_eq!(file.status, 200);
    assert_eq!(
        file.header("cache-control"),
        "public, max-age=31536000, immutable"
    );
    assert_eq!(
        file.header("content-type"),
        "text/javascript; charset=utf-8"
    );
    for absent in [
        "/_dashboard/other",
        "/_dashboard/a-old/web/main.js",
        "/_dashboard/a-old/../main.js",
    ] {
        assert_eq!(server.visit(absent).status, 404, "{absent}");
    }
    let slash = server.visit("/_dashboard");
    assert_eq!(
        (slash.status, slash.header("location")),
        (307, "_dashboard/")
    );
}

#[test]
fn addresses_of_sinks_dashboard_lead_here_unless_a_link_has_them() {
    let server = Server::start();
    for (path, location) in [
        ("/dashboard", "_dashboard/"),
        ("/dashboard/links", "../_dashboard/links"),
        ("/dashboard/link?slug=a", "../_dashboard/analytics?slug=a"),
    ] {
        let answer = server.visit(path);
        assert_eq!(
            (answer.status, answer.header("location")),
            (302, location),
            "{path}"
        );
    }
    server.create(&json!({"url": "https://example.com/mine", "slug": "dashboard"}));
    assert_eq!(
        server.visit("/dashboard").header("location"),
        "https://example.com/mine"
    );
    assert_eq!(
        server.visit("/dashboard/links").header("location"),
        "../_dashboard/links"
    );
}
