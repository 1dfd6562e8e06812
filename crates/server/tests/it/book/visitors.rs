//! The pages for visitors are those that `docs/visitor-pages.md` shows.

use serde_json::json;

use super::Page;
use crate::support::server::{Answer, Server};

#[test]
fn pages_for_visitors_are_shown_with_their_words() {
    let server = Server::start();
    for (slug, member, value) in [
        ("vault", "password", json!("letmein")),
        ("odd", "unsafe", json!(true)),
        ("off", "disabled", json!(true)),
        ("soon", "startsAt", json!(4_102_444_800_i64)),
        ("once", "maxVisits", json!(1)),
    ] {
        let mut link = json!({"url": "https://example.com/", "slug": slug});
        link[member] = value;
        server.create(&link);
    }
    server.leads("/once", "https://example.com/");
    server.import_expired("past");
    for path in [
        "/vault", "/odd", "/off", "/soon", "/once", "/past", "/nowhere", "/a/b", "/",
    ] {
        assert_shown(&page(&server, path, ""));
    }
    for _ in 0..10 {
        page(&server, "/vault", "sesame");
    }
    let guessed = page(&server, "/vault", "sesame").is(429);
    assert_shown(&guessed);
}

fn page(server: &Server, path: &str, password: &str) -> Answer {
    let call = server.request("GET", path).header("accept", "text/html");
    match password {
        "" => call.send(),
        _ => call.header("x-link-password", password).send(),
    }
}

#[track_caller]
fn assert_shown(page: &Answer) {
    let guide = Page::read("docs/visitor-pages.md").text;
    let guide: Vec<&str> = guide.split_whitespace().collect();
    let guide = guide.join(" ");
    let within = |tag: &str| {
        let (_, rest) = page.text.split_once(&format!("<{tag}>")).unwrap();
        rest.split("</").next().unwrap().to_owned()
    };
    let head = format!("**{}** ({})", within("h1"), page.status);
    assert!(guide.contains(&head), "{head} is not there");
    assert!(guide.contains(&within("p")), "{} is not there", within("p"));
}
