//! Suggestions of slugs and previews.

use serde_json::json;

use crate::support::server::Server;

#[test]
fn suggestions_follow_from_the_destination() {
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
