//! Links in the order of their visits, by REST and MCP.

use serde_json::{Value, json};

use crate::{mcp::wire::call_tool, support::server::Server};

fn rows(page: &Value) -> Vec<(&str, u64)> {
    let links = page["links"].as_array().unwrap().iter();
    links
        .map(|link| {
            let slug = link["slug"].as_str().unwrap();
            (slug, link["visits"].as_u64().unwrap())
        })
        .collect()
}

#[test]
fn followed_links_come_first_by_rest_and_by_tool() {
    let server = Server::start();
    for (slug, tag) in [
        ("seldom", "a"),
        ("often", "a"),
        ("never", "b"),
        ("new", "a"),
    ] {
        server.create(&json!({"url": "https://example.com/", "slug": slug, "tags": [tag]}));
    }
    for slug in ["often", "seldom", "often", "new", "often", "new"] {
        server.visit(&format!("/{slug}")).is(301);
    }
    server.counters_with("", 6);
    let all = [("often", 3), ("new", 2), ("seldom", 1), ("never", 0)];
    let page = server.get("/api/link/list?sort=visits").is(200).json();
    assert_eq!(rows(&page), all);
    assert_eq!(page["ranking"]["sampling"]["exact"], true);
    assert!(page["links"][0]["createdAt"].is_u64());

    let input = json!({"sort": "visits", "slugs": "never,seldom,often,unknown", "q": "e"});
    let told = call_tool(&server, "list_links", &input);
    let told = &told["structuredContent"];
    assert_eq!(rows(told), [all[0], all[2], all[3]], "{told}");
    assert_eq!(told["links"][0].get("createdAt"), None);
    let refused = call_tool(&server, "list_links", &json!({"startAt": 5}));
    assert_eq!(refused["isError"], true);
    let text = refused["content"][0]["text"].as_str().unwrap();
    assert!(
        text.contains("startAt") && text.contains("sort=visits"),
        "{text}"
    );
}
