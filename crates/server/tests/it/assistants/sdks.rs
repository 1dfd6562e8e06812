//! The official clients' own flows, with both ways of registration.

use std::{
    io::{BufRead, BufReader, Lines, Write},
    net::TcpListener,
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use rstest::rstest;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::{ALL, authorize, decide, form_value, request, show, sign_in};
use crate::support::{
    programs::{node, python, run},
    server::{Server, TOKEN, command},
};

/// The address that the programs of this test give as their own.
const CALLBACK: &str = "http://127.0.0.1:33418/callback";

/// A server of documents over https, whose certificate the service trusts.
struct Documents {
    process: Child,
    folder: TempDir,
    origin: String,
    answers: ChildStdin,
    lines: Lines<BufReader<ChildStdout>>,
}

impl Documents {
    /// Serves what this function makes of its own origin: answers by path.
    fn serve(answers: impl FnOnce(&str) -> Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let names = ["127.0.0.1".to_owned()];
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed(names).unwrap();
        let (certificate, key) = (
            folder.path().join("cert.pem"),
            folder.path().join("key.pem"),
        );
        std::fs::write(&certificate, cert.pem()).unwrap();
        std::fs::write(&key, signing_key.serialize_pem()).unwrap();
        let script = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/mcp-clients/serve_document.py"
        );
        let mut process = Command::new("python3")
            .arg(script)
            .args([&certificate, &key])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let port = lines.next().unwrap().unwrap();
        let origin = format!("https://127.0.0.1:{port}");
        let first = answers(&origin);
        let mut documents = Self {
            answers: process.stdin.take().unwrap(),
            process,
            folder,
            origin,
            lines,
        };
        documents.answer(&first);
        documents
    }

    /// Answers so from now on.
    fn answer(&mut self, answers: &Value) {
        writeln!(self.answers, "{answers}").unwrap();
        assert_eq!(self.lines.next().unwrap().unwrap(), "ready");
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    fn certificate(&self) -> std::path::PathBuf {
        self.folder.path().join("cert.pem")
    }
}

impl Drop for Documents {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A service whose public address is its own on this machine.
pub(crate) fn start_here(settings: &[(&str, &str)], authority: Option<&Path>) -> Server {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = port.local_addr().unwrap().to_string();
    drop(port);
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path());
    command
        .env("SLUGLINE_LISTEN", &address)
        .env("SLUGLINE_BASE_URL", format!("http://{address}"))
        .envs(settings.iter().copied());
    if let Some(authority) = authority {
        command.env("SSL_CERT_FILE", authority);
    }
    Server::start_by(command, folder)
}

fn document(address: &str) -> Value {
    let body = json!({
        "client_id": address, "client_name": "Described",
        "redirect_uris": [CALLBACK], "token_endpoint_auth_method": "none",
    });
    json!({"status": 200, "headers": {"content-type": "application/json"}, "body": body.to_string()})
}

#[rstest]
#[case::typescript_1(|| node("oauth-1.mjs"))]
#[case::typescript_2(|| node("oauth-2.mjs"))]
#[case::python_1(|| python(1, "python", &["oauth_1.py"]))]
#[case::python_2(|| python(2, "python", &["oauth_2.py"]))]
fn official_clients_connect_by_an_address(#[case] client: fn() -> Command) {
    let documents = Documents::serve(
        |origin| json!({"/client.json": document(&format!("{origin}/client.json"))}),
    );
    let described = documents.at("/client.json");
    let server = start_here(
        &[("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8")],
        Some(&documents.certificate()),
    );
    for (slug, document) in [("registered", None), ("described", Some(&described))] {
        let todo = json!({
            "url": format!("{}/api/mcp", server.origin()), "token": TOKEN, "slug": slug,
            "redirect": CALLBACK, "document": document,
        });
        let output = run(client(), &todo.to_string());
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        println!("{slug}: {told}");
        assert_eq!(told["tools"], 14);
        assert_eq!(told["made"], false);
        assert_eq!(told["read"], slug);
        for known in ["renewed", "refresh"] {
            assert_ne!(told[known], false, "{told}");
        }
        match document {
            Some(document) => assert_eq!(told["client"], json!(document)),
            None => assert!(told["client"].as_str().unwrap().starts_with("assistant-")),
        }
    }
    let listed = server.api("GET", "/api/tokens").send().json();
    let assistants: Vec<Value> = listed["tokens"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["assistant"].clone())
        .collect();
    let expected = [
        json!({"name": "Described", "host": "127.0.0.1"}),
        json!({"name": "SDK", "host": "127.0.0.1"}),
    ];
    assert_eq!(assistants, expected);
}

#[test]
fn documents_that_lie_or_never_end_are_refused() {
    let documents = Documents::serve(|origin| {
        let answer = |body: String| json!({"status": 200, "body": body});
        let named = |path: &str| document(&format!("{origin}{path}"));
        let mut moved = named("/moved.json");
        moved["status"] = json!(302);
        moved["headers"]["location"] = json!(format!("{origin}/good.json"));
        json!({
            "/good.json": named("/good.json"),
            "/other.json": named("/good.json"),
            "/huge.json": answer(format!("{{\"client_id\": \"{}\"}}", "x".repeat(70_000))),
            "/broken.json": answer("{".into()),
            "/page.json": answer("<html>".into()),
            "/gone.json": {"status": 404},
            "/moved.json": moved,
            "/nowhere.json": answer(json!({"client_id": format!("{origin}/nowhere.json")}).to_string()),
        })
    });
    let server = start_here(
        &[("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8")],
        Some(&documents.certificate()),
    );
    let resource = format!("{}/api/mcp", server.origin());
    let page = |path: &str| {
        let client = documents.at(path);
        let mut sent = request(&client);
        sent.insert("redirect_uri", CALLBACK);
        sent.insert("resource", &resource);
        let path = authorize(&sent);
        let cookie = sign_in(&server, &path, TOKEN);
        show(&server, &path, &cookie)
    };
    let good = page("/good.json").is(200);
    good.says("goes to a program on this computer");
    for path in [
        "/other.json",
        "/huge.json",
        "/broken.json",
        "/page.json",
        "/gone.json",
        "/moved.json",
        "/nowhere.json",
        "/unknown.json",
    ] {
        let refused = page(path).is(400);
        assert_eq!(refused.header("location"), "");
    }
}

#[test]
fn a_decision_about_an_application_that_changed_its_name_is_asked_again() {
    let named = |origin: &str, name: &str| {
        let mut answer = document(&format!("{origin}/client.json"));
        let body = answer["body"].as_str().unwrap().replace("Described", name);
        answer["body"] = json!(body);
        answer["headers"]["cache-control"] = json!("no-store");
        json!({"/client.json": answer})
    };
    let mut documents = Documents::serve(|origin| named(origin, "Good App"));
    let server = start_here(
        &[("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8")],
        Some(&documents.certificate()),
    );
    let (client, resource) = (
        documents.at("/client.json"),
        format!("{}/api/mcp", server.origin()),
    );
    let mut sent = request(&client);
    sent.insert("redirect_uri", CALLBACK);
    sent.insert("resource", &resource);
    let path = authorize(&sent);
    let cookie = sign_in(&server, &path, TOKEN);
    let shown = show(&server, &path, &cookie);
    assert!(shown.text.contains("Good App"), "{}", shown.text);
    documents.answer(&named(&documents.origin, "Evil Twin"));
    let refused = decide(&server, &path, &cookie, &form_value(&shown), ALL);
    assert_eq!((refused.status, refused.header("location")), (403, ""));
    refused.says("changed its name");
    let shown = show(&server, &path, &cookie);
    assert!(shown.text.contains("Evil Twin"), "{}", shown.text);
    decide(&server, &path, &cookie, &form_value(&shown), ALL).is(303);
}
