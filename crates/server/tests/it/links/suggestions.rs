//! Suggestions of slugs and previews.

use serde_json::json;

use crate::support::server::shared;

#[test]
fn suggestions_follow_from_the_destination() {
    let server = shared();
    let slug = |query: &str| {
        let answer = server.get(&format!("/api/link/ai?{query}")).is(200);
        answer.json()
    };
    // The form in which Sink's browser extension sends it.
    let raw = "url=https://example.com/Blog/My_Post?a=1&b=2&url=x";
    assert_eq!(slug(raw), json!({"slug": "my-post"}));
    assert_eq!(
        slug("url=https%3A%2F%2Fexample.com"),
        json!({"slug": "example-com"})
    );

    let preview = server.get("/api/link/og-ai?url=https://www.example.com/a");
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
    let server = shared();
    for (path, member) in [
        ("/api/link/ai", "url"),
        ("/api/link/ai?url=example.com", "url"),
        ("/api/link/og-ai?url=javascript:alert(1)", "url"),
        (
            "/api/link/og-ai?url=https://e.example/&locale=en%0Aus",
            "locale",
        ),
    ] {
        assert_eq!(server.get(path).is(400).fault(), member);
    }
    server.visit("/api/link/ai?url=https://e.example/").is(401);
}
