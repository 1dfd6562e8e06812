//! The link check requests public destinations but not internal ones.

use std::{io::ErrorKind, net::TcpListener};

use serde_json::{Value, json};

use crate::support::{closed_port::ClosedPort, server::Server};

const REFUSED: &str = "URL is not allowed for server-side checking";
/// The setting of an operator who shortens links to the same machine.
const LOOPBACK: (&str, &str) = ("SLUGLINE_CHECK_ALLOWED_NETWORKS", "127.0.0.0/8,::1");

fn check(server: &Server, body: &Value) -> Value {
    let answer = server.post("/api/link/check", body).is(200);
    answer.json()
}

fn link(server: &Server, slug: &str, url: &str) {
    server.create(&json!({"slug": slug, "url": url}));
}

#[test]
fn by_default_nothing_inside_is_asked() {
    let server = Server::start_with(&[("SLUGLINE_ALLOWED_SCHEMES", "mailto")]);
    let inside = TcpListener::bind("127.0.0.1:0").unwrap();
    inside.set_nonblocking(true).unwrap();
    let port = inside.local_addr().unwrap().port();
    link(&server, "address", &format!("http://127.0.0.1:{port}/"));
    link(&server, "disguise", &format!("http://0x7f.1:{port}/"));
    link(
        &server,
        "metadata",
        "http://169.254.169.254/latest/meta-data/",
    );
    link(&server, "name", &format!("http://localhost:{port}/"));
    link(&server, "port", "http://example.com:25/");
    link(&server, "scheme", "mailto:somebody@example.com");
    link(&server, "user", "https://user:secret@example.com/");

    let answer = check(&server, &json!({"limit": 10}));
    let results = answer["results"].as_array().unwrap();
    assert_eq!(results.len(), 7);
    for result in results {
        assert_eq!(result["status"], 0, "{result}");
        assert_eq!(result["ok"], false, "{result}");
        assert_eq!(result["error"], REFUSED, "{result}");
    }
    let nobody_came = inside.accept().unwrap_err();
    assert_eq!(nobody_came.kind(), ErrorKind::WouldBlock);
}

#[test]
fn listed_networks_are_asked_and_the_answers_told() {
    let server = Server::start_with(&[LOOPBACK]);
    let origin = server.origin();
    let closed = ClosedPort::new();
    link(&server, "a-live", &format!("{origin}/_health/live"));
    link(&server, "b-missing", &format!("{origin}/missing"));
    link(
        &server,
        "c-closed",
        &format!("http://{}/", closed.address()),
    );
    link(&server, "d-inner", "http://10.0.0.1/");
    link(&server, "e-hop", &format!("{origin}/a-live"));
    link(&server, "f-hop-inward", &format!("{origin}/d-inner"));

    let answer = check(&server, &json!({}));
    assert_eq!(answer["list_complete"], true);
    assert_eq!(answer.get("cursor"), None);
    let results = answer["results"].as_array().unwrap();
    let seen: Vec<_> = results
        .iter()
        .map(|r| {
            (
                r["slug"].as_str().unwrap(),
                r["status"].as_u64().unwrap(),
                r["ok"] == true,
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("a-live", 200, true),
            ("b-missing", 404, false),
            ("c-closed", 0, false),
            ("d-inner", 0, false),
            ("e-hop", 200, true),
            ("f-hop-inward", 0, false),
        ]
    );
    assert_eq!(results[0]["url"], format!("{origin}/_health/live"));
    assert!(results[0]["duration"].is_u64());
    let moment = results[0]["checkedAt"].as_str().unwrap();
    assert!(moment.len() == 24 && moment.ends_with('Z'), "{moment}");
    assert_eq!(results[1].get("error"), None, "a status is no error");
    let failure = results[2]["error"].as_str().unwrap();
    assert!(failure.starts_with("connection failed"), "{failure}");
    assert_eq!(results[3]["error"], REFUSED);
    assert_eq!(results[5]["error"], REFUSED);
}

#[test]
fn a_setting_decides_on_ports() {
    let server = Server::start_with(&[LOOPBACK, ("SLUGLINE_CHECK_ALLOWED_PORTS", "443")]);
    link(
        &server,
        "live",
        &format!("{}/_health/live", server.origin()),
    );
    assert_eq!(check(&server, &json!({}))["results"][0]["error"], REFUSED);
}

#[test]
fn a_cursor_of_a_list_leads_through_no_check() {
    let server = Server::start();
    for slug in ["b", "a"] {
        link(&server, slug, "http://127.0.0.1/");
    }
    let list = server.get("/api/link/list?limit=1").json();
    let mixed = json!({"cursor": list["cursor"]});
    server
        .post("/api/link/check", &mixed)
        .refuses(400, "invalid_cursor");
}

#[test]
fn a_check_uses_no_visit_of_a_link_that_it_comes_to() {
    let server = Server::start_with(&[LOOPBACK]);
    server.create(&json!({"slug": "once", "url": "https://e.example/", "maxVisits": 1}));
    link(&server, "toonce", &format!("{}/once", server.origin()));
    let browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
    for caller in [browser, &browser.repeat(20), ""] {
        let call = server.api("POST", "/api/link/check");
        let call = call.header("user-agent", caller);
        let checked = call.json(&json!({"slug": "toonce"})).send().json();
        assert_eq!(checked["results"][0]["status"], 200, "{checked}");
        assert_eq!(server.link("once")["visitsLeft"], 1, "{caller}");
    }
}
