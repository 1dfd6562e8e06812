//! Proxied links: a destination's answer under the short link's address.

use std::{
    io::{ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::Duration,
};

use serde_json::json;

use crate::support::{
    closed_port::ClosedPort,
    outsider::{Outsider, answer},
    server::{Server, eventually},
};

const ON: (&str, &str) = ("NUXT_PUBLIC_LINK_PROXY_ENABLED", "true");
/// The setting of an operator whose destinations are on the same machine.
const LOOPBACK: (&str, &str) = ("SLUGLINE_PROXY_ALLOWED_NETWORKS", "127.0.0.0/8");

fn proxying() -> Server {
    Server::start_with(&[ON, LOOPBACK])
}

fn proxied(server: &Server, slug: &str, url: &str) {
    server.create(&json!({"slug": slug, "url": url, "proxy": true, "cloaking": true}));
}

/// A connection to the server, to read and write piece by piece.
fn dial(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(server.origin().strip_prefix("http://").unwrap()).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    stream
}

/// Reads until the text ends with `end`.
fn hear(stream: &mut TcpStream, end: &str) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(end.as_bytes()) {
        let mut byte = [0];
        assert_eq!(
            stream.read(&mut byte).unwrap(),
            1,
            "{}",
            String::from_utf8_lossy(&heard)
        );
        heard.extend(byte);
    }
    String::from_utf8(heard).unwrap()
}

/// Headers about our whole origin, for reverse proxies, or about a connection.
const NOT_FOR_VISITORS: [&str; 24] = [
    "accept-ch",
    "access-control-allow-credentials",
    "access-control-max-age",
    "alt-svc",
    "cdn-cache-control",
    "clear-site-data",
    "keep-alive",
    "link",
    "nel",
    "origin-agent-cluster",
    "proxy-authenticate",
    "public-key-pins",
    "refresh",
    "report-to",
    "reporting-endpoints",
    "service-worker-allowed",
    "sourcemap",
    "speculation-rules",
    "strict-transport-security",
    "surrogate-control",
    "www-authenticate",
    "x-accel-redirect",
    "x-dns-prefetch-control",
    "x-sendfile",
];

#[test]
fn headers_pass_both_ways_but_for_what_is_ours_and_the_connections() {
    let origin = Outsider::start(|_| {
        let hostile = NOT_FOR_VISITORS.map(|name| format!("{name}: x\r\n"));
        let hostile = hostile.concat();
        format!(
            "HTTP/1.1 203 Odd\r\ncontent-type: text/html\r\ncache-control: max-age=5\r\n\
             content-security-policy: img-src 'self'\r\nset-cookie: a=b\r\nset-cookie: c=d\r\n\
             etag: \"theirs\"\r\nvary: accept\r\nconnection: close, vary\r\n{hostile}\
             content-encoding: gzip\r\ncontent-length: 5\r\n\r\nhello"
        )
    });
    let server = proxying();
    proxied(&server, "page", &origin.url("/a?b=c#d"));
    let mut request = server.request("GET", "/page?ignored");
    for (name, value) in [
        ("accept-language", "de"),
        ("authorization", "Basic eDp5"),
        ("cookie", "session=1"),
        ("cf-ray", "1"),
        ("x-forwarded-for", "1.2.3.4"),
        ("x-forwarded-port", "1"),
        ("forwarded", "for=1.2.3.4"),
        ("x-real-ip", "1.2.3.4"),
        ("x-link-confirm", "true"),
        ("x-custom", "kept"),
        ("x-auth-request-email", "me@example.com"),
        ("x-forwarded-access-token", "secret"),
        ("x-amzn-oidc-data", "jwt"),
        ("true-client-ip", "1.2.3.4"),
        ("x-nominated", "1"),
        ("connection", "close, X-Nominated"),
        ("te", "trailers"),
        ("upgrade", "h2c"),
    ] {
        request = request.header(name, value);
    }
    let shown = request.send();
    assert_eq!((shown.status, shown.text.as_str()), (203, "hello"));

    let heard = &origin.heard()[0];
    assert_eq!(heard.line, "GET /a?b=c HTTP/1.1");
    for (name, value) in [
        ("accept-language", Some("de")),
        ("x-custom", Some("kept")),
        ("x-forwarded-for", Some("127.0.0.1")),
        ("x-forwarded-proto", Some("http")),
        (
            "x-forwarded-host",
            Some(server.origin().strip_prefix("http://").unwrap()),
        ),
        ("host", origin.url("").strip_prefix("http://")),
        ("connection", Some("close")),
        ("x-link-hops", Some("1")),
        ("authorization", None),
        ("x-auth-request-email", None),
        ("x-forwarded-access-token", None),
        ("x-amzn-oidc-data", None),
        ("true-client-ip", None),
        ("cookie", None),
        ("cf-ray", None),
        ("forwarded", None),
        ("x-forwarded-port", None),
        ("x-real-ip", None),
        ("x-link-confirm", None),
        ("x-nominated", None),
        ("te", None),
        ("upgrade", None),
    ] {
        assert_eq!(heard.header(name), value, "{name}");
    }
    for (name, value) in [
        ("content-type", "text/html"),
        ("content-encoding", "gzip"),
        ("content-length", "5"),
        ("cache-control", "private, max-age=5"),
        ("etag", "\"theirs\""),
        ("x-content-type-options", "nosniff"),
        ("set-cookie", ""),
        ("vary", ""),
    ] {
        assert_eq!(shown.header(name), value, "{name}");
    }
    for name in NOT_FOR_VISITORS {
        assert_eq!(shown.header(name), "", "{name}");
    }
    let policies = shown.response.headers().get_all("content-security-policy");
    let policies: Vec<_> = policies
        .iter()
        .map(|policy| policy.to_str().unwrap())
        .collect();
    assert_eq!(policies[0], "img-src 'self'");
    assert!(policies[1].starts_with("sandbox ") && !policies[1].contains("same-origin"));
    server.counters_with("", 1);
}

#[test]
fn bytes_arrive_while_others_are_still_to_come() {
    let (go_on, waits) = mpsc::channel::<()>();
    let waits = std::sync::Mutex::new(waits);
    let origin = Outsider::start_with(move |_, stream| {
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\nfirst")
            .unwrap();
        waits.lock().unwrap().recv().unwrap();
        stream.write_all(b"last").unwrap();
    });
    let server = proxying();
    proxied(&server, "slow", &origin.url("/"));
    let mut visitor = dial(&server);
    visitor
        .write_all(b"GET /slow HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    let head = hear(&mut visitor, "first\r\n");
    assert!(head.contains("transfer-encoding: chunked"), "{head}");
    assert!(
        head.contains("content-security-policy: sandbox "),
        "browsers alone know what they take for a document: {head}"
    );
    go_on.send(()).unwrap();
    hear(&mut visitor, "4\r\nlast\r\n0\r\n\r\n");
}

#[test]
fn what_visitors_send_arrives_while_they_send_it() {
    let (said, parts) = mpsc::channel();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut stream = listener.accept().unwrap().0;
        said.send(hear(&mut stream, "first")).unwrap();
        said.send(hear(&mut stream, "last")).unwrap();
        stream
            .write_all(answer("201 Created", "thanks").as_bytes())
            .unwrap();
    });
    let server = proxying();
    proxied(&server, "inbox", &url);
    let mut visitor = dial(&server);
    let begin = b"PUT /inbox HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nfirst";
    visitor.write_all(begin).unwrap();
    let head = parts.recv_timeout(Duration::from_secs(30)).unwrap();
    assert!(head.starts_with("PUT / HTTP/1.1\r\n"), "{head}");
    assert!(head.contains("content-length: 9\r\n"), "{head}");
    visitor.write_all(b"last").unwrap();
    parts.recv_timeout(Duration::from_secs(30)).unwrap();
    assert!(hear(&mut visitor, "thanks").starts_with("HTTP/1.1 201 Created\r\n"));
}

#[test]
fn large_bodies_pass_both_ways_and_a_head_alone_keeps_its_length() {
    let origin = Outsider::start(|heard| {
        if heard.line.starts_with("HEAD") {
            "HTTP/1.1 200 OK\r\ncontent-length: 12345\r\n\r\n".to_owned()
        } else {
            answer("200 OK", &String::from_utf8_lossy(&heard.body))
        }
    });
    let server = proxying();
    proxied(&server, "echo", &origin.url("/"));
    let large = "0123456789abcdef".repeat(512 << 10);
    let echoed = server.request("POST", "/echo").body(&large).send().is(200);
    assert!(
        echoed.text == large,
        "{} bytes of {}",
        echoed.text.len(),
        large.len()
    );
    let head = server.request("HEAD", "/echo").send();
    assert_eq!((head.status, head.header("content-length")), (200, "12345"));
    assert_eq!(head.text, "");
    assert!(origin.heard()[1].line.starts_with("HEAD / "));
}

#[test]
fn behind_a_gate_a_form_becomes_a_plain_get_and_nothing_is_remembered() {
    let origin = Outsider::start(|heard| {
        let body = format!("{} {}", heard.line, heard.body.len());
        format!(
            "HTTP/1.1 200 OK\r\ncache-control: public, max-age=9\r\ncdn-cache-control: max-age=9\r\n\
             expires: Thu, 01 Dec 2094 16:00:00 GMT\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
    });
    let server = proxying();
    server.create(&json!({
        "slug": "locked", "url": origin.url("/in"), "proxy": true, "password": "hunter2",
    }));
    assert!(server.visit("/locked").text.contains("Password Required"));
    assert!(origin.heard().is_empty());
    let form = server
        .request("POST", "/locked")
        .header("content-type", "application/x-www-form-urlencoded")
        .body("password=hunter2&confirm=true");
    let shown = form.send();
    assert_eq!(
        (shown.status, shown.text.as_str()),
        (200, "GET /in HTTP/1.1 0")
    );
    assert_eq!(shown.header("cache-control"), "private, no-store");
    assert_eq!(
        (shown.header("cdn-cache-control"), shown.header("expires")),
        ("", "")
    );
    let heard = &origin.heard()[0];
    assert_eq!(
        (heard.header("content-type"), heard.header("content-length")),
        (None, None)
    );

    let by_header = server
        .request("POST", "/locked")
        .header("x-link-password", "hunter2");
    let shown = by_header
        .header("content-type", "text/plain")
        .body("payload")
        .send();
    assert_eq!(shown.text, "POST /in HTTP/1.1 7");
    let heard = &origin.heard()[1];
    assert_eq!(heard.header("x-link-password"), None);
    assert_eq!(
        (heard.header("content-type"), heard.body.as_slice()),
        (Some("text/plain"), &b"payload"[..])
    );

    server
        .create(&json!({"slug": "risky", "url": origin.url("/r"), "proxy": true, "unsafe": true}));
    let confirmed = server.visit_with("/risky", &[("x-link-confirm", "true")]);
    assert_eq!(confirmed.text, "GET /r HTTP/1.1 0");
    assert_eq!(confirmed.header("cache-control"), "private, no-store");
    server.counters_with("", 3);
}

#[test]
fn where_the_service_must_not_go_it_does_not_go_by_proxy_either() {
    let inside = TcpListener::bind("127.0.0.1:0").unwrap();
    inside.set_nonblocking(true).unwrap();
    let port = inside.local_addr().unwrap().port();
    let server = Server::start_with(&[ON]);
    for (slug, url) in [
        ("address", format!("http://127.0.0.1:{port}/")),
        ("disguise", format!("http://0x7f.1:{port}/")),
        ("name", format!("http://localhost:{port}/")),
        (
            "metadata",
            "http://169.254.169.254/latest/meta-data/".to_owned(),
        ),
        ("port", "http://example.com:25/".to_owned()),
        ("user", "http://me:secret@example.com/".to_owned()),
    ] {
        proxied(&server, slug, &url);
        let refused = server.visit(&format!("/{slug}")).is(403);
        let problem = refused.json();
        assert_eq!(problem["statusMessage"], "Proxy target is not allowed");
        assert_eq!(problem["code"], "proxy_target_not_allowed");
    }
    let nobody_came = inside.accept().unwrap_err();
    assert_eq!(nobody_came.kind(), ErrorKind::WouldBlock);

    // The first hop is allowed, the second is not.
    let server = proxying();
    let outside = Outsider::start(|_| {
        "HTTP/1.1 302 Found\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n"
            .to_owned()
    });
    proxied(&server, "hop", &outside.url("/"));
    assert_eq!(server.visit("/hop").status, 403);
}

#[test]
fn redirects_are_followed_unless_something_was_sent() {
    let origin = Outsider::start(|heard| {
        if heard.line.contains("/dir/old") {
            "HTTP/1.1 302 Found\r\nlocation: new?x=1\r\ncontent-length: 0\r\n\r\n".to_owned()
        } else {
            answer("200 OK", "the new page")
        }
    });
    let server = proxying();
    proxied(&server, "moved", &origin.url("/dir/old"));
    assert_eq!(server.visit("/moved").text, "the new page");
    let sent = server.request("POST", "/moved").body("data").send();
    // Relative to the destination, not the short link.
    assert_eq!(
        (sent.status, sent.header("location")),
        (302, origin.url("/dir/new?x=1").as_str())
    );
}

#[test]
fn an_origin_that_fails_is_a_bad_gateway_and_one_that_dies_leaves_a_torn_answer() {
    let closed = ClosedPort::new();
    let server = proxying();
    proxied(&server, "closed", &format!("http://{}/", closed.address()));
    let failed = server.visit("/closed");
    assert_eq!(
        (failed.status, &failed.json()["statusMessage"]),
        (502, &json!("Proxy request failed"))
    );
    let page = server
        .visit_with("/closed", &[("accept", "text/html")])
        .is(502);
    assert!(page.text.contains("Something went wrong"), "{}", page.text);

    for head in ["content-length: 100", "transfer-encoding: chunked"] {
        let origin = Outsider::start_with(move |_, stream| {
            let half = format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\n4\r\nhalf\r\n");
            stream.write_all(half.as_bytes()).unwrap();
        });
        let slug = head.split('-').next().unwrap();
        proxied(&server, slug, &origin.url("/"));
        let mut visitor = dial(&server);
        write!(visitor, "GET /{slug} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
        let mut seen = Vec::new();
        let _ = visitor.read_to_end(&mut seen);
        let seen = String::from_utf8(seen).unwrap();
        assert!(
            seen.contains("half") && !seen.ends_with("0\r\n\r\n"),
            "{seen}"
        );
    }
}

#[test]
fn proxied_links_that_lead_to_each_other_come_to_an_end() {
    let server = proxying();
    proxied(&server, "here", &format!("{}/there", server.origin()));
    proxied(&server, "there", &format!("{}/here", server.origin()));
    assert_eq!(server.visit("/here").status, 502);
    // The fourth request is refused.
    server.counters_with("", 3);
}

#[test]
fn a_visitor_who_leaves_ends_the_request_to_the_origin() {
    let (left, leaves) = mpsc::channel();
    let origin = Outsider::start_with(move |_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nbegun").unwrap();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
        left.send(()).unwrap();
    });
    let server = proxying();
    proxied(&server, "endless", &origin.url("/"));
    let mut visitor = dial(&server);
    visitor
        .write_all(b"GET /endless HTTP/1.1\r\nhost: x\r\n\r\n")
        .unwrap();
    hear(&mut visitor, "begun");
    drop(visitor);
    leaves.recv_timeout(Duration::from_secs(30)).unwrap();
}

#[test]
fn without_the_setting_links_redirect_or_are_framed() {
    let server = Server::start();
    server.create(&json!({"slug": "plain", "url": "https://example.com/", "proxy": true}));
    let visit = server.visit("/plain");
    assert_eq!(
        (visit.status, visit.header("location")),
        (301, "https://example.com/")
    );
    proxied(&server, "framed", "https://example.com/");
    assert!(server.visit("/framed").text.contains("<iframe"));
    eventually("two visits", || {
        server.counters_with("", 2)["data"][0]["visits"] == 2
    });
}

#[test]
fn answers_are_remembered_no_longer_than_redirects() {
    let origin = Outsider::start(|_| {
        "HTTP/1.1 200 OK\r\ncache-control: public, max-age=31536000, immutable\r\n\
         cdn-cache-control: max-age=31536000\r\nexpires: Thu, 01 Dec 2094 16:00:00 GMT\r\n\
         age: 1\r\npragma: cache\r\ncontent-length: 2\r\n\r\nok"
            .to_owned()
    });
    let server = proxying();
    proxied(&server, "page", &origin.url("/"));
    let shown = server.visit("/page");
    assert_eq!(shown.header("cache-control"), "private, max-age=90");
    for name in ["cdn-cache-control", "expires", "age", "pragma"] {
        assert_eq!(shown.header(name), "", "{name}");
    }
    let strict = [ON, LOOPBACK, ("SLUGLINE_REDIRECT_NO_STORE", "true")];
    let server = Server::start_with(&strict);
    proxied(&server, "page", &origin.url("/"));
    assert_eq!(server.visit("/page").header("cache-control"), "no-store");
}

#[test]
fn an_origin_that_switches_protocols_gets_no_tunnel() {
    let origin = Outsider::start_with(|_, stream| {
        let switch =
            "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n";
        stream.write_all(switch.as_bytes()).unwrap();
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
    });
    let server = proxying();
    proxied(&server, "tunnel", &origin.url("/"));
    let asking = server
        .request("GET", "/tunnel")
        .header("connection", "upgrade")
        .header("upgrade", "x");
    asking.send().is(502);
    assert_eq!(origin.heard()[0].header("upgrade"), None);
}

#[test]
fn the_script_of_a_service_worker_is_not_served() {
    let origin = Outsider::start(|_| answer("200 OK", "self.onfetch = steal"));
    let server = proxying();
    proxied(&server, "sw", &origin.url("/sw.js"));
    let asked = server
        .request("GET", "/sw")
        .header("service-worker", "script");
    let refused = asked.send().is(403);
    assert_eq!(refused.json()["code"], "service_worker_not_served");
    assert!(origin.heard().is_empty());
    assert_eq!(server.visit("/sw").status, 200);
}

/// An origin that begins its answer and then waits until the test ends.
fn origin_that_stops() -> (Outsider, mpsc::Sender<()>) {
    let (ends, waits) = mpsc::channel::<()>();
    let waits = std::sync::Mutex::new(waits);
    let origin = Outsider::start_with(move |heard, stream| {
        if heard.line.contains("/whole") {
            let _ = stream.write_all(answer("200 OK", "whole").as_bytes());
            return;
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nbegun");
        let _ = waits.lock().unwrap().recv();
    });
    (origin, ends)
}

fn ask(server: &Server, path: &str) -> TcpStream {
    let mut visitor = dial(server);
    write!(visitor, "GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").unwrap();
    visitor
}

#[test]
fn a_client_with_many_proxied_requests_is_told_to_come_back() {
    let all = [ON, LOOPBACK, ("SLUGLINE_PROXY_REQUESTS", "2")];
    for (settings, requests) in [(&all[..2], 32), (&all[..], 2)] {
        let (origin, ends) = origin_that_stops();
        let server = Server::start_with(settings);
        proxied(&server, "slow", &origin.url("/"));
        proxied(&server, "quick", &origin.url("/whole"));
        let mut waiting: Vec<_> = (0..requests).map(|_| ask(&server, "/slow")).collect();
        for visitor in &mut waiting {
            hear(visitor, "begun\r\n");
        }
        let refused = server.visit("/quick").is(503);
        assert_eq!(refused.header("retry-after"), "5");
        assert_eq!(refused.json()["code"], "proxy_busy");
        drop(ends);
        eventually("slots are free when the answers have ended", || {
            server.visit("/quick").status == 200
        });
    }
}

#[test]
fn a_request_without_a_byte_for_long_ends_whoever_is_slow() {
    let (origin, _ends) = origin_that_stops();
    let flood = Outsider::start_with(|_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
        while stream.write_all(&[b'x'; 4096]).is_ok() {}
    });
    let (heard, parts) = mpsc::channel();
    let swallows = TcpListener::bind("127.0.0.1:0").unwrap();
    let swallowing = format!("http://{}/", swallows.local_addr().unwrap());
    std::thread::spawn(move || {
        let mut stream = swallows.accept().unwrap().0;
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        heard.send(all).unwrap();
    });
    let server = Server::start_with(&[
        ON,
        LOOPBACK,
        ("SLUGLINE_PROXY_IDLE_TIMEOUT", "1"),
        ("SLUGLINE_PROXY_REQUESTS", "1"),
    ]);
    proxied(&server, "slow", &origin.url("/"));
    proxied(&server, "quick", &origin.url("/whole"));
    proxied(&server, "flood", &flood.url("/"));
    proxied(&server, "inbox", &swallowing);

    let mut visitor = ask(&server, "/slow");
    let mut seen = Vec::new();
    let ended = visitor.read_to_end(&mut seen);
    let ours = ended.is_err_and(|error| error.kind() == ErrorKind::WouldBlock);
    assert!(!ours, "the server ends it, not the visitor's own timeout");
    let seen = String::from_utf8(seen).unwrap();
    assert!(
        seen.contains("begun") && !seen.ends_with("0\r\n\r\n"),
        "{seen}"
    );

    // Reads only the head, and keeps the connection open.
    let mut lazy = None;
    eventually("the flood has the one slot", || {
        // 503 until the last request has ended.
        let visitor = lazy.insert(ask(&server, "/flood"));
        hear(visitor, "\r\n\r\n").starts_with("HTTP/1.1 200")
    });
    eventually("a visitor who does not read gives it back", || {
        server.visit("/quick").status == 200
    });

    let begin = b"POST /inbox HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\nfirst";
    eventually("a visitor who stops sending gets an answer", || {
        let mut sender = dial(&server);
        sender.write_all(begin).unwrap();
        // 503 until the last request has ended.
        hear(&mut sender, "\r\n\r\n").starts_with("HTTP/1.1 502")
    });
    let all = parts.recv_timeout(Duration::from_secs(20)).unwrap();
    let all = String::from_utf8(all).unwrap();
    assert!(all.ends_with("first"), "the origin is left alone: {all}");
    eventually("a visitor who stops sending gives the slot back", || {
        server.visit("/quick").status == 200
    });
}

#[test]
fn a_proxied_link_counts_a_visit_only_when_the_destination_is_asked() {
    let origin = Outsider::start(|_| answer("200 OK", "hello"));
    let server = proxying();
    let url = origin.url("/");
    server.create(&json!({"slug": "once", "url": url, "proxy": true, "maxVisits": 1}));
    server
        .visit_with("/once", &[("service-worker", "script")])
        .is(403);
    server.visit_with("/once", &[("x-link-hops", "3")]).is(502);
    let found = server.api("GET", "/api/link/query?slug=once").send();
    assert_eq!(found.json()["visitsLeft"], 1);
    for method in ["HEAD", "OPTIONS"] {
        let asked = server.request(method, "/once").send().is(200);
        assert!(!asked.text.contains("hello"), "{method}");
    }
    // Other methods of a proxied link are the destination's to answer.
    let put = server.request("PUT", "/once").send();
    assert_eq!((put.status, put.text.as_str()), (200, "hello"));
    assert_eq!(server.visit("/once").status, 410);
}
