//! Texts for models: errors that a model can repair, and texts of strangers.

use serde_json::{Value, json};

use crate::{
    mcp::wire::{answer_of_tool, call_tool},
    support::server::{Server, TOKEN, shared},
};

#[track_caller]
fn error(server: &Server, tool: &str, arguments: &Value) -> String {
    let result = call_tool(server, tool, arguments);
    assert_eq!(result["isError"], true, "{result}");
    assert!(result.get("structuredContent").is_none(), "{result}");
    result["content"][0]["text"].as_str().unwrap().to_owned()
}

#[test]
fn an_error_names_the_member_the_range_and_the_next_step() {
    let server = shared();
    let wrong = json!({"url": "nonsense", "slug": "a b", "tags": ["x".repeat(33)]});
    let text = error(server, "create_link", &wrong);
    for part in [
        "url: URL format is invalid (expected an absolute URL such as https://example.com/)",
        "slug: ",
        "(expected 1 to 2048 letters, digits, '_' and single hyphens",
        "tags.0: tag has 33 characters, at most 32 are allowed",
        "Mend these arguments",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = error(server, "list_links", &json!({"limit": 1001}));
    assert!(
        text.contains("limit: Too big: expected number to be <=1000"),
        "{text}"
    );
    let text = error(server, "get_link", &json!({"slug": "none"}));
    assert!(text.contains("search_links"), "{text}");
    let text = error(server, "list_links", &json!({"cursor": "x"}));
    assert!(text.contains("without cursor"), "{text}");
}

#[test]
fn a_taken_slug_comes_with_one_that_is_free() {
    let server = Server::start();
    let link = |slug: &str| json!({"url": "https://example.com/", "slug": slug});
    for slug in ["docs", "docs-2"] {
        server.create(&link(slug));
    }
    let text = error(&server, "create_link", &link("docs"));
    assert!(text.contains(r#"the slug "docs-3" is free"#), "{text}");
    assert!(text.contains("upsert_link"), "{text}");
    let by_rest = server.post("/api/link/create", &link("docs")).is(409);
    assert_eq!(by_rest.json()["freeSlug"], "docs-3");
    by_rest.says("docs-3\\\" is free");
    let made = call_tool(&server, "create_link", &link("docs-3"));
    assert_eq!(made["isError"], false, "{made}");
    // The error offers no slug if none would fit.
    let long = "a".repeat(2048);
    server.create(&link(&long));
    let text = error(&server, "create_link", &link(&long));
    assert!(text.contains("409") && !text.contains("is free"), "{text}");
}

#[test]
fn errors_hold_nothing_secret_and_end() {
    let server = Server::start();
    let link = json!({"url": "https://example.com/", "slug": "docs", "password": "open sesame"});
    server.create(&link);
    let long = "x".repeat(100_000);
    for (tool, arguments) in [
        ("create_link", link),
        (
            "create_link",
            json!({"url": "https://example.com/", "password": "p".repeat(129)}),
        ),
        ("get_link", json!({"slug": long})),
        (
            "create_link",
            json!({"url": "https://example.com/", "tags": vec![&long; 9]}),
        ),
        ("check_links", json!({long.clone(): 1})),
        ("list_links", json!({"sort": long})),
        ("get_analytics_counters", json!({"startAt": long})),
        (
            "update_link",
            json!({"slug": "docs", "url": "https://example.com/", "password": "__SINK_MASKED__x"}),
        ),
    ] {
        let text = error(&server, tool, &arguments);
        assert!(text.len() < 5_000, "{} bytes", text.len());
        for secret in [
            "sesame", "pppp", "$argon2", TOKEN, "SELECT", ".db", "/tmp", "src/",
        ] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
}

#[test]
fn texts_of_strangers_are_harmless_to_read_and_exact_in_structure() {
    let server = Server::start();
    let hostile = "❤\u{fe0f}a\u{200b}\u{2064}\u{e01ef}\u{202e}b\u{2066}c\u{1b}[31md\u{8}e\u{9b}f\u{200f}g\u{e0041}h\u{7f}i\nj";
    let plain = "❤\u{fe0f}abc[31mdefghi\nj";
    let link = json!({
        "url": "https://example.com/?q=%E2%80%AEx", "slug": "docs",
        "title": hostile, "comment": hostile, "description": hostile, "tags": ["t\u{202e}ag"],
    });
    server.create(&link);
    for (tool, arguments) in [
        ("get_link", json!({"slug": "docs"})),
        ("list_links", json!({})),
        ("search_links", json!({"q": "docs"})),
        ("list_tags", json!({})),
        (
            "upsert_link",
            json!({"slug": "docs", "url": "https://example.com/"}),
        ),
    ] {
        let answer = answer_of_tool(&server, tool, &arguments);
        let result = answer.json()["result"].clone();
        let text = result["content"][0]["text"].as_str().unwrap();
        let hidden = |c: char| {
            c.is_control()
                || matches!(c, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{e0000}'..)
        };
        // A host may show the raw JSON to a model.
        assert!(!answer.text.contains(hidden), "{tool}: {:?}", answer.text);
        assert!(!text.contains(hidden), "{tool}: {text:?}");
        assert!(!text.contains(r"\u00"), "{tool}: {text:?}");
        let read: Value = serde_json::from_str(text).unwrap();
        let exact = &result["structuredContent"];
        assert_ne!(&read, exact, "{tool}");
        if tool == "get_link" {
            assert_eq!(exact["title"], hostile);
            assert_eq!(read["title"], plain);
            assert_eq!(exact["url"], link["url"]);
            assert_eq!(read["url"], link["url"]);
        }
    }
}

#[test]
fn a_text_that_is_too_long_is_cut_and_says_so() {
    let server = Server::start();
    let geo: serde_json::Map<String, Value> =
        ["DE", "FR", "IT", "ES", "PT", "GB", "US", "CN", "JP", "BR"]
            .iter()
            .map(|code| {
                (
                    (*code).to_owned(),
                    json!(format!("https://example.com/?{}", "g".repeat(16_000))),
                )
            })
            .collect();
    server.create(&json!({"url": "https://example.com/", "slug": "wide", "geo": geo}));
    let result = call_tool(&server, "get_link", &json!({"slug": "wide"}));
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.len() < 132_000, "{} bytes", text.len());
    assert!(
        text.ends_with("or for one link]"),
        "{}",
        &text[text.len() - 200..]
    );
    assert_eq!(result["structuredContent"]["geo"], json!(geo));
}
