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
    let refused = ask_for(&server, "ѕіте").is(400);
    assert_eq!(refused.fault(), "name");
    let allowed = "letters and digits of any language";
    refused.says(allowed);
    make(&server, "ci", &["links:read"]);
    let alike = ask_for(&server, "сі").refuses(409, "token_name_taken");
    alike.says("looks like");
    make(&server, "сборка", &["links:read"]);
}
