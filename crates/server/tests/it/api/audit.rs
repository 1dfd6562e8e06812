//! The audit trail of a running service.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    mcp::wire::call_tool,
    support::{
        own_database::OwnDatabase,
        server::{Server, command, eventually},
    },
};

fn lines(server: &Server, query: &str) -> Vec<Value> {
    let answer = server.get(&format!("/api/audit?{query}")).is(200);
    answer.json()["lines"].as_array().unwrap().clone()
}

/// Caller, operation and slug of each line, the oldest first; a dry run is about no link.
fn told(server: &Server) -> Vec<String> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or("-").to_owned();
    let mut told: Vec<String> = lines(server, "limit=1000")
        .iter()
        .map(|line| ["caller", "operation", "slug"].map(|name| text(line, name)))
        .map(|words| words.join(" "))
        .collect();
    told.reverse();
    told
}

#[test]
fn every_change_leaves_a_line_and_what_changes_nothing_leaves_none() {
    let server = Server::start();
    let url = "https://example.com/";
    let docs = json!({"url": url, "slug": "docs"});
    server.post("/api/link/create", &docs).is(201);
    server.post("/api/link/create", &docs).is(409);
    server.post("/api/link/upsert", &docs).is(200);
    let elsewhere = json!({"url": "https://example.org/", "slug": "docs"});
    let patch = json!({"slug": "docs", "comment": "new"});
    for _ in ["changes", "changes nothing"] {
        server.call("PUT", "/api/link/edit", &elsewhere).is(201);
    }
    for _ in ["changes", "changes nothing"] {
        server.call("PATCH", "/api/link/edit", &patch).is(200);
    }
    let update = json!({"slug": "docs", "partial": true, "comment": "new", "tags": []});
    call_tool(&server, "update_link", &update);
    server
        .call(
            "PATCH",
            "/api/link/edit",
            &json!({"slug": "nobody", "comment": "new"}),
        )
        .is(404);
    let import = json!({"version": "1.0", "links": [docs, {"url": url, "slug": "b"}]});
    server.post("/api/link/import", &import).is(200);
    let batch = json!({"action": "addTags", "tags": ["t"], "slugs": ["b", "nobody"]});
    for dry in [true, false, false] {
        let mut batch = batch.clone();
        batch["dryRun"] = json!(dry);
        server.post("/api/link/batch", &batch).is(200);
    }
    call_tool(&server, "create_link", &json!({"url": url, "slug": "c"}));
    for _ in ["changes", "changes nothing"] {
        server.delete_link("docs");
    }
    assert_eq!(
        told(&server),
        [
            "site link.create docs",
            "site link.edit docs",
            "site link.edit docs",
            "site link.import b",
            "site link.edit b",
            "site link.create c",
            "site link.delete docs",
        ]
    );
    let all = lines(&server, "limit=1000");
    let client = all[0]["client"].as_str().unwrap();
    assert_eq!(client.len(), 16, "a hash and no address");
    assert!(all.iter().all(|line| line["client"] == client));
}

#[test]
fn lines_are_filtered_and_paged() {
    let server = Server::start();
    for slug in ["a", "b", "c"] {
        server.create(&json!({"url": "https://example.com/", "slug": slug}));
    }
    server.delete_link("b");
    let count = |query: &str| lines(&server, query).len();
    assert_eq!(count("slug=B"), 2, "in any case of letters");
    assert_eq!(count("operation=link.delete"), 1);
    assert_eq!(count("caller=site"), 4);
    assert_eq!(count("caller=operator"), 0);
    let at = lines(&server, "limit=1")[0]["at"].as_i64().unwrap();
    assert_eq!(count(&format!("until={at}")), 4, "the second is included");
    assert_eq!(count(&format!("from={}", at + 1)), 0);
    let first = server.get("/api/audit?limit=3").json();
    assert_eq!(first["list_complete"], false);
    let cursor = first["cursor"].as_str().unwrap();
    let next = server
        .get(&format!("/api/audit?limit=3&cursor={cursor}"))
        .json();
    assert_eq!(next["list_complete"], true);
    assert_eq!(next["lines"][0]["slug"], "a");
    let refused = server.get("/api/audit?operation=edit").is(400);
    refused.says("link.edit");
    server.visit("/api/audit").is(401);
}

#[test]
fn a_line_names_the_token_that_was_used_and_only_admins_read_lines() {
    let server = Server::start();
    let new = json!({"name": "CI bot", "scopes": ["links:write"]});
    let made = server.post("/api/tokens", &new).is(201);
    let made = made.json();
    let token = made["token"].as_str().unwrap();
    let by_token = |method, path| server.by(token, method, path);
    let link = json!({"url": "https://example.com/", "slug": "built"});
    by_token("POST", "/api/link/create")
        .json(&link)
        .send()
        .is(201);
    by_token("GET", "/api/audit").send().is(403);
    server.delete("/api/tokens?name=CI+bot").is(204);
    let shown: Vec<Value> = lines(&server, "")
        .iter()
        .map(|line| {
            json!([
                line["caller"],
                line["operation"],
                line["slug"],
                line["token"]
            ])
        })
        .collect();
    assert_eq!(
        shown,
        [
            json!(["site", "token.revoke", null, "CI bot"]),
            json!(["CI bot", "link.create", "built", null]),
            json!(["site", "token.add", null, "CI bot"]),
        ]
    );
    assert_eq!(lines(&server, "caller=CI+bot").len(), 1);
}

#[test]
fn commands_write_as_the_operator() {
    let server = Server::start();
    let (_, folder) = server.stop("TERM");
    let file = folder.path().join("links.csv");
    fs::write(&file, "slug,url\na,https://example.com/\n").unwrap();
    let import = |mut command: Command| {
        let done = command.arg("import").arg(&file).output().unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    import(command(folder.path()));
    import(command(folder.path()));
    let server = Server::start_in(folder, &[]);
    assert_eq!(told(&server), ["operator link.import a"]);
    assert_eq!(lines(&server, "")[0].get("client"), None);
}

/// Lines that are two days old, on a service that keeps them for a day.
const OLD: u32 = 1_200;

fn old_lines_go_and_new_ones_stay(server: &Server) {
    eventually("the old lines are gone", || {
        lines(server, "caller=old").is_empty()
    });
    server.create(&json!({"url": "https://example.com/", "slug": "new"}));
    assert_eq!(told(server), ["site link.create new"]);
}

#[test]
fn old_lines_are_removed_from_a_file() {
    let server = Server::start();
    let (_, folder) = server.stop("TERM");
    let script = "import sqlite3, sys, time
db = sqlite3.connect(sys.argv[1])
at = int(time.time() - 172800) * 1000
line = 'INSERT INTO audit_trail (at, caller, operation) VALUES (?, ?, ?)'
db.executemany(line, [(at, 'old', 'link.create')] * int(sys.argv[2]))
db.commit()";
    let inserted = Command::new("python3")
        .args(["-c", script])
        .arg(folder.path().join("links.db"))
        .arg(OLD.to_string())
        .status();
    assert!(inserted.unwrap().success());
    let mut command = command(folder.path());
    command.env("SLUGLINE_AUDIT_DAYS", "1");
    old_lines_go_and_new_ones_stay(&Server::start_by(command, folder));
}

#[test]
fn two_nodes_remove_old_lines_together() {
    let database = OwnDatabase::create("old_audit_lines");
    let start = |days: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(folder.path());
        command
            .env("SLUGLINE_DATABASE_URL", database.url().to_string())
            .env("SLUGLINE_AUDIT_DAYS", days);
        Server::start_by(command, folder)
    };
    // Makes the table.
    drop(start("0"));
    let inserted = database.open().ask(&format!(
        "INSERT INTO audit_trail (at, caller, operation) \
         SELECT (extract(epoch FROM now())::bigint - 172800) * 1000, 'old', 'link.create' \
         FROM generate_series(1, {OLD});\nSELECT 'done';"
    ));
    assert_eq!(inserted, "done");
    let nodes = [start("1"), start("1")];
    old_lines_go_and_new_ones_stay(&nodes[0]);
}
