//! Visits of several nodes in ClickHouse.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rstest::rstest;
use serde_json::json;
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
};

use crate::support::{
    repository,
    server::{self, refusal},
};

fn node(url: &str) -> server::Server {
    server::Server::start_with(&[("SLUGLINE_ANALYTICS_URL", url)])
}

#[test]
fn nodes_share_their_visits_and_redirect_while_clickhouse_is_away() {
    let clickhouse = ClickHouse::start(Library);
    let url = clickhouse.url("visits");
    let nodes = [node(&url), node(&url)];
    for node in &nodes {
        node.create(&json!({ "url": "https://example.com/", "slug": "docs" }));
        assert_eq!(node.visit("/docs").status, 301);
    }
    for node in &nodes {
        node.counters_with("slug=docs", 2);
    }

    let clickhouse = clickhouse.kill();
    for node in &nodes {
        assert_eq!(node.visit("/docs").status, 301);
        let refused = node.api("GET", "/api/stats/counters").send().is(503);
        assert_eq!(refused.json()["code"], "unavailable");
        // The client must not learn which database failed.
        assert!(!refused.text.contains("ClickHouse"), "{}", refused.text);
    }
    let _clickhouse = clickhouse.restart();
    let counters = nodes[0].counters_with("slug=docs", 4);
    assert_eq!(counters["sampling"]["exact"], true);
}

#[test]
fn an_erasure_is_carried_out_on_every_node_or_kept_until_clickhouse_is_back() {
    let clickhouse = ClickHouse::start(Library);
    let url = clickhouse.url("visits");
    let nodes = [node(&url), node(&url)];
    let mut id = String::new();
    for node in &nodes {
        let link = json!({ "url": "https://example.com/", "slug": "docs", "id": "docs-1" });
        let made = node.api("POST", "/api/link/create").json(&link).send();
        assert_eq!(made.status, 201, "{}", made.text);
        made.json()["link"]["id"]
            .as_str()
            .unwrap()
            .clone_into(&mut id);
        node.visit("/docs");
    }
    nodes[0].counters_with("slug=docs", 2);
    let erase = format!("/api/stats?id={id}");
    nodes[0].delete(&erase).is(200);
    nodes[1].counters_with("", 0);

    nodes[1].visit("/docs");
    nodes[0].counters_with("slug=docs", 1);
    let clickhouse = clickhouse.kill();
    let kept = nodes[0].api("DELETE", &erase).send().is(202);
    assert_eq!(kept.json()["erased"], false);
    let _clickhouse = clickhouse.restart();
    nodes[1].counters_with("", 0);
}

#[test]
fn visits_of_a_stopped_node_are_there_at_once() {
    let url = ClickHouse::shared(Library).url("stopped");
    let first = node(&url);
    first.create(&json!({ "url": "https://example.com/", "slug": "docs" }));
    first.visit("/docs");
    let (status, _) = first.stop("TERM");
    assert!(status.success());
    let counters = node(&url).api("GET", "/api/stats/counters").send();
    assert_eq!(counters.json()["data"][0]["visits"], 1);
}

/// The library behind a small server with TLS; see its first lines.
struct TlsClickHouse {
    process: Child,
    port: u16,
}

impl TlsClickHouse {
    fn start(folder: &Path) -> Self {
        let workspace = repository("");
        let mut process = Command::new(workspace.join("target/clickhouse-python/bin/python"))
            .arg(workspace.join("crates/testkit/clickhouse/server.py"))
            .arg(folder.join("data"))
            .args(["0", "ana", "hunter2"])
            .args([folder.join("cert.pem"), folder.join("key.pem")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`cargo xtask test` has installed the engine");
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let port = line.trim().parse().expect("the server says its port");
        Self { process, port }
    }
}

impl Drop for TlsClickHouse {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn clickhouse_can_be_reached_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = folder.path().join("cert.pem");
    fs::write(&certificate, cert.pem()).unwrap();
    fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
    let clickhouse = TlsClickHouse::start(folder.path());
    let url = format!(
        "clickhouse+https://ana:hunter2@127.0.0.1:{}/visits",
        clickhouse.port
    );
    let node = server::Server::start_with(&[
        ("SLUGLINE_ANALYTICS_URL", &url),
        ("SSL_CERT_FILE", certificate.to_str().unwrap()),
    ]);
    node.create(&json!({ "url": "https://example.com/", "slug": "docs" }));
    node.visit("/docs");
    node.counters_with("slug=docs", 1);
}

#[rstest]
fn a_wrong_account_is_refused_without_showing_it(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let url = ClickHouse::shared(engine).url_with("swordfish", "visits");
    let refused = refusal(&[("SLUGLINE_ANALYTICS_URL", &url)]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("SLUGLINE_ANALYTICS_URL"), "{error}");
    assert!(error.contains("password"), "{error}");
    assert!(!error.contains("swordfish"), "{error}");
}
