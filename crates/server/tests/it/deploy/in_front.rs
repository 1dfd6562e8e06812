//! The samples for proxies, in front of one node and of two.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::{Child, Command, Stdio},
};

use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;
use ureq::{Agent, RequestExt};

use super::sample;
use crate::support::{
    own_database::OwnDatabase,
    server::{Server, TOKEN, eventually},
};

/// A proxy that runs with its sample.
struct Front {
    process: Child,
    origin: String,
    _folder: TempDir,
}

/// Makes the command that runs a proxy in this folder, on this port, in front of these nodes: one
/// or two.
type Proxy = fn(&Path, u16, &[&str]) -> Command;

/// A sample with texts of it replaced.
fn adapted(name: &str, texts: &[(&str, &str)]) -> String {
    texts.iter().fold(sample(name), |text, (written, meant)| {
        assert!(text.contains(written), "{written}");
        text.replace(written, meant)
    })
}

fn nginx(folder: &Path, port: u16, nodes: &[&str]) -> Command {
    let listen = format!("listen 127.0.0.1:{port}");
    let server = match nodes {
        [one] => adapted(
            "nginx.one.conf",
            &[("127.0.0.1:8080", one), ("listen 80", &listen)],
        ),
        _ => adapted(
            "nginx.conf",
            &[
                ("127.0.0.1:8081", nodes[0]),
                ("127.0.0.1:8082", nodes[1]),
                ("listen 8080", &listen),
            ],
        ),
    };
    let at = folder.display();
    let text = format!(
        "daemon off; pid {at}/pid; error_log {at}/error.log; events {{ }}\n\
         http {{ access_log off; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
         fastcgi_temp_path {at}/f; uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
         {server}\n}}\n"
    );
    let file = folder.join("nginx.conf");
    fs::write(&file, text).unwrap();
    let mut command = Command::new("nginx");
    command.arg("-c").arg(file);
    command
}

fn caddy(folder: &Path, port: u16, nodes: &[&str]) -> Command {
    let file = folder.join("Caddyfile");
    let domains = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    // Its own API would listen on a port that others may have.
    let options = "{\n\tadmin off\n\tauto_https disable_redirects\n";
    let text = match nodes {
        [one] => {
            let site = format!("\nhttp://127.0.0.1:{port} {{\n");
            let text = [("127.0.0.1:8080", *one), ("\ngo.example {\n", &site)];
            format!("{options}}}\n{}", adapted("Caddyfile.one", &text))
        }
        _ => sample("Caddyfile").replacen("\n{\n", &format!("\n{options}"), 1),
    };
    fs::write(&file, text).unwrap();
    let mut command = Command::new("caddy");
    command
        .args(["run", "--adapter", "caddyfile", "--config"])
        .arg(file)
        // Caddy asks for no certificate here, and port 443 may be taken.
        .env("DOMAINS", format!("https://:{domains}"))
        .env("ASKED", nodes[0])
        .env("SITE", format!("http://127.0.0.1:{port}"))
        .env("NODES", nodes.join(" "))
        .env("HOME", folder)
        .env("XDG_CONFIG_HOME", folder)
        .env("XDG_DATA_HOME", folder);
    command
}

impl Front {
    fn start(proxy: Proxy, nodes: &[Server]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let nodes = nodes
            .iter()
            .map(|node| node.origin().trim_start_matches("http://"));
        let nodes: Vec<&str> = nodes.collect();
        let mut command = proxy(folder.path(), port, &nodes);
        let process = command
            .stderr(Stdio::null())
            .spawn()
            .unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
        eventually("the proxy listens", || {
            TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Self {
            process,
            origin: format!("http://127.0.0.1:{port}"),
            _folder: folder,
        }
    }

    /// Sends a request through the proxy; returns status, `Location` and body.
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
            // Headers that the proxy must not trust.
            .header("x-forwarded-for", "203.0.113.7")
            .header("x-forwarded-host", "evil.example");
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

impl Front {
    /// Makes two links and asks for the longest things there are; nothing is lost on the way.
    fn passes_on(&self) {
        let link = json!({"slug": "docs", "url": "https://example.com/"});
        let (status, _, text) = self.send("POST", "/api/link/create", Some(&link));
        assert_eq!(status, 201, "{text}");
        let made: Value = serde_json::from_str(&text).unwrap();
        let short = format!("{}/docs", self.origin);
        assert_eq!(made["shortLink"], short, "the host is the one asked for");
        let long = "x".repeat(2_048);
        let (status, _, _) = self.send("GET", &format!("/{long}"), None);
        assert_eq!(status, 404, "the longest slug arrives");

        let url = format!("https://example.com/?q={}", "x".repeat(16_000));
        let link = json!({"slug": "long", "url": url});
        assert_eq!(self.send("POST", "/api/link/create", Some(&link)).0, 201);
        let (status, location, _) = self.send("GET", "/long", None);
        assert_eq!((status, location), (301, url), "the longest destination");
    }
}

#[rstest]
#[case::nginx(nginx)]
#[case::caddy(caddy)]
fn a_proxy_passes_on_what_one_node_answers(#[case] proxy: Proxy) {
    let node = [Server::start_with(&[(
        "SLUGLINE_TRUSTED_PROXIES",
        "127.0.0.1",
    )])];
    Front::start(proxy, &node).passes_on();
}

impl Drop for Front {
    fn drop(&mut self) {
        // Killing only this process would leave its workers running.
        let pid = self.process.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.process.wait();
    }
}

#[rstest]
#[case::nginx("nginx", nginx)]
#[case::caddy("caddy", caddy)]
fn a_proxy_passes_on_what_two_nodes_answer_and_visitors_miss_no_node_that_dies(
    #[case] name: &str,
    #[case] proxy: Proxy,
) {
    let database = OwnDatabase::create(name);
    let settings = [
        ("SLUGLINE_DATABASE_URL", database.url().as_str()),
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
    ];
    let nodes = [(); 2].map(|()| Server::start_with(&settings));
    let front = Front::start(proxy, &nodes);
    front.passes_on();
    let follow = || {
        for _ in 0..40 {
            let (status, location, text) = front.send("GET", "/docs", None);
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
    second
        .api("PUT", "/api/link/edit")
        .json(&edited)
        .send()
        .is(201);
    let (_, location, _) = front.send("GET", "/docs", None);
    assert_eq!(location, "https://example.org/");
}
