//! Tokens and the site token from the command line, beside a running service.

use std::{fs, process::Output};

use serde_json::json;

use super::{listed, make, status_of, verify};
use crate::support::server::{Server, TOKEN, command, eventually};

fn run(server: &Server, arguments: &[&str]) -> Output {
    command(server.folder()).args(arguments).output().unwrap()
}

/// The output of a command, which must succeed.
#[track_caller]
fn printed(server: &Server, arguments: &[&str]) -> String {
    let output = run(server, arguments);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn tokens_are_added_listed_and_revoked_beside_a_running_service() {
    let server = Server::start();
    let add = [
        "token",
        "add",
        "ci bot",
        "--scope",
        "links:read,links:write",
        "--scope",
        "analytics:read",
        "--expires",
        "2100-01-01",
    ];
    let printed_token = printed(&server, &add);
    let token = printed_token.trim();
    assert_eq!(printed_token.lines().count(), 1, "the token alone");
    let own = verify(&server, token).json();
    let own = [&own["tokenName"], &own["authMethod"]];
    assert_eq!(own, ["ci bot", "token"]);
    let shown = listed(&server, "ci bot");
    assert_eq!(shown["expiresAt"], 4_102_444_800i64);
    assert_eq!(
        shown["scopes"],
        json!(["links:read", "links:write", "analytics:read"])
    );
    make(&server, "other", &["admin"]);
    let list = printed(&server, &["token", "list"]);
    let lines: Vec<&str> = list.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(
        lines[0].starts_with("links:read,links:write,analytics:read  all links  made 20"),
        "{list}"
    );
    assert!(
        lines[0].contains("  ends 2100-01-01T00:00:00.000Z  ") && lines[0].ends_with("  ci bot")
    );
    assert!(
        lines[1].contains("  ends never  last used never  other"),
        "{list}"
    );
    assert_eq!(
        printed(&server, &["token", "revoke", "ci bot"]),
        "revoked \"ci bot\"\n"
    );
    assert_eq!(status_of(&server, token), 401);
    for (wrong, says) in [
        (&["token", "revoke", "ci bot"][..], "no token has the name"),
        (
            &["token", "add", "other", "--scope", "admin"],
            "another token has the name",
        ),
        (
            &["token", "add", "site", "--scope", "admin"],
            "names site, operator and service",
        ),
        (
            &["token", "add", "x", "--scope", "admin", "--expires", "soon"],
            "expiresAt",
        ),
        (
            &["token", "add", "x", "--scope", "admin", "--expires", "5"],
            "expiresAt must be",
        ),
    ] {
        let output = run(&server, wrong);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(
            output.stdout.is_empty() && said.contains(says),
            "{wrong:?}: {said}"
        );
    }
    let unknown = run(&server, &["token", "add", "x", "--scope", "everything"]);
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn the_site_token_of_the_folder_is_rotated_without_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let mut start = command(folder.path());
    start.env_remove("SLUGLINE_SITE_TOKEN");
    let server = Server::start_by(start, folder);
    let first = fs::read_to_string(server.folder().join("site-token")).unwrap();
    let first = first.trim();
    assert_eq!(status_of(&server, first), 200);
    let mut rotate = command(server.folder());
    rotate.env_remove("SLUGLINE_SITE_TOKEN");
    let output = rotate.args(["token", "rotate", "--bare"]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let second = String::from_utf8(output.stdout).unwrap();
    let second = second.trim();
    assert!(second.len() == 64 && second != first);
    eventually("the new one is in force", || {
        status_of(&server, second) == 200
    });
    assert_eq!(status_of(&server, first), 401);
    // A file that holds no token changes nothing.
    fs::write(server.folder().join("site-token"), "short").unwrap();
    fs::write(server.folder().join("site-token"), format!("{first}\n")).unwrap();
    eventually("the first one is in force again", || {
        status_of(&server, first) == 200
    });
}

#[test]
fn a_site_token_in_a_file_of_the_operator_is_read_again() {
    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("secret");
    fs::write(&file, "the-first-site-token\n").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut start = command(folder.path());
    start
        .env_remove("SLUGLINE_SITE_TOKEN")
        .env("SLUGLINE_SITE_TOKEN_FILE", &file);
    let server = Server::start_by(start, folder);
    assert_eq!(status_of(&server, "the-first-site-token"), 200);
    fs::write(&file, "the-second-site-token\n").unwrap();
    eventually("the second one is in force", || {
        status_of(&server, "the-second-site-token") == 200
    });
    assert_eq!(status_of(&server, "the-first-site-token"), 401);
    let refused = run(&server, &["token", "rotate"]);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert!(
        said.contains("SLUGLINE_SITE_TOKEN gives it: change it there"),
        "{said}"
    );
    assert!(!said.contains(TOKEN), "{said}");
}
