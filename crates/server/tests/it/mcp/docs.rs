//! Compares `docs/mcp.md` and `server.json` with the service.

use serde_json::Value;

const GUIDE: &str = include_str!("../../../../../docs/mcp.md");
const LISTING: &str = include_str!("../../../../../server.json");

#[test]
fn the_guide_names_every_tool() {
    for tool in slugline_mcp::Server::tool_names() {
        assert!(GUIDE.contains(&format!("| `{tool}` |")), "{tool}");
    }
}

#[test]
fn snippets_of_the_guide_are_json() {
    let snippets: Vec<&str> = GUIDE
        .split("```json\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(snippets.len(), 3);
    for snippet in snippets {
        let parsed: Result<Value, _> = serde_json::from_str(snippet);
        assert!(parsed.is_ok(), "{parsed:?}: {snippet}");
    }
}

/// Uses the limits of the registry's schema of 2025-12-11.
#[test]
fn the_registry_would_take_the_listing() {
    let listing: Value = serde_json::from_str(LISTING).unwrap();
    let text = |member: &str| listing[member].as_str().unwrap();
    assert!(text("name").contains('/'));
    for (member, max) in [("title", 100), ("description", 100), ("version", 255)] {
        assert!(
            (1..=max).contains(&text(member).chars().count()),
            "{member}"
        );
    }
    assert_eq!(text("version"), slugline::VERSION);
    let remote = &listing["remotes"][0];
    assert_eq!(remote["type"], "streamable-http");
    let url = remote["url"].as_str().unwrap();
    assert_eq!(
        url.replace("{host}", "sl.example"),
        format!("https://sl.example{}", slugline_mcp::PATH)
    );
    assert_eq!(remote["variables"]["host"]["isRequired"], true);
    // Applications sign in, and no secret is demanded.
    assert!(remote.get("headers").is_none());
    let package = &listing["packages"][0];
    let image = package["identifier"].as_str().unwrap();
    assert!(image.ends_with(&format!(":{}", slugline::VERSION)));
    assert_eq!(package["packageArguments"][0]["value"], "mcp");
    let token = &package["environmentVariables"][0];
    assert_eq!(token["name"], "SLUGLINE_SITE_TOKEN");
    assert_eq!(
        (&token["isRequired"], &token["isSecret"]),
        (&false.into(), &true.into())
    );
}
