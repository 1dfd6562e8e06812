//! Preview mode, for public demonstrations: every caller may try, and nothing stays.

use serde_json::{Value, json};

use crate::{
    links::safe_browsing::name_service,
    mcp::wire::call_tool,
    support::server::{Server, command},
};

#[test]
fn links_end_soon_and_cannot_be_changed_or_deleted() {
    let server = Server::start_with(&[("NUXT_PUBLIC_PREVIEW_MODE", "true")]);
    let made = server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let lives =
        |link: &Value| link["expiration"].as_i64().unwrap() - link["createdAt"].as_i64().unwrap();
    assert_eq!(lives(&made["link"]), 300);
    let late =
        json!({"url": "https://example.com/", "slug": "late", "expiration": 4_000_000_000i64});
    assert_eq!(server.create(&late)["link"]["expiration"], 4_000_000_000i64);
    assert_eq!(server.visit("/docs").status, 301);
    let upserted = server
        .api("POST", "/api/link/upsert")
        .json(&json!({"url": "https://example.com/"}));
    assert_eq!(lives(&upserted.send().json()["link"]), 300);

    // The service refuses before it reads the body.
    for (method, path, text) in [
        ("PUT", "/api/link/edit", "Preview mode cannot edit links."),
        ("PATCH", "/api/link/edit", "Preview mode cannot edit links."),
        (
            "POST",
            "/api/link/delete",
            "Preview mode cannot delete links.",
        ),
        (
            "POST",
            "/api/link/import",
            "Preview mode cannot import links.",
        ),
        (
            "POST",
            "/api/link/restore",
            "Preview mode has no history of links.",
        ),
        (
            "POST",
            "/api/link/explain",
            "Preview mode cannot explain links.",
        ),
        (
            "POST",
            "/api/link/check",
            "Preview mode cannot check links.",
        ),
        (
            "POST",
            "/api/link/migration/run",
            "Preview mode cannot move links here.",
        ),
        (
            "POST",
            "/api/link/migration/run?force=true",
            "Preview mode cannot move links here.",
        ),
    ] {
        for body in [
            json!({"slug": "docs", "url": "https://example.org/"}),
            json!([]),
        ] {
            let refused = server.api(method, path).json(&body).send();
            assert_eq!(refused.status, 403, "{}", refused.text);
            assert_eq!(refused.json()["statusMessage"], text);
            assert_eq!(refused.json()["code"], "preview_mode");
        }
    }
    for (path, text) in [
        ("/api/link/trash", "Preview mode has no history of links."),
        (
            "/api/link/history?slug=docs",
            "Preview mode has no history of links.",
        ),
        ("/api/link/export", "Preview mode cannot export links."),
        (
            "/api/link/export?format=csv",
            "Preview mode cannot export links.",
        ),
        (
            "/api/link/ai?url=https://example.com/",
            "Preview mode cannot suggest slugs and previews.",
        ),
        (
            "/api/link/og-ai",
            "Preview mode cannot suggest slugs and previews.",
        ),
    ] {
        let refused = server.api("GET", path).send();
        assert_eq!(refused.status, 403, "{path}: {}", refused.text);
        assert_eq!(refused.json()["statusMessage"], text);
        assert_eq!(refused.json()["code"], "preview_mode");
    }
    for (tool, text) in [
        (
            "check_links",
            "check_links failed: 403 Preview mode cannot check links.",
        ),
        (
            "update_link",
            "update_link failed: 403 Preview mode cannot edit links.",
        ),
        (
            "delete_link",
            "delete_link failed: 403 Preview mode cannot delete links.",
        ),
    ] {
        let refused = call_tool(&server, tool, &json!({}));
        assert_eq!(refused["isError"], true);
        let told = refused["content"][0]["text"].as_str().unwrap();
        assert!(told.starts_with(text), "{told}");
    }
    assert_eq!(
        server.visit("/docs").header("location"),
        "https://example.com/"
    );
    assert_eq!(
        server.api("GET", "/api/link/count").send().json()["count"],
        3
    );
}

#[test]
fn what_a_stranger_says_of_a_link_is_not_believed() {
    let service = name_service();
    let server = Server::start_with(&[
        ("SLUGLINE_PUBLIC_PREVIEW_MODE", "true"),
        ("SLUGLINE_SAFE_BROWSING_DOH", &service.url("/dns-query")),
    ]);
    let bad = json!({"slug": "bad", "url": "https://bad.example/", "unsafe": false});
    assert_eq!(server.create(&bad)["link"]["unsafe"], true);
    let through_a_tool = json!({"slug": "worse", "url": "https://good.example/", "unsafe": false,
        "google": "https://bad.example/"});
    let made = call_tool(&server, "create_link", &through_a_tool);
    assert_eq!(made["structuredContent"]["link"]["unsafe"], true, "{made}");
}

#[test]
fn the_operator_of_a_demonstration_still_exports_by_command() {
    let server = Server::start_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let exported = command(server.folder())
        .env("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")
        .args(["export", "-"])
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&exported.stderr);
    assert!(exported.status.success(), "{told}");
    assert!(String::from_utf8_lossy(&exported.stdout).contains("\"docs\""));
}
