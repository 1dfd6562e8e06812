//! Visits in ClickHouse, of several nodes.

use std::{
    fs,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use serde_json::json;
use tempfile::TempDir;

use crate::server::{Server, refusal};

/// ClickHouse as a library behind a small server; see its first lines.
struct ClickHouse {
    process: Child,
    port: u16,
    tls: bool,
    folder: TempDir,
}

impl ClickHouse {
    fn start() -> Self {
        Self::start_in(tempfile::tempdir().unwrap(), 0, false)
    }

    fn start_in(folder: TempDir, port: u16, tls: bool) -> Self {
        let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut command = Command::new(workspace.join("target/clickhouse-python/bin/python"));
        command
            .arg(workspace.join("crates/analytics/tests/clickhouse/server.py"))
            .arg(folder.path().join("data"))
            .args([&port.to_string(), "ana", "hunter2"]);
        if tls {
            command.args([
                folder.path().join("cert.pem"),
                folder.path().join("key.pem"),
            ]);
        }
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("`cargo xtask test` has installed the engine");
        let mut line = String::new();
        let output = process.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        Self {
            process,
            port: line.trim().parse().expect("the server says its port"),
            tls,
            folder,
        }
    }

    fn kill_and_restart(mut self, meanwhile: impl FnOnce()) -> Self {
        self.end();
        meanwhile();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        Self::start_in(folder, self.port, self.tls)
    }

    fn end(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    fn url(&self, password: &str) -> String {
        let scheme = if self.tls { "https" } else { "http" };
        let port = self.port;
        format!("clickhouse+{scheme}://ana:{password}@127.0.0.1:{port}/visits")
    }
}

impl Drop for ClickHouse {
    fn drop(&mut self) {
        self.end();
    }
}

fn node(url: &str) -> Server {
    Server::start_with(&[("SLUGLINE_ANALYTICS_URL", url)])
}

#[test]
fn nodes_share_their_visits_and_redirect_while_clickhouse_is_away() {
    let clickhouse = ClickHouse::start();
    let url = clickhouse.url("hunter2");
    let nodes = [node(&url), node(&url)];
    for node in &nodes {
        node.create(&json!({ "url": "https://example.com/", "slug": "docs" }));
        assert_eq!(node.visit("/docs").status, 301);
    }
    for node in &nodes {
        node.counters_with("slug=docs", 2);
    }

    let _clickhouse = clickhouse.kill_and_restart(|| {
        for node in &nodes {
            assert_eq!(node.visit("/docs").status, 301);
            let refused = node.api("GET", "/api/stats/counters").send();
            assert_eq!(refused.status, 503, "{}", refused.text);
            assert_eq!(refused.json()["code"], "unavailable");
            // What lies behind is nobody's business.
            assert!(!refused.text.contains("ClickHouse"), "{}", refused.text);
        }
    });
    let counters = nodes[0].counters_with("slug=docs", 4);
    assert_eq!(counters["sampling"]["exact"], true);
}

#[test]
fn visits_of_a_stopped_node_are_there_at_once() {
    let clickhouse = ClickHouse::start();
    let first = node(&clickhouse.url("hunter2"));
    first.create(&json!({ "url": "https://example.com/", "slug": "docs" }));
    first.visit("/docs");
    let (status, _) = first.stop("TERM");
    assert!(status.success());
    let counters = node(&clickhouse.url("hunter2"))
        .api("GET", "/api/stats/counters")
        .send();
    assert_eq!(counters.json()["data"][0]["visits"], 1);
}

#[test]
fn clickhouse_can_be_reached_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let CertifiedKey { cert, signing_key } =
        generate_simple_self_signed(["127.0.0.1".to_owned()]).unwrap();
    let certificate = folder.path().join("cert.pem");
    fs::write(&certificate, cert.pem()).unwrap();
    fs::write(folder.path().join("key.pem"), signing_key.serialize_pem()).unwrap();
    let certificate = certificate.to_str().unwrap().to_owned();
    let clickhouse = ClickHouse::start_in(folder, 0, true);
    let node = Server::start_with(&[
        ("SLUGLINE_ANALYTICS_URL", &clickhouse.url("hunter2")),
        ("SSL_CERT_FILE", &certificate),
    ]);
    node.create(&json!({ "url": "https://example.com/", "slug": "docs" }));
    node.visit("/docs");
    node.counters_with("slug=docs", 1);
}

#[test]
fn a_wrong_account_is_refused_without_showing_it() {
    let clickhouse = ClickHouse::start();
    let url = clickhouse.url("swordfish");
    let refused = refusal(&[("SLUGLINE_ANALYTICS_URL", &url)]);
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(error.contains("SLUGLINE_ANALYTICS_URL"), "{error}");
    assert!(error.contains("Authentication failed"), "{error}");
    assert!(!error.contains("swordfish"), "{error}");
}
