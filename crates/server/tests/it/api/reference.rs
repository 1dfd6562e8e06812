//! Pages in a real browser: effects of scripts and of applied policies.

use std::process::{Command, Stdio};

use serde_json::json;

use crate::support::{
    outsider::{Outsider, answer},
    server::Server,
};

/// The page after its scripts have run, and the messages of its console.
fn render(url: &str) -> (String, String) {
    let profile = tempfile::tempdir().unwrap();
    let output = Command::new("chromium-headless-shell")
        .args([
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--enable-logging=stderr",
            // The budget counts the page's virtual time, which pauses during requests.
            "--virtual-time-budget=20000",
            "--dump-dom",
        ])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(url)
        .stdin(Stdio::null())
        .output()
        .expect("the headless shell is installed: cargo xtask test does that");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[test]
fn the_api_reference_and_the_console_show_the_operations() {
    let server = Server::start();
    for page in ["/_docs/scalar", "/_docs/swagger"] {
        let (shown, console) = render(&format!("{}{page}", server.origin()));
        for wanted in ["/api/link/create", "Create a link"] {
            assert!(shown.contains(wanted), "{page}: {wanted}\n{console}");
        }
        let refused: Vec<&str> = console
            .lines()
            .filter(|line| line.contains("Refused to") || line.contains("Content Security Policy"))
            .filter(|line| line.contains("script"))
            .collect();
        assert!(refused.is_empty(), "{page}: {refused:?}");
    }
}

#[test]
fn the_documents_may_run_their_own_scripts_only() {
    let server = Server::start();
    for page in ["/_docs/scalar", "/_docs/swagger/"] {
        let answer = server.visit(page).is(200);
        let policy = answer.header("content-security-policy");
        let (_, scripts) = policy.split_once("script-src").unwrap();
        assert!(
            scripts.contains("'sha256-") && !scripts.contains("unsafe"),
            "{policy}"
        );
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert_eq!(answer.header("x-robots-tag"), "noindex, follow");
        // The page loads nothing from other hosts and sends nothing to them.
        assert!(
            policy.contains("connect-src 'self'; img-src 'self' data:;"),
            "{policy}"
        );
    }
}

#[test]
fn a_form_of_another_site_ends_at_the_warning() {
    let server = Server::start();
    let destination = Outsider::start(|_| answer("200 OK", "arrived"));
    let link = json!({"url": destination.url("/"), "slug": "odd", "unsafe": true});
    server.create(&link);
    let form = format!(
        "<form method=post action=\"{}/odd\"><input name=confirm value=true></form>\
         <script>document.forms[0].submit()</script>",
        server.origin()
    );
    let elsewhere = Outsider::start(move |_| {
        let length = form.len();
        format!(
            "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n{form}"
        )
    });
    // Another name of this machine is another site to the browser.
    let page = elsewhere.url("/").replace("127.0.0.1", "localhost");
    let (shown, console) = render(&page);
    assert!(
        shown.contains("Potentially Unsafe Link"),
        "{shown}\n{console}"
    );
    assert!(destination.heard().is_empty(), "nobody was sent on");
}
