//! The service looks at its public address from outside.

use std::{
    fs,
    net::TcpListener,
    process::{Child, Command, Stdio},
};

use serde_json::Value;
use tempfile::TempDir;

use super::{ORIGIN, sdks::start_here};
use crate::support::{
    closed_port::ClosedPort,
    server::{Server, command, eventually},
};

/// The codes of what the Set-up page says of the outside.
fn found(server: &Server) -> Vec<String> {
    let setup = server.api("GET", "/api/setup").send().json();
    let findings = setup["findings"].as_array().unwrap();
    let codes = findings
        .iter()
        .map(|finding| finding["code"].as_str().unwrap());
    let about = |code: &&str| code.starts_with("outside_") || code.starts_with("assistants_");
    codes.filter(about).map(str::to_owned).collect()
}

/// Returns what `slugline doctor` says of the outside, with this public address.
fn doctor(server: &Server, base: &str) -> String {
    let mut command = command(server.folder());
    let output = command
        .arg("doctor")
        .env("SLUGLINE_BASE_URL", base)
        .output();
    let output = String::from_utf8(output.unwrap().stdout).unwrap();
    let lines = output.lines().filter(|line| line.starts_with("outside: "));
    lines.collect::<Vec<_>>().join("\n")
}

fn free_port() -> u16 {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    port.local_addr().unwrap().port()
}

#[test]
fn an_instance_that_assistants_reach_has_nothing_to_say() {
    let server = start_here(&[], None);
    assert_eq!(found(&server), [""; 0]);
    let said = doctor(&server, server.origin());
    assert!(said.starts_with("outside: ok: "), "{said}");
    let setup: Value = server.api("GET", "/api/setup").send().json();
    assert_eq!(setup["switches"]["assistants"], true);
}

#[test]
fn what_keeps_assistants_out_is_named() {
    let nobody = ClosedPort::new();
    let silent = format!("http://{}", nobody.address());
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", &silent)]);
    assert_eq!(found(&server), ["outside_silent"]);
    assert!(doctor(&server, &silent).contains("ADVICE"));

    let other = Server::start_with(&[("SLUGLINE_BASE_URL", ORIGIN)]);
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", other.origin())]);
    assert_eq!(found(&server), ["outside_other_issuer"]);
    assert!(doctor(&server, other.origin()).contains(ORIGIN));

    let off = Server::start_with(&[("SLUGLINE_OAUTH", "false")]);
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", off.origin())]);
    assert_eq!(found(&server), ["outside_not_ours"]);

    let plain = Server::start_with(&[("SLUGLINE_BASE_URL", "http://sl.example")]);
    assert_eq!(found(&plain), ["assistants_need_https"]);
    assert_eq!(found(&off), [""; 0]);
    assert_eq!(found(&Server::start()), [""; 0]);
}

/// A proxy that changes what it passes on.
struct Proxy {
    process: Child,
    _folder: TempDir,
}

impl Proxy {
    fn start(port: u16, to: &Server, rule: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().display();
        let to = to.origin();
        let text = format!(
            "daemon off; pid {at}/pid; error_log {at}/error.log; events {{ }}\n\
             http {{ access_log off; client_body_temp_path {at}/b; proxy_temp_path {at}/p;\n\
             fastcgi_temp_path {at}/f; uwsgi_temp_path {at}/u; scgi_temp_path {at}/s;\n\
             server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass {to}; {rule} }} }} }}\n"
        );
        let file = folder.path().join("nginx.conf");
        fs::write(&file, text).unwrap();
        let mut nginx = Command::new("nginx");
        let nginx = nginx.arg("-c").arg(file).stderr(Stdio::null());
        let process = nginx.spawn().unwrap();
        eventually("the proxy listens", || {
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        Self {
            process,
            _folder: folder,
        }
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let id = self.process.id().to_string();
        let _ = Command::new("kill").arg(id).status();
        let _ = self.process.wait();
    }
}

#[test]
fn a_proxy_that_cuts_the_header_off_is_named() {
    for (rule, code, words) in [
        (
            "proxy_set_header Authorization '';",
            "outside_header_cut",
            "cuts off",
        ),
        (
            "proxy_hide_header WWW-Authenticate;",
            "outside_header_cut",
            "WWW-Authenticate",
        ),
    ] {
        let port = free_port();
        let origin = format!("http://127.0.0.1:{port}");
        let server = Server::start_with(&[("SLUGLINE_BASE_URL", &origin)]);
        let _proxy = Proxy::start(port, &server, rule);
        assert_eq!(found(&server), [code], "{rule}");
        let said = doctor(&server, &origin);
        assert!(said.contains(words), "{said}");
    }
    let port = free_port();
    let origin = format!("http://127.0.0.1:{port}");
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", &origin)]);
    let _proxy = Proxy::start(port, &server, "");
    assert_eq!(found(&server), [""; 0]);
}
