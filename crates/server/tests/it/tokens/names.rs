//! Names of tokens: none looks like another.

use serde_json::json;

use super::make;
use crate::support::server::{Answer, Server};

fn ask_for(server: &Server, name: &str) -> Answer {
    let wanted = json!({"name": name, "scopes": ["links:read"]});
    server.post("/api/tokens", &wanted)
}

#[test]
fn a_name_that_imitates_another_is_refused() {
    let server = Server::start();
    for name in [
        "site\u{200b}",
        "\u{202e}etis",
        "ѕite",
        "sıte",
        "ѕіте",
        "оperator",
        "a  b",
    ] {
        let refused = ask_for(&server, name);
        assert_eq!(refused.status, 400, "{name:?}: {}", refused.text);
        let issue = &refused.json()["data"]["issues"][0];
        assert_eq!(issue["path"], json!(["name"]), "{}", refused.text);
        assert!(
            issue["expected"]
                .as_str()
                .is_some_and(|expected| expected.contains("letters and digits of any language")),
            "{}",
            refused.text
        );
    }
    make(&server, "ci", &["links:read"]);
    let alike = ask_for(&server, "сі");
    assert_eq!(alike.status, 409, "{}", alike.text);
    assert_eq!(alike.json()["code"], "token_name_taken");
    assert!(alike.text.contains("looks like"), "{}", alike.text);
    make(&server, "сборка", &["links:read"]);
}
