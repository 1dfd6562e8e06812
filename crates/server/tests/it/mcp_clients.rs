//! The official MCP client, in every mode.

use std::process::Command;

use rstest::rstest;
use serde_json::Value;

use crate::server::{Server, TOKEN};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/mcp-clients");

#[rstest]
#[case("legacy", "2025-11-25")]
#[case("auto", "2026-07-28")]
#[case("2026-07-28", "2026-07-28")]
fn the_official_client_does_the_main_job(#[case] mode: &str, #[case] version: &str) {
    let server = Server::start();
    let output = Command::new("node")
        .current_dir(FOLDER)
        .arg("drive.mjs")
        .args([&format!("{}/api/mcp", server.origin()), TOKEN, mode])
        .output()
        .expect("node runs the client; `cargo xtask test` installs both");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success(),
        "the client failed (`cargo xtask test` installs it): {errors}"
    );
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(told["version"], version);
    assert_eq!(told["server"]["name"], "slugline");
    let names: Vec<&str> = told["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(
        names,
        slugline_mcp::Server::tool_names().collect::<Vec<_>>()
    );

    let slug = told["shortLink"]
        .as_str()
        .unwrap()
        .rsplit('/')
        .next()
        .unwrap();
    let followed = server.visit(&format!("/{slug}"));
    assert_eq!(followed.header("location"), "https://example.com/mcp");
    server.counters_with(&format!("slug={slug}"), 1);
}
