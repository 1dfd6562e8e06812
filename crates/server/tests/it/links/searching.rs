//! Finding and counting links through REST.

use serde_json::{Value, json};

use crate::{mcp::wire::call_tool, support::server::Server};

fn get(server: &Server, path: &str) -> Value {
    server.get(path).is(200).json()
}

#[test]
fn links_are_found_by_text_and_by_destination_and_counted_alike() {
    let server = Server::start();
    for link in [
        json!({"url": "https://news.example/a?utm=1#x", "slug": "alpha", "tags": ["z", "News"], "comment": "Über\u{0} uns"}),
        json!({"url": "https://news.example/b", "slug": "beta", "tags": ["news"]}),
        json!({"url": "https://other.example/", "slug": "gamma", "password": "pw"}),
    ] {
        server.create(&link);
    }
    let alpha = json!({"slug": "alpha", "url": "https://news.example/a?utm=1#x", "tags": ["news", "z"], "comment": "Über uns"});
    let beta = json!({"slug": "beta", "url": "https://news.example/b", "tags": ["news"]});
    for (query, expected) in [
        ("q=NEWS", json!([alpha, beta])),
        ("q=news&limit=1", json!([alpha])),
        ("q=%C3%9Cber", json!([alpha])),
        ("q=e&tag=news", json!([alpha, beta])),
        ("q=a%00lpha", json!([alpha])),
        (
            "url=https%3A%2F%2Fnews.example%2Fa%3Fother%23x",
            json!([alpha]),
        ),
        ("q=nothing-like-it", json!([])),
        ("q=", json!([])),
        ("", json!([])),
        ("tag=news", json!([])),
    ] {
        assert_eq!(
            get(&server, &format!("/api/link/search?{query}")),
            expected,
            "{query}"
        );
    }
    for (query, told) in [
        ("", true),
        ("tag=news&status=all", true),
        ("q=nothing-like-it", false),
    ] {
        let answer = server.get(&format!("/api/link/search?{query}")).is(200);
        let header = answer.header("slugline-note");
        assert_eq!(
            header.starts_with("nothing was looked for"),
            told,
            "{query}"
        );
    }
    let by_agent = |arguments: &Value| {
        let answer = call_tool(&server, "search_links", arguments)["structuredContent"].clone();
        assert_eq!(answer["links"], json!([]));
        answer["note"].clone()
    };
    let note = by_agent(&json!({"tag": "news"}));
    assert!(note.as_str().unwrap().contains("give q or url"), "{note}");
    assert_eq!(by_agent(&json!({"q": "nothing-like-it"})), Value::Null);
    let posted = server
        .api("POST", "/api/link/search")
        .json(&json!({"url": "https://news.example/b?x"}));
    assert_eq!(posted.send().json(), json!([beta]));
    for (query, count) in [
        ("", 3),
        ("q=news", 2),
        ("tag=NEWS", 2),
        ("status=expired", 0),
        ("q=", 3),
    ] {
        let expected = json!({"count": count});
        assert_eq!(
            get(&server, &format!("/api/link/count?{query}")),
            expected,
            "{query}"
        );
    }
    let tags = json!([{"name": "news", "count": 2}, {"name": "z", "count": 1}]);
    assert_eq!(get(&server, "/api/link/tags"), tags);
}
