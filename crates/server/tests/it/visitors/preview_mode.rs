//! Preview mode, for public demonstrations: every caller may try, and nothing stays.

use serde_json::{Value, json};

use crate::{
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

    server
        .post("/api/link/delete", &json!({"slug": "docs"}))
        .is(403);
    let refused = call_tool(&server, "check_links", &json!({})).to_string();
    assert!(
        refused.contains("check_links failed: 403 Preview mode cannot check links."),
        "{refused}"
    );
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
