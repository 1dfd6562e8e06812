//! Named tokens: what each permits, how they are made and end, and the rotation of the site
//! token.

mod bindings; // a bound token sees its links only
mod budgets; // what one token may take of what all share
mod commands; // tokens and the site token from the command line
mod ends; // a token is refused once it is revoked or over
mod scopes; // what each scope permits
pub(crate) mod sign_in; // one-time codes in place of the site token
mod writers; // links:write alone reads nothing

use serde_json::{Value, json};

use crate::support::server::{Answer, Server};

/// Makes a token with these scopes and returns its text.
pub(crate) fn make(server: &Server, name: &str, scopes: &[&str]) -> String {
    let made = server
        .post("/api/tokens", &json!({"name": name, "scopes": scopes}))
        .is(201);
    made.json()["token"].as_str().unwrap().to_owned()
}

/// The status of a request that needs any token.
fn status_of(server: &Server, token: &str) -> u16 {
    verify(server, token).status
}

fn verify(server: &Server, token: &str) -> Answer {
    server.by(token, "GET", "/api/verify").send()
}

/// The listed token with this name; `null` if there is none.
fn listed(server: &Server, name: &str) -> Value {
    let list = server.get("/api/tokens").json();
    let tokens = list["tokens"].as_array().unwrap();
    let found = tokens.iter().find(|token| token["name"] == name);
    found.cloned().unwrap_or_default()
}

fn revoke(server: &Server, name: &str) {
    server.delete(&format!("/api/tokens?name={name}")).is(204);
}
