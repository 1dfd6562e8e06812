//! One-time codes that sign in to the dashboard in place of the site token.

use std::fs;

use serde_json::json;

use super::status_of;
use crate::support::server::{Answer, Server, command};

/// A server whose site token is in its data folder.
pub(crate) fn server_with_kept_token() -> Server {
    let folder = tempfile::tempdir().unwrap();
    let mut start = command(folder.path());
    start.env_remove("SLUGLINE_SITE_TOKEN");
    Server::start_by(start, folder)
}

pub(crate) fn kept_token(server: &Server) -> String {
    let text = fs::read_to_string(server.folder().join("site-token")).unwrap();
    text.trim().to_owned()
}

/// The code in the address that a command of `slugline token` prints.
pub(crate) fn code_by(server: &Server, what: &str) -> String {
    let mut command = command(server.folder());
    command.env_remove("SLUGLINE_SITE_TOKEN");
    let output = command.args(["token", what]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("once, within ten minutes"), "{said}");
    let printed = String::from_utf8(output.stdout).unwrap();
    assert!(!printed.contains(&kept_token(server)), "{printed}");
    let (_, code) = printed.trim().split_once("/_dashboard/#code=").unwrap();
    code.to_owned()
}

fn redeem(server: &Server, code: &str) -> Answer {
    let call = server.request("POST", "/_dashboard/sign-in");
    call.json(&json!({"code": code})).send()
}

#[test]
fn a_printed_code_is_exchanged_for_the_site_token_once() {
    let server = server_with_kept_token();
    let code = code_by(&server, "show");
    let answer = redeem(&server, &code).is(200);
    assert_eq!(answer.json()["token"], kept_token(&server));
    for wrong in [code.as_str(), &"A".repeat(43), "", "%"] {
        let refused = redeem(&server, wrong).is(401);
        assert_eq!(refused.json()["code"], "unauthorized");
        refused.says("slugline token show");
    }
    let missing = server.request("POST", "/_dashboard/sign-in");
    missing.json(&json!({})).send().is(400);
    let files: Vec<_> = fs::read_dir(server.folder())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
        .filter(|name| name.starts_with("sign-in-code-"))
        .collect();
    assert!(files.is_empty(), "{files:?}");
}

#[test]
fn the_code_of_a_rotated_token_signs_in_at_once() {
    let server = server_with_kept_token();
    let former = kept_token(&server);
    let code = code_by(&server, "rotate");
    let token = redeem(&server, &code).json()["token"].clone();
    let token = token.as_str().unwrap();
    assert_eq!(status_of(&server, token), 200);
    assert_eq!(status_of(&server, &former), 401);
}

#[test]
fn a_token_from_the_settings_and_a_public_demonstration_have_no_codes() {
    let kept = server_with_kept_token();
    let code = code_by(&kept, "show");
    let (_, folder) = kept.stop("TERM");
    let from_settings = Server::start_in(folder, &[]);
    redeem(&from_settings, &code).is(401);
    let preview = Server::start_with(&[("SLUGLINE_PUBLIC_PREVIEW_MODE", "true")]);
    let refused = redeem(&preview, &code).is(403);
    assert_eq!(refused.json()["code"], "preview_mode");
}
