//! The service still reads data of earlier versions.

use std::{fs, path::Path};

use serde_json::json;
use tempfile::TempDir;

use crate::support::server::{Server, command};

/// A copy of a data folder that this version wrote.
fn left_by(version: &str) -> TempDir {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(version);
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(kept).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    folder
}

#[test]
fn links_made_by_version_0_1_0_still_work() {
    let server = Server::start_in(left_by("0.1.0"), &[]);

    // Every slug survives upgrades, even if the service has new paths since.
    for slug in [
        "api",
        "mcp",
        "dashboard",
        "docs",
        "assets",
        "health",
        "metrics",
        "favicon",
    ] {
        let answer = server.visit(&format!("/{slug}"));
        let location = format!("https://example.com/{slug}");
        assert_eq!(
            (answer.status, answer.header("location")),
            (301, &*location)
        );
    }
    assert_eq!(server.visit("/_health/ready").status, 200);

    let link = server
        .api("GET", "/api/link/query?slug=everything")
        .send()
        .json();
    assert_eq!(
        link,
        json!({
            "id": "every-member", "slug": "everything", "url": "https://example.com/everything",
            "comment": "a comment, with ünïcode", "title": "A title",
            "description": "A description", "image": "/picture.png",
            "apple": "https://apps.apple.com/app", "google": "https://play.google.com/app",
            "geo": {"DE": "https://example.de/", "FR": "https://example.fr/"},
            "cloaking": false, "redirectWithQuery": true, "proxy": true, "unsafe": false,
            "expiration": 4_102_444_800_i64, "createdAt": 1_795_000_001, "updatedAt": 1_795_000_002,
            "tags": ["alpha", "zeta"],
        })
    );
    let android = server
        .request("GET", "/everything")
        .header("user-agent", "Android")
        .send();
    assert_eq!(android.header("location"), "https://play.google.com/app");

    let opened = server
        .request("GET", "/locked")
        .header("x-link-password", "opensesame")
        .send();
    assert_eq!(opened.header("location"), "https://example.com/locked");
    let refused = server
        .request("GET", "/locked")
        .header("x-link-password", "guess")
        .send();
    assert_eq!(refused.status, 403);
    assert_eq!(server.visit("/danger").status, 200, "it warns");

    let found = server
        .api("GET", "/api/link/search?q=n%C3%AFc")
        .send()
        .json();
    assert_eq!(found[0]["slug"], "everything");
    let count = server.api("GET", "/api/link/count").send().json();
    assert_eq!(count["count"], 11);
    let tags = server.api("GET", "/api/link/tags").send().json();
    assert_eq!(
        tags,
        json!([{"name": "alpha", "count": 1}, {"name": "zeta", "count": 1}])
    );
}

#[test]
fn visits_recorded_by_version_0_1_0_are_still_counted() {
    let server = Server::start_in(left_by("0.1.0"), &[]);
    let counters = server
        .api("GET", "/api/stats/counters?slug=api,docs")
        .send()
        .json();
    assert_eq!(counters["data"][0]["visits"], 3);
    assert_eq!(counters["data"][0]["visitors"], 1);
}

#[test]
fn an_access_log_from_before_the_first_release_is_refused_with_what_to_do() {
    let folder = left_by("before-release");
    let log = folder.path().join("analytics.db");
    let before = fs::read(&log).unwrap();
    for arguments in [&[][..], &["doctor"]] {
        let output = command(folder.path()).args(arguments).output().unwrap();
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said);
        assert!(!output.status.success(), "{said}");
        assert!(said.contains("has format 1"), "{said}");
        assert!(said.contains("move the file elsewhere"), "{said}");
        assert_eq!(fs::read(&log).unwrap(), before);
    }
    fs::rename(&log, folder.path().join("elsewhere.db")).unwrap();
    let server = Server::start_in(folder, &[]);
    assert_eq!(server.visit("/_health/ready").status, 200);
}
