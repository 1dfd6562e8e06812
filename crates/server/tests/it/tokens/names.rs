//! Names of tokens: none looks like another, and names of earlier versions can be dealt with.

use std::process::Command;

use serde_json::json;

use super::{listed, make, status_of};
use crate::support::server::{Answer, Server, command};

fn ask_for(server: &Server, name: &str) -> Answer {
    let wanted = json!({"name": name, "scopes": ["links:read"]});
    server.api("POST", "/api/tokens").json(&wanted).send()
}

/// Gives a token a name that earlier versions allowed.
pub(crate) fn rename(server: &Server, name: &str, to: &str) {
    let script = "import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute('UPDATE tokens SET name = ? WHERE name = ?', (sys.argv[3], sys.argv[2]))
db.commit()
db.close()";
    let mut python = Command::new("python3");
    python.args(["-c", script]);
    python
        .arg(server.folder().join("links.db"))
        .args([name, to]);
    assert!(python.status().unwrap().success());
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

#[test]
fn a_token_whose_name_an_earlier_version_allowed_works_and_can_be_revoked() {
    let server = Server::start();
    let run = |arguments: &[&str]| {
        let output = command(server.folder()).args(arguments).output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        assert!(output.status.success(), "{}", text(output.stderr));
        (text(output.stdout), text(output.stderr))
    };
    let first = make(&server, "first", &["links:read"]);
    let second = make(&server, "second", &["links:read"]);
    rename(&server, "first", "site\u{200b}");
    rename(&server, "second", "\u{202e}etis");
    assert_eq!(status_of(&server, &first), 200);
    assert!(listed(&server, "site\u{200b}").is_object());
    let (list, warnings) = run(&["token", "list"]);
    assert!(list.contains(r"  site\u{200b}"), "{list}");
    assert!(!list.contains('\u{202e}'), "{list}");
    assert!(
        warnings.contains(r"The token \u{202e}etis may be taken for another"),
        "{warnings}"
    );
    let (revoked, _) = run(&["token", "revoke", r"site\u{200b}"]);
    assert_eq!(revoked, "revoked \"site\\u{200b}\"\n");
    assert_eq!(status_of(&server, &first), 401);
    super::revoke(&server, "%E2%80%AEetis");
    assert_eq!(status_of(&server, &second), 401);
}
