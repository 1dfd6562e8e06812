//! Data of earlier versions and builds.

use std::{fs, path::Path};

use serde_json::json;
use tempfile::TempDir;

use crate::{
    assistants,
    mcp::schemas::full,
    support::{
        server::{Server, assert_has, command, run},
        sqlite,
    },
};

/// A copy of a data folder that this version or build wrote.
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
fn links_of_an_earlier_build_are_refused_with_the_commands_that_carry_them_over() {
    let folder = left_by("earlier-build");
    let file = folder.path().join("links.db");
    let before = fs::read(&file).unwrap();
    let migrated = [("SLUGLINE_LEGACY_KV_URL", "redis://127.0.0.1:1")];
    for (arguments, settings) in [
        (&[][..], &[][..]),
        (&["migrate"], &migrated),
        (&["doctor"], &[]),
        (&["export"], &[]),
        (&["token", "list"], &[]),
        (&["backup", "a.backup"], &[]),
    ] {
        let mut command = command(folder.path());
        command.args(arguments).envs(settings.iter().copied());
        let (code, _, said) = run(command.current_dir(folder.path()));
        assert_ne!(code, Some(0), "{said}");
        assert_has(
            &said,
            &[
                "another build of Slugline made this database (one from before 0.1.0)",
                "`slugline export links.json` and `slugline visits export visits.ndjson`",
                "`slugline import links.json` and `slugline visits import visits.ndjson`",
            ],
        );
        assert!(fs::read(&file).unwrap() == before, "{arguments:?}");
    }
}

#[test]
fn an_access_log_of_an_earlier_build_is_refused_with_what_to_do() {
    let folder = left_by("before-release");
    let log = folder.path().join("analytics.db");
    let before = fs::read(&log).unwrap();
    for arguments in [&[][..], &["doctor"]] {
        let (code, told, said) = run(command(folder.path()).args(arguments));
        assert_ne!(code, Some(0), "{said}");
        for part in [
            "another build of Slugline made access log",
            "`slugline visits export visits.ndjson`",
            "`slugline visits import visits.ndjson`",
        ] {
            assert!(told.contains(part) || said.contains(part), "{told}{said}");
        }
        assert_eq!(fs::read(&log).unwrap(), before);
    }
    fs::rename(&log, folder.path().join("elsewhere.db")).unwrap();
    let server = Server::start_in(folder, &[]);
    assert_eq!(server.visit("/_health/ready").status, 200);
}

/// A data folder that the present binary writes, with every kind of row.
fn written_now() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    // Fewer visits stay in the tail of the access log.
    let seed = ["seed", "--links", "9", "--visits", "17000", "--days", "3"];
    let (code, _, said) = run(command(folder.path()).args(seed));
    assert_eq!(code, Some(0), "{said}");
    let server = Server::start_in(folder, &[("SLUGLINE_BASE_URL", assistants::ORIGIN)]);
    server.create(&full("kept"));
    let edited = json!({"slug": "kept", "disabled": false, "startsAt": null, "startUrl": null, "maxVisits": null,
        "password": null});
    server
        .api("PATCH", "/api/link/edit")
        .json(&edited)
        .send()
        .is(200);
    server.create(&json!({"slug": "plain", "url": "https://example.com/"}));
    server.create(&json!({"slug": "gone", "url": "https://example.com/"}));
    server.delete_link("gone");
    let host = json!({"host": "go.example"});
    server.post("/api/domains", &host).is(201);
    let bound = json!({"name": "bound", "scopes": ["links:read"], "slugs": ["plain"]});
    server.post("/api/tokens", &bound).is(201);
    assistants::connect(&server);
    server.visit("/plain").is(301);
    server.counters_with("slug=plain", 1);
    let (_, folder) = server.stop("TERM");
    folder
}

/// Tables that are empty but for moments, or need another server or a fault to have a row.
const SELDOM: [&str; 13] = [
    "consent_codes",
    "consent_sessions",
    "day_part",
    "day_totals",
    "erasure",
    "imported",
    "leaving",
    "link_failures",
    "link_migration_failures",
    "link_migration_runs",
    "loss",
    "sampled",
    "watch_round",
];

#[test]
fn a_folder_of_each_release_is_opened() {
    let releases = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/releases");
    let now = written_now();
    for file in ["links.db", "analytics.db"] {
        let names = "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'table' \
                     AND name NOT LIKE 'sqlite_%' AND name NOT LIKE '%search%'";
        let names = sqlite::execute(&now.path().join(file), names);
        for table in names.split(',').filter(|name| !SELDOM.contains(name)) {
            let rows = sqlite::execute(
                &now.path().join(file),
                &format!("SELECT count(*) FROM {table}"),
            );
            assert_ne!(rows, "0", "{table}");
        }
    }
    if let Some(version) = std::env::var_os("SLUGLINE_TEST_KEEP") {
        let kept = releases.join(version);
        fs::create_dir_all(&kept).unwrap();
        for name in ["links.db", "analytics.db", "site-token"] {
            let _ = fs::copy(now.path().join(name), kept.join(name));
        }
    }
    let kept = fs::read_dir(&releases).into_iter().flatten();
    let kept = kept.map(|entry| left_by(entry.unwrap().path().to_str().unwrap()));
    for folder in kept.chain([now]) {
        let server = Server::start_in(folder, &[]);
        for slug in ["kept", "plain"] {
            server.visit(&format!("/{slug}")).is(301);
        }
        server.visit("/gone").is(404);
        server.counters_with("slug=plain", 2);
        server.get("/api/tokens").is(200).says("\"bound\"");
        let (code, told, said) = run(command(server.stop("TERM").1.path()).arg("doctor"));
        assert_eq!(code, Some(0), "{told}{said}");
    }
}
