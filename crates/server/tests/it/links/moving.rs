//! Links of other products come from their own engines, and go back.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::{
    mariadb::MariaDb,
    own_database::OwnDatabase,
    programs,
    server::{Server, assert_has, command, run},
};

/// The schemas with the products' types and indexes, and rows with every trap.
fn fixture(name: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/links/moving");
    fs::read_to_string(folder.join(name)).unwrap()
}

fn import(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let (code, _, said) = run(command(folder).arg("import").args(arguments));
    (code, said)
}

/// The links of a folder by their keys, with the members that the products have.
fn stored(folder: &Path) -> Value {
    let (_, document, _) = run(command(folder).arg("export"));
    let document: Value = serde_json::from_str(&document).unwrap();
    let links = document["links"].as_array().unwrap().iter().map(|link| {
        let mut link = link.as_object().unwrap().clone();
        let id = link.remove("id").unwrap();
        assert_eq!(id.as_str().unwrap().len(), 32);
        link.remove("password");
        let domain = link.remove("domain").unwrap_or(json!(""));
        let slug = link.remove("slug").unwrap();
        (
            format!("{}/{}", domain.as_str().unwrap(), slug.as_str().unwrap()),
            Value::Object(link),
        )
    });
    Value::Object(links.collect())
}

/// A file of links from an engine: what the database's client writes, or the SQLite file.
fn file_of(product: &str, engine: &str, maria: &MariaDb, folder: &Path) -> String {
    let schema = fixture(&format!("{product}.{engine}.sql"));
    let rows = fixture(&format!("{product}.rows.sql"));
    let dialect = if engine == "mariadb" { "mysql" } else { engine };
    let (_, text, _) = run(command(folder).args(["import", "--sql", product, dialect]));
    let lines = |client: Command| programs::run(client, &text).stdout;
    let path = folder.join(format!("{product}-{engine}"));
    match engine {
        "sqlite" => {
            let mut client = Command::new("sqlite3");
            client.arg(&path);
            programs::run(client, &format!("{schema}{rows}"));
        }
        "mariadb" => {
            let made = format!("CREATE DATABASE {product} CHARACTER SET utf8mb4; USE {product};");
            let set = "SET NAMES utf8mb4; SET sql_mode = 'NO_BACKSLASH_ESCAPES';";
            programs::run(maria.client(""), &format!("{made}{set}{schema}{rows}"));
            fs::write(&path, lines(maria.client(product))).unwrap();
        }
        _ => {
            let database = OwnDatabase::create(product);
            let client = || {
                let mut client = Command::new("psql");
                client.args(["-XqAt", "-v", "ON_ERROR_STOP=1", database.url().as_str()]);
                client
            };
            programs::run(client(), &format!("{schema}{rows}"));
            fs::write(&path, lines(client())).unwrap();
        }
    }
    path.to_str().unwrap().to_owned()
}

/// Imports from an engine, compares what the folder then has, and takes the import back.
fn comes_from(product: &str, engine: &str, maria: &MariaDb, expected: &Value, said: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start_in(folder, &[("SLUGLINE_DOMAINS", "go.example")]);
    let file = file_of(product, engine, maria, server.folder());
    let report = server.folder().join("report").display().to_string();
    let terms = [
        "--domain",
        "gone.example=",
        "--zone",
        "Europe/Berlin",
        "--report",
        &report,
    ];
    let folder = server.folder();
    let dry = import(folder, &[&terms[..4], &[&file, "--dry-run"]].concat());
    assert_eq!(stored(folder), json!({}), "{product} {engine}: {dry:?}");
    let (code, told) = import(folder, &[&terms[..], &[&file]].concat());
    assert_has(&told, said);
    assert_has(&dry.1, &said[1..]);
    assert_eq!((code, dry.0), (Some(3), Some(3)), "{told}");
    assert_eq!(&stored(folder), expected, "{product} {engine}: {told}");
    // Again, nothing is new; and back, all but what somebody changed.
    let (_, again) = import(folder, &[&terms[..], &[&file]].concat());
    assert!(again.contains("imported 0 links"), "{again}");
    let changed = expected
        .as_object()
        .unwrap()
        .keys()
        .find(|key| key.starts_with('/'))
        .unwrap();
    let patch = json!({"slug": &changed[1..], "comment": "mine"});
    server.call("PATCH", "/api/link/edit", &patch).is(200);
    let (code, undone) = import(folder, &["--undo", &report]);
    assert_eq!(code, Some(3), "{undone}");
    assert_has(&undone, &["changed since, so it stays", "left 1 that"]);
    let left = stored(folder);
    let left: Vec<_> = left.as_object().unwrap().keys().collect();
    assert_eq!(left, [changed]);
}

#[test]
fn links_come_from_the_engines_of_the_products_and_go_back() {
    let maria = MariaDb::start();
    let expected: Value = serde_json::from_str(&fixture("expected.json")).unwrap();
    let said = [
        "imported 5 links, skipped 1",
        "(multi/segment)",
        "url: ",
        "1 with a slug that differs from",
        "2 came without a part of them",
        "1 with a slug that no link can have",
    ];
    for engine in ["mariadb", "postgres", "sqlite"] {
        comes_from("shlink", engine, &maria, &expected["shlink"], &said);
    }
    let said = [
        "imported 3 links, skipped 1",
        "1 with a slug that differs from",
        "1 with a slug that no link can have",
    ];
    for engine in ["mariadb", "postgres", "sqlite"] {
        // PostgreSQL keeps the offset of a moment.
        let name = if engine == "postgres" {
            "kutt-utc"
        } else {
            "kutt-berlin"
        };
        comes_from("kutt", engine, &maria, &expected[name], &said);
    }
    let folder = tempfile::tempdir().unwrap();
    for (product, engine, links) in [("yourls", "mariadb", 2), ("chhoto", "sqlite", 3)] {
        let file = file_of(product, engine, &maria, folder.path());
        let (code, told) = import(folder.path(), &[&file, "--dry-run"]);
        assert_eq!(code, Some(0), "{told}");
        assert!(
            told.contains(&format!("would import {links} links")),
            "{told}"
        );
    }
    let of_mysql = fs::read_to_string(folder.path().join("yourls-mariadb")).unwrap();
    for (spoilt, why) in [
        (of_mysql.replace("\\n\\t", "\\\\n\\\\t"), "--raw"),
        (of_mysql.replace('\u{1f600}', "?"), "SET NAMES"),
        (of_mysql.replace('\u{fc}', "\u{c3}\u{bc}"), "PowerShell"),
        (
            of_mysql.lines().take(2).collect::<Vec<_>>().join("\n"),
            "the last line is missing",
        ),
        (
            of_mysql
                .lines()
                .filter(|line| !line.contains("\"one\""))
                .collect::<Vec<_>>()
                .join("\n"),
            "1 of 2 lines",
        ),
    ] {
        let file = folder.path().join("spoilt");
        fs::write(&file, spoilt).unwrap();
        let (code, told) = import(folder.path(), &[file.to_str().unwrap()]);
        assert_eq!(code, Some(1), "{told}");
        assert_has(&told, &["nothing was imported from", why]);
    }
}

#[test]
fn slugs_that_no_link_can_have_get_others() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (file, map) = (path("links.csv"), path("slugs.csv"));
    fs::write(&file, "slug,url\nmulti/part,https://example.com/\n").unwrap();
    let terms = [file.as_str(), "--map", &map];
    let (code, told) = import(folder.path(), &terms);
    assert_eq!(code, Some(1), "{told}");
    let (code, told) = import(folder.path(), &[&terms[..], &["--dry-run"]].concat());
    assert_eq!(code, Some(3), "{told}");
    let proposed = fs::read_to_string(&map).unwrap();
    assert_eq!(proposed, "multi/part,multi-part\n");
    let (code, told) = import(folder.path(), &terms);
    assert_eq!(code, Some(0), "{told}");
    let (_, document, _) = run(command(folder.path()).arg("export"));
    assert!(document.contains("\"slug\":\"multi-part\""), "{document}");
    fs::write(&map, "multi/part\n").unwrap();
    let (code, told) = import(folder.path(), &terms);
    assert_eq!(code, Some(1), "{told}");
    assert!(told.contains("is not OLD,NEW"), "{told}");
}
