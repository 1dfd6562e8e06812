//! Runs the samples in `deploy` with the programs they configure.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::{Agent, RequestExt};

use crate::{
    own_database::OwnDatabase,
    server::{Server, TOKEN, eventually},
};

fn sample(name: &str) -> String {
    let deploy = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy");
    fs::read_to_string(deploy.join(name)).unwrap()
}

#[test]
fn systemd_finds_nothing_wrong_with_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("slugline.service");
    let installed = "/usr/local/bin/slugline";
    let text = sample("slugline.service");
    assert!(text.contains(installed));
    let text = text.replace(installed, env!("CARGO_BIN_EXE_slugline"));
    fs::write(&unit, text).unwrap();
    let verified = Command::new("systemd-analyze")
        .arg("verify")
        .arg(&unit)
        .output()
        .unwrap_or_else(|error| panic!("systemd-analyze, of the package systemd: {error}"));
    let said = String::from_utf8(verified.stderr).unwrap();
    assert!(verified.status.success() && said.is_empty(), "{said}");
}

/// The sample of nginx in front of two nodes.
struct Nginx {
    process: Child,
    origin: String,
    _folder: TempDir,
}

impl Nginx {
    fn start(nodes: &[Server; 2]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let mut server = sample("nginx.conf");
        for (written, meant) in [
            ("127.0.0.1:8081", nodes[0].origin()),
            ("127.0.0.1:8082", nodes[1].origin()),
            ("listen 8080", &format!("listen 127.0.0.1:{port}")),
        ] {
            assert!(server.contains(written), "{written}");
            server = server.replace(written, meant.trim_start_matches("http://"));
        }
        let at = folder.path().display();
        let file: PathBuf = folder.path().join("nginx.conf");
        let text = format!(
            "daemon off; pid {at}/pid; error_log {at}/error.log; events {{ }}\n\
             http {{ access_log off; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
             fastcgi_temp_path {at}/f; uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
             {server}\n}}\n"
        );
        fs::write(&file, text).unwrap();
        let process = Command::new("nginx")
            .arg("-c")
            .arg(&file)
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("nginx, of the package nginx: {error}"));
        eventually("nginx listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        let origin = format!("http://127.0.0.1:{port}");
        Self {
            process,
            origin,
            _folder: folder,
        }
    }

    /// Sends a request through nginx; returns status, `Location` and body.
    fn send(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, String, String) {
        let agent: Agent = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .build()
            .into();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("{}{path}", self.origin))
            .header("authorization", format!("Bearer {TOKEN}"))
            .header("content-type", "application/json")
            // A header that nginx must not trust.
            .header("x-forwarded-for", "203.0.113.7");
        let body = body.map(Value::to_string).unwrap_or_default();
        let request = request.body(body).unwrap();
        let mut answer = request
            .with_agent(&agent)
            .configure()
            .allow_non_standard_methods(true)
            .run()
            .unwrap();
        let location = answer.headers().get("location");
        let location = location.map_or("", |value| value.to_str().unwrap());
        let location = location.to_owned();
        let text = answer.body_mut().read_to_string().unwrap();
        (answer.status().as_u16(), location, text)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        // Killing only this process would leave its workers running.
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

#[test]
fn nginx_passes_on_what_two_nodes_answer_and_visitors_miss_no_node_that_dies() {
    let database = OwnDatabase::create("nginx");
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.url().as_str()),
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let nodes = [(); 2].map(|()| Server::start_with(&settings));
    let nginx = Nginx::start(&nodes);
    let link = json!({"slug": "docs", "url": "https://example.com/"});
    let (status, _, text) = nginx.send("POST", "/api/link/create", Some(&link));
    assert_eq!(status, 201, "{text}");
    let made: Value = serde_json::from_str(&text).unwrap();
    let short = format!("{}/docs", nginx.origin);
    assert_eq!(made["shortLink"], short, "the host is the one asked for");
    let long = "x".repeat(2_048);
    let (status, _, _) = nginx.send("GET", &format!("/{long}"), None);
    assert_eq!(status, 404, "the longest slug arrives");

    let follow = || {
        for _ in 0..40 {
            let (status, location, text) = nginx.send("GET", "/docs", None);
            assert_eq!(
                (status, &*location),
                (301, "https://example.com/"),
                "{text}"
            );
        }
    };
    follow();
    for node in &nodes {
        eventually("visits of each node are counted", || {
            let call = node.api("GET", "/api/stats/counters").send().json();
            call["data"][0]["visits"]
                .as_u64()
                .is_some_and(|visits| visits > 0)
        });
    }
    let [first, second] = nodes;
    drop(first);
    follow();
    let edited = json!({"slug": "docs", "url": "https://example.org/"});
    assert_eq!(
        second
            .api("PUT", "/api/link/edit")
            .json(&edited)
            .send()
            .status,
        201
    );
    let (_, location, _) = nginx.send("GET", "/docs", None);
    assert_eq!(location, "https://example.org/");
}
