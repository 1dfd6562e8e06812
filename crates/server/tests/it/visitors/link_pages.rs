//! Links that answer with a page: a preview for bots, a frame for people.

use serde_json::json;

use crate::support::server::{Answer, Server};

const BOT: &str = "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)";

fn visit_as(server: &Server, user_agent: &str, path: &str) -> Answer {
    server.visit_with(path, &[("user-agent", user_agent)])
}

#[test]
fn a_bot_sees_the_preview_and_people_are_redirected() {
    let server = Server::start();
    server.create(&json!({
        "url": "https://example.com/a?b=c", "slug": "docs", "title": "The docs",
        "image": "/_assets/a.png", "redirectWithQuery": true, "apple": "https://apple.example/",
    }));
    let shown = visit_as(&server, BOT, "/docs?d=e").is(200);
    assert_eq!(shown.header("content-type"), "text/html; charset=utf-8");
    assert!(shown.header("cache-control").contains("no-store"));
    for part in [
        format!(r#"property="og:url" content="{}/docs""#, server.origin()),
        format!(
            r#"property="og:image" content="{}/_assets/a.png""#,
            server.origin()
        ),
        r#"property="og:title" content="The docs""#.to_owned(),
        r#"name="twitter:card" content="summary_large_image""#.to_owned(),
        r#"content="1;url=https://example.com/a?b=c&#38;d=e""#.to_owned(),
        r#"<a href="https://example.com/a?b=c&#38;d=e">"#.to_owned(),
    ] {
        assert!(shown.text.contains(&part), "{part}: {}", shown.text);
    }
    assert_eq!(visit_as(&server, "Firefox", "/docs").status, 301);
    let device = visit_as(&server, "WhatsApp/2 iPhone", "/docs");
    assert_eq!(
        (device.status, device.header("location")),
        (301, "https://apple.example/")
    );
    let head = server
        .request("HEAD", "/docs")
        .header("user-agent", BOT)
        .send();
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    server.counters_with("slug=docs", 3);
}

#[test]
fn a_cloaked_link_shows_its_destination_in_a_frame() {
    let server = Server::start_with(&[("SLUGLINE_ALLOWED_SCHEMES", "mailto")]);
    server.create(
        &json!({"url": "https://example.com/app?a=1&b=2", "slug": "app", "cloaking": true}),
    );
    server.create(&json!({"url": "mailto:a@example.com", "slug": "mail", "cloaking": true}));
    let framed = server.visit("/app").is(200);
    assert_eq!(framed.header("cache-control"), "no-store, private");
    let policy = framed.header("content-security-policy");
    assert!(
        policy.contains("default-src 'none'") && policy.contains("frame-src http: https:"),
        "{policy}"
    );
    for part in [
        r#"<iframe src="https://example.com/app?a=1&#38;b=2" title="example.com""#,
        r#"referrerpolicy="no-referrer""#,
        "sandbox=\"allow-scripts allow-same-origin allow-forms allow-popups \
         allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation allow-downloads \
         allow-modals\"",
    ] {
        assert!(framed.text.contains(part), "{part}: {}", framed.text);
    }
    assert_eq!(server.request("HEAD", "/app").send().text, "");
    let mail = server.visit("/mail");
    assert_eq!(
        (mail.status, mail.header("location")),
        (301, "mailto:a@example.com"),
        "a program cannot be framed"
    );
    server.counters_with("slug=app", 1);
}

#[test]
fn gates_come_before_pages_and_do_not_count() {
    let server = Server::start();
    server.create(&json!({
        "url": "https://example.com/secret", "slug": "vault", "title": "Hidden title",
        "password": "letmein", "unsafe": true, "cloaking": true,
    }));
    let asked = visit_as(&server, BOT, "/vault");
    assert!(asked.text.contains("Password Required"));
    assert!(!asked.text.contains("Hidden title") && !asked.text.contains("example.com"));
    let through = |confirm: &str| {
        server
            .request("GET", "/vault")
            .header("user-agent", BOT)
            .header("x-link-password", "letmein")
            .header("x-link-confirm", confirm)
            .send()
    };
    assert_eq!(through("false").status, 403);
    let shown = through("true").is(200);
    assert!(shown.text.contains("Hidden title") && shown.text.contains("http-equiv=\"refresh\""));
    let posted = server
        .request("POST", "/vault")
        .body("password=letmein&confirm=true")
        .send()
        .is(200);
    posted.says("<iframe src=\"https://example.com/secret\"");
    server.counters_with("slug=vault", 2);
}
