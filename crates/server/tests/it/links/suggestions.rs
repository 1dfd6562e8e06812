//! Suggestions of slugs and previews, with and without a language model.

use std::net::TcpListener;

use serde_json::json;

use crate::support::{
    outsider::{Outsider, answer},
    server::Server,
};

#[test]
fn without_a_model_suggestions_follow_from_the_destination() {
    let server = Server::start();
    let slug = |query: &str| {
        let answer = server.api("GET", &format!("/api/link/ai?{query}")).send();
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()
    };
    // The form in which Sink's browser extension sends it.
    let raw = "url=https://example.com/Blog/My_Post?a=1&b=2&url=x";
    assert_eq!(slug(raw), json!({"slug": "my-post"}));
    assert_eq!(
        slug("url=https%3A%2F%2Fexample.com"),
        json!({"slug": "example-com"})
    );

    let preview = server
        .api("GET", "/api/link/og-ai?url=https://www.example.com/a")
        .send();
    assert_eq!(
        preview.json(),
        json!({
            "title": "example.com",
            "description": "This link leads to https://www.example.com/a",
        })
    );
}

#[test]
fn a_models_words_are_bounded_and_its_failures_are_not_the_callers() {
    let model = Outsider::start(|heard| {
        let asked: serde_json::Value = serde_json::from_slice(&heard.body).unwrap();
        let question = asked["messages"][1]["content"].as_str().unwrap();
        if question.contains("broken") {
            return answer("500 Oops", "");
        }
        let said = if question.contains("Language of the answer: fr-CA") {
            json!({"title": "Un\ntitre", "description": "d".repeat(9_000)})
        } else {
            json!({"slug": "</script> Rust Book"})
        };
        let said = json!({"choices": [{"message": {"content": said.to_string()}}]});
        answer("200 OK", &said.to_string())
    });
    let server = Server::start_with(&[
        ("NUXT_AI_BASE_URL", &model.url("/v1")),
        ("SLUGLINE_AI_API_KEY", "sk-1"),
        ("NUXT_AI_MODEL", "small"),
        ("SLUGLINE_AI_PROMPT", "Slugs match {slugRegex}."),
    ]);
    let inside = TcpListener::bind("127.0.0.1:0").unwrap();
    inside.set_nonblocking(true).unwrap();
    let inner = format!("http://{}/", inside.local_addr().unwrap());
    let path = format!("/api/link/ai?url={inner}");
    assert_eq!(
        server.api("GET", &path).send().json(),
        json!({"slug": "script-rust-book"})
    );
    assert!(
        inside.accept().is_err(),
        "an inner page is not read for the model"
    );
    let heard = &model.heard()[0];
    assert_eq!(heard.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(heard.header("authorization"), Some("Bearer sk-1"));
    let asked = String::from_utf8_lossy(&heard.body);
    assert!(
        asked.contains("Slugs match ^[A-Za-z0-9][A-Za-z0-9_]*"),
        "{asked}"
    );

    let path = format!("/api/link/og-ai?url={inner}");
    let french = server
        .api("GET", &path)
        .header("accept-language", "fr-CA, en;q=0.5");
    let preview = french.send().json();
    assert_eq!(preview["title"], "Un titre");
    assert_eq!(preview["description"].as_str().unwrap().len(), 2048);

    let broken = server
        .api("GET", "/api/link/ai?url=http://127.0.0.1:9/broken")
        .send();
    assert_eq!(
        (broken.status, broken.json()),
        (200, json!({"slug": "broken"}))
    );
}

#[test]
fn bad_input_is_named() {
    let server = Server::start();
    for (path, member) in [
        ("/api/link/ai", "url"),
        ("/api/link/ai?url=example.com", "url"),
        ("/api/link/og-ai?url=javascript:alert(1)", "url"),
        (
            "/api/link/og-ai?url=https://e.example/&locale=en%0Aus",
            "locale",
        ),
    ] {
        let refused = server.api("GET", path).send();
        assert_eq!(refused.status, 400, "{path}: {}", refused.text);
        assert_eq!(refused.json()["data"]["issues"][0]["path"], json!([member]));
    }
    let stranger = server.visit("/api/link/ai?url=https://e.example/");
    assert_eq!(stranger.status, 401);
}
