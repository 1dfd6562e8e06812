//! Export and import.

use std::{io::Write, process::Stdio};

use rstest::rstest;
use serde_json::{Value, json};

use crate::support::server::{Answer, Server, command, eventually};

/// "correct horse" as Sink stores it, by Python's `hashlib.pbkdf2_hmac`.
const OF_SINK: &str =
    "sink-pwd:v1:10000:AAECAwQFBgcICQoLDA0ODw:5RUHDgNTp9sBOWGYS4e6u57cz_Sq3_TQgaDP_8MW6L8:cnNl";

/// Links with everything that can break a file format.
fn hostile_links() -> Vec<Value> {
    let texts = [
        "=HYPERLINK(\"https://evil.example\")",
        "+1",
        "-1",
        "@SUM(A1)",
        "'quoted'",
        "''=",
        "a \"b\", c",
        "line\r\nline\nline\rline",
        "tab\tin",
        "\u{1f600} ünï",
        "",
        "#!,;|\\",
    ];
    let mut links: Vec<Value> = texts
        .iter()
        .enumerate()
        .map(|(i, text)| {
            json!({
                "url": format!("https://example.com/?q={i},\"'"), "slug": format!("hostile-{i}"),
                "comment": text, "title": text, "description": text, "image": text,
                "createdAt": 1_700_000_000 + i, "updatedAt": 1_700_000_000 - i,
            })
        })
        .collect();
    links.push(json!({
        "id": "-full_1", "url": "https://example.com/full", "slug": "full", "comment": "c",
        "createdAt": -5, "updatedAt": 7, "expiration": 8, "title": "t".repeat(2048),
        "tags": ["=a", "[d", "b,c"], "apple": "https://a.example/", "google": "https://g.example/",
        "geo": {"DE": "https://e.de/a b", "AT": "https://e.at/"}, "redirectWithQuery": false,
        "cloaking": true, "proxy": false, "unsafe": true, "password": OF_SINK,
    }));
    links.push(json!({"url": "https://example.com/", "slug": "tagged", "tags": ["=x", "ü y"]}));
    links
}

fn import(server: &Server, links: &[Value]) -> Answer {
    let document = json!({"version": "1.0", "links": links});
    server.post("/api/link/import", &document)
}

fn import_csv(server: &Server, table: &str) -> Answer {
    server
        .api("POST", "/api/link/import")
        .header("content-type", "text/csv; charset=utf-8")
        .body(table)
        .send()
}

fn export_csv(server: &Server) -> Answer {
    server.get("/api/link/export?format=csv")
}

/// All links, page by page.
fn export(server: &Server) -> Vec<Value> {
    let (mut links, mut cursor) = (Vec::new(), String::new());
    loop {
        let answer = server
            .get(&format!("/api/link/export?cursor={cursor}"))
            .is(200);
        assert_eq!(answer.header("cache-control"), "no-store");
        let page = answer.json();
        assert_eq!(page["version"], "1.0");
        assert!(page["exportedAt"].as_str().unwrap().ends_with('Z'));
        let some = page["links"].as_array().unwrap();
        assert_eq!(page["count"], some.len());
        links.extend(some.clone());
        if page["list_complete"] == true {
            assert!(page.get("cursor").is_none());
            return links;
        }
        page["cursor"].as_str().unwrap().clone_into(&mut cursor);
    }
}

#[test]
fn what_one_instance_exports_another_imports_without_loss() {
    let (first, second) = (Server::start(), Server::start());
    let mut links = hostile_links();
    // More links than a page of an export has.
    links.extend(
        (0..50).map(
            |number| json!({"url": "https://example.com/", "slug": format!("plain-{number}")}),
        ),
    );
    let imported = import(&first, &links).is(200);
    assert_eq!(imported.header("cache-control"), "no-store");
    assert_eq!(imported.json()["success"], links.len());
    assert_eq!(
        imported.json()["successItems"][1],
        json!({"index": 1, "slug": "hostile-1", "url": "https://example.com/?q=1,\"'"})
    );

    let exported = export(&first);
    assert_eq!(exported.len(), links.len());
    let full = exported.iter().find(|link| link["slug"] == "full").unwrap();
    for (name, sent) in links[12].as_object().unwrap() {
        assert_eq!(&full[name], sent, "{name}");
    }
    assert_eq!(import(&second, &exported).json()["failed"], 0);
    assert_eq!(export(&second), exported);

    // Again: active links stay, and the import replaces the expired one.
    let again = import(&second, &exported).json();
    assert_eq!(
        (&again["success"], &again["skipped"]),
        (&json!(1), &json!(links.len() - 1))
    );
    assert_eq!(export(&second), exported);
}

#[test]
fn tables_hold_everything_that_documents_hold() {
    let (first, second) = (Server::start(), Server::start());
    import(&first, &hostile_links());
    let table = export_csv(&first);
    assert_eq!(table.status, 200, "{}", table.text);
    assert!(table.header("content-type").starts_with("text/csv"));
    assert_eq!(table.header("cache-control"), "no-store");
    let name = table.header("content-disposition");
    assert!(
        name.starts_with("attachment; filename=\"slugline-links-"),
        "{name}"
    );
    assert!(
        table.text.starts_with("id,slug,url,comment,tags,"),
        "{}",
        table.text
    );
    for hostile in [",=", ",+", ",@", "\n=", ",\"=", ",-1,"] {
        assert!(!table.text.contains(hostile), "{hostile:?}: {}", table.text);
    }
    let imported = import_csv(&second, &table.text).is(200);
    assert_eq!(imported.json()["success"], hostile_links().len());
    assert_eq!(export(&second), export(&first));
}

#[test]
fn a_table_holds_more_links_than_a_page() {
    let server = Server::start_with(&[("SLUGLINE_IMPORT_REQUEST_LIMIT", "1000")]);
    for part in 0..2 {
        let links: Vec<Value> = (0..700)
            .map(|i| json!({"url": "https://example.com/", "slug": format!("s{part}-{i}")}))
            .collect();
        assert_eq!(import(&server, &links).json()["success"], 700);
    }
    let table = export_csv(&server).text;
    assert_eq!(table.lines().count(), 1401);
    assert!(table.ends_with("\r\n"));
}

#[test]
fn one_wrong_link_refuses_the_whole_request_by_name() {
    let server = Server::start();
    let mut links: Vec<Value> = (0..60)
        .map(|i| json!({"url": "https://example.com/", "slug": format!("s{i}")}))
        .collect();
    links[57]["url"] = json!("nonsense");
    links[58]["password"] = json!("sink-pwd:v1:9999999:AAAA:AAAA:AAAA");
    let refused = import(&server, &links).is(400);
    assert_eq!(refused.faults(), ["links.57.url", "links.58.password"]);
    let wrong_type = import(&server, &[json!({"url": 5, "slug": "a"})]);
    assert_eq!(wrong_type.fault(), "links.0.url");

    let table = "slug,url,expiration\na,https://e.example/,\nb,https://e.example/,soon\n";
    let refused = import_csv(&server, table).is(400);
    assert_eq!(refused.fault(), "links.1.expiration");
    for broken in ["", "slug\na\n", "slug,url\na\n"] {
        import_csv(&server, broken).refuses(400, "invalid_csv");
    }

    assert_eq!(server.get("/api/link/count").json()["count"], 0);
}

#[test]
fn a_hundred_of_the_longest_links_fit_into_a_request() {
    let server = Server::start();
    let long = |start: &str| format!("{start}{}", "u".repeat(16_384 - start.len()));
    let links: Vec<Value> = (0..100)
        .map(|i| {
            json!({
                "url": long("https://e.example/"), "apple": long("https://a.example/"),
                "google": long("https://g.example/"), "slug": format!("s{i}-{}", "s".repeat(2000)),
                "comment": "\u{1f600}".repeat(2048), "title": "t".repeat(2048),
            })
        })
        .collect();
    let imported = import(&server, &links);
    assert_eq!(
        imported.status,
        200,
        "{}",
        imported.text.chars().take(300).collect::<String>()
    );
    let beyond = " ".repeat(16 << 20);
    server
        .api("POST", "/api/link/import")
        .body(&beyond)
        .send()
        .is(413);
}

#[test]
fn a_used_id_fails_alone_with_a_reason() {
    let server = Server::start();
    let link =
        |slug: &str, id: &str| json!({"url": "https://example.com/", "slug": slug, "id": id});
    import(&server, &[link("first", "x1")]);
    let imported = import(&server, &[link("second", "x1"), link("third", " ")]).json();
    assert_eq!(imported["success"], 1);
    assert_eq!(imported["failedItems"][0]["index"], 0);
    assert_eq!(imported["failedItems"][0]["slug"], "second");
    let reason = imported["failedItems"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("\"x1\""), "{reason}");
}

#[test]
fn a_password_of_sink_opens_its_gate_and_becomes_ours() {
    let server = Server::start();
    let link = json!({"url": "https://example.com/", "slug": "gated", "password": OF_SINK});
    import(&server, &[link]);
    let knock = |password: &str| {
        let visit = server.request("GET", "/gated");
        visit.header("x-link-password", password).send()
    };
    assert_eq!(knock("wrong horse").status, 403);
    assert_eq!(export(&server)[0]["password"], OF_SINK);
    assert_eq!(
        knock("correct horse").header("location"),
        "https://example.com/"
    );
    eventually("the hash is renewed", || {
        let stored = export(&server)[0]["password"].clone();
        stored.as_str().unwrap().starts_with("$argon2id$")
    });
    assert_eq!(
        knock("correct horse").header("location"),
        "https://example.com/"
    );
    assert_eq!(knock("wrong horse").status, 403);
}

/// Runs a command of the binary in this data folder.
fn run(folder: &std::path::Path, arguments: &[&str]) -> (bool, String) {
    let output = command(folder).args(arguments).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), said)
}

#[test]
fn files_go_through_the_command_line_without_loss_while_a_server_runs() {
    let server = Server::start();
    import(&server, &hostile_links());
    let (_, first) = server.stop("TERM");
    for name in ["links.json", "links.csv"] {
        let file = first.path().join(name);
        let file = file.to_str().unwrap();
        let (good, said) = run(first.path(), &["export", file]);
        assert!(good && said.contains("exported 14 links"), "{said}");
        let second = Server::start();
        let folder = second.folder().to_owned();
        let (good, said) = run(&folder, &["import", file]);
        assert!(
            good && said.contains("imported 14 links, skipped 0"),
            "{said}"
        );
        let (good, said) = run(&folder, &["import", file]);
        assert!(
            good && said.contains("imported 1 links, skipped 13"),
            "{said}"
        );
        second.leads("/tagged", "https://example.com/");
        let again = folder.join(format!("again-{name}"));
        let again = again.to_str().unwrap();
        assert!(run(&folder, &["export", again]).0);
        let text = |path| std::fs::read_to_string(path).unwrap();
        let links = |path| {
            let text: String = text(path);
            text.split_once("\"links\"")
                .map_or(text.clone(), |(_, links)| links.to_owned())
        };
        assert_eq!(links(again), links(file));
    }
}

/// Runs an import of this text in a new data folder. Returns the exit code, the output, and the
/// slugs stored afterwards.
fn import_file(name: &str, text: &str) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join(name);
    std::fs::write(&file, text).unwrap();
    let imported = command(folder.path())
        .args(["import", file.to_str().unwrap()])
        .output()
        .unwrap();
    let said = String::from_utf8(imported.stderr).unwrap();
    let there = command(folder.path()).args(["export"]).output().unwrap();
    let there = String::from_utf8(there.stdout).unwrap();
    (imported.status.code(), said, there)
}

#[test]
fn links_of_a_file_that_cannot_move_are_told_and_the_others_go() {
    let json = json!({"version": "1.0", "links": [
        {"url": "https://example.com/", "slug": "of_bitly", "clicks": 7},
        {"url": "nonsense", "slug": "bad"},
        {"url": "https://example.com/", "slug": "typo", "tgas": ["x"]},
    ]});
    let table = "slug;url;clicks;tags\r\n\
                 of_bitly;https://example.com/;7;spring\r\n\
                 bad;nonsense;;\r\n\
                 _ours;\"https://example.com/\";;\r\n\
                 short;https://example.com/\r\n";
    for (name, text, positions) in [
        (
            "links.json",
            json.to_string(),
            vec!["links.1.url: ", "links.2.tgas: ", "did you mean \"tags\"?"],
        ),
        (
            "links.csv",
            table.to_owned(),
            vec![
                "line 3: url: ",
                "line 4: slug: ",
                "line 5: the row has 2 cells, the header 4",
            ],
        ),
    ] {
        let (code, said, there) = import_file(name, &text);
        assert_eq!(code, Some(3), "{said}");
        for position in positions {
            assert!(said.contains(position), "{position}: {said}");
        }
        assert!(said.contains("imported 1 links, skipped 0"), "{said}");
        assert!(
            said.contains("ignored what links do not have: clicks\n"),
            "{said}"
        );
        assert!(said.contains("links could not be imported"), "{said}");
        assert!(there.contains("\"of_bitly\""), "{there}");
    }
}

#[test]
fn no_link_vanishes_in_a_quote_that_is_never_closed() {
    let url = "https://example.com/";
    let table = format!("slug,url,comment\nq1,{url},\nq2,{url},\"open\nq3,{url},\nq4,{url},\n");
    let (code, said, there) = import_file("links.csv", &table);
    assert_eq!(code, Some(3), "{said}");
    let fault = "line 3: the quote that begins on line 3 is never closed";
    assert!(said.contains(fault), "{said}");
    let count = "imported 1 links, skipped 0 whose slug is in use, failed 1";
    assert!(said.contains(count), "{said}");
    assert!(
        there.contains("\"q1\"") && !there.contains("open"),
        "{there}"
    );
}

#[test]
fn a_dry_run_says_what_the_import_then_does_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("links.csv");
    let file = file.to_str().unwrap();
    let url = "https://example.com/";
    let table = format!(
        "slug,url,id\na,{url},x1\nA,{url},x2\nb,{url},x1\nc,nonsense,\n,{url},\nd,{url},x3\n"
    );
    std::fs::write(file, &table).unwrap();
    let home = folder.path().join("home");
    let rehearse = |home: &std::path::Path| run(home, &["import", "--dry-run", file]).1;
    let said = rehearse(&home);
    let counts = "would import 3 links, skip 1 whose slug is in use, fail 2; would make a new";
    assert!(said.contains(counts), "{said}");
    assert!(said.contains("nothing was changed"), "{said}");
    assert!(said.contains("line 5: url: "), "{said}");
    assert!(said.contains("b: another link has the id \"x1\""), "{said}");
    assert!(!home.exists(), "a dry run makes no folder");

    let (_, imported) = run(&home, &["import", file]);
    let counts = "imported 3 links, skipped 1 whose slug is in use, failed 2";
    assert!(imported.contains(counts), "{imported}");
    let there = || run_for_output(&home, &["export"]);
    let before = there();
    let said = rehearse(&home);
    let counts = "would import 1 links, skip 3 whose slug is in use, fail 2; the database is";
    assert!(said.contains(counts), "{said}");
    let named = said.lines().filter(|line| line.starts_with("line "));
    assert_eq!(
        named.count(),
        2,
        "those that came before are not named: {said}"
    );
    assert_eq!(links_in(&there()), links_in(&before));
}

#[rstest]
#[case::table(
    "csv",
    "slug,url\nnew,https://e.example/\nthere,https://e.example/\n",
    "line 3"
)]
#[case::document(
    "json",
    r#"{"version": "1.0", "links": [
        {"slug": "new", "url": "https://e.example/"}, {"slug": "there", "url": "https://e.example/"}
    ]}"#,
    "links.1"
)]
fn a_slug_of_another_link_is_named_with_its_row_dry_or_not(
    #[case] form: &str,
    #[case] text: &str,
    #[case] place: &str,
    #[values(true, false)] dry: bool,
) {
    let folder = tempfile::tempdir().unwrap();
    let import = |text: &str, more: &[&str]| {
        let file = folder.path().join(format!("links.{form}"));
        std::fs::write(&file, text).unwrap();
        let mut command = command(&folder.path().join("home"));
        let output = command.arg("import").arg(file).args(more).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), said)
    };
    let first = text.replace("e.example", "first.example");
    let first = first.replace("new", "other");
    for _ in 0..2 {
        let (code, said) = import(&first, &[]);
        assert_eq!(code, Some(0), "what came before is not named: {said}");
    }
    let dry: &[&str] = if dry { &["--dry-run"] } else { &[] };
    let (code, said) = import(text, dry);
    assert_eq!(code, Some(3), "{said}");
    let named = format!("{place}: there: another link has this slug\n");
    assert!(said.starts_with(&named), "{said}");
    assert!(said.contains("1 links could not be imported"), "{said}");
}

fn run_for_output(folder: &std::path::Path, arguments: &[&str]) -> String {
    let output = command(folder).args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn links_in(document: &str) -> Value {
    let document: Value = serde_json::from_str(document).unwrap();
    document["links"].clone()
}

#[test]
fn columns_have_any_spelling_and_names_of_other_programs() {
    let table = "sep=;\r\nshortCode;Long URL;Created At;expires;TTL\r\n\
                 a;https://example.com/;2020-01-01;2127-01-01;60\r\n";
    for name in ["links.csv", "links.txt"] {
        let (code, said, there) = import_file(name, table);
        assert_eq!(code, Some(0), "{said}");
        let hint = "ignored what links do not have: TTL (did you mean expiration?)\n";
        assert!(said.contains(hint), "{said}");
        for member in ["\"createdAt\":1577836800", "\"expiration\":4954435200"] {
            assert!(there.contains(member), "{there}");
        }
    }
    let hash = "keyword,url,password\na,https://example.com/,$6$N9qo8uLOickgx2ZMRZoMye\n";
    let (code, said, _) = import_file("links.csv", hash);
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains("line 2: password: password is a stored hash ($6$)"),
        "{said}"
    );
}

#[test]
fn the_first_character_of_standard_input_tells_the_form() {
    let document =
        json!({"version": "1.0", "links": [{"url": "https://example.com/", "slug": "a"}]});
    let table = "\u{feff}slug,url\na,https://example.com/\n";
    let documents = [format!("\n {document}"), format!("\u{feff}{document}")];
    for text in documents.into_iter().chain([table.to_owned()]) {
        let folder = tempfile::tempdir().unwrap();
        let mut import = command(folder.path())
            .args(["import", "-"])
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = import.stdin.take().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        drop(input);
        let output = import.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("imported 1 links"), "{said}");
    }
}

#[test]
fn a_file_of_another_form_imports_nothing() {
    let unfinished = r#"{"version": "1.0", "links": [{"url": "https://example.com/", "slug": "a"}"#;
    for (name, text, why) in [
        ("links.json", unfinished, "EOF while parsing"),
        (
            "links.csv",
            "slug,url,tgas\na,https://example.com/,x\n",
            "did you mean tags?",
        ),
        (
            "links.csv",
            "folder,url\na,https://example.com/\n",
            "does not name the column slug",
        ),
    ] {
        let (code, said, there) = import_file(name, text);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(why), "{said}");
        assert!(said.contains("nothing was imported"), "{said}");
        assert_eq!(there, "");
    }
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out.csv");
    let (good, said) = run(folder.path(), &["export", out.to_str().unwrap()]);
    assert!(!good && said.contains("there is no database"), "{said}");
    assert!(!out.exists());
}

#[test]
fn a_spreadsheet_goes_through_the_api_as_it_is() {
    let server = Server::start();
    let table = "slug;url;tags;expiration;Owner\r\n\
                 summer_sale;https://example.com/;spring;2127-01-01;me\r\n\
                 ;https://example.com/new;\"spring;shop\";;\r\n;;;;\r\n";
    let answer = import_csv(&server, table).is(200);
    let imported = answer.json();
    assert_eq!(imported["ignoredNames"], json!(["Owner"]));
    let slugs: Vec<&str> = imported["successItems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["slug"].as_str().unwrap())
        .collect();
    assert_eq!(
        (slugs.len(), slugs[0], slugs[1].len()),
        (2, "summer_sale", 6)
    );
    let of = |slug: &str| {
        let path = format!("/api/link/query?slug={slug}");
        server.get(&path).json()
    };
    assert_eq!(of("summer_sale")["expiration"], 4_954_435_200_i64);
    assert_eq!(of(slugs[1])["tags"], json!(["shop", "spring"]));
    server.leads("/summer_sale", "https://example.com/");

    let typo = import_csv(&server, "slug,url,tgas\na,https://example.com/,x\n");
    let typo = typo.refuses(400, "invalid_csv");
    typo.says("did you mean tags?");
    assert!(
        import(&server, &hostile_links())
            .json()
            .get("ignoredNames")
            .is_none()
    );
}

#[test]
fn a_mistyped_folder_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("nowhere");
    let (good, said) = run(&nowhere, &["export"]);
    assert!(
        !good && said.contains("nowhere/links.db") && said.contains("--data-dir"),
        "{said}"
    );
    assert!(!nowhere.exists(), "an export makes nothing");

    let file = folder.path().join("links.csv");
    std::fs::write(&file, "slug,url\ndocs,https://example.com/\n").unwrap();
    let (good, said) = run(&nowhere, &["import", file.to_str().unwrap()]);
    assert!(
        good && said.contains("made a new database") && said.contains("nowhere/links.db"),
        "{said}"
    );
    let (good, said) = run(&nowhere, &["import", file.to_str().unwrap()]);
    assert!(good && said.contains("the database is"), "{said}");
    assert!(run(&nowhere, &["export"]).0);
}

#[test]
fn an_export_replaces_no_file_unasked_and_knows_what_its_name_says() {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let (_, folder) = server.stop("TERM");
    let export = |name: &str, more: &[&str]| {
        let file = folder.path().join(name);
        let arguments = [&["export", file.to_str().unwrap()], more].concat();
        let (good, said) = run(folder.path(), &arguments);
        (good, said, std::fs::read_to_string(file).ok())
    };
    for name in ["links.xlsx", "links.json.gz", "links.txt"] {
        let (good, said, file) = export(name, &[]);
        assert!(!good && said.contains("end with .json or .csv"), "{said}");
        assert_eq!(file, None);
        assert!(export(name, &["--format", "csv"]).0);
    }
    assert!(export("links", &[]).2.unwrap().starts_with('{'));
    let (good, said, file) = export("LINKS.CSV", &[]);
    assert!(good && file.unwrap().contains("docs,"), "{said}");
    std::fs::write(folder.path().join("links.csv"), "mine").unwrap();
    let (good, said, file) = export("links.csv", &[]);
    assert!(
        !good && said.contains("replace it with --replace"),
        "{said}"
    );
    assert_eq!(file.as_deref(), Some("mine"));
    let (good, said, file) = export("links.csv", &["--replace"]);
    assert!(good && file.unwrap().contains("docs,"), "{said}");
}

#[test]
fn a_mistyped_variable_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let output = command(folder.path())
        .env("SLUGLINE_TRUSTED_PROXY", "127.0.0.1")
        .arg("openapi")
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success());
    assert!(said.contains("SLUGLINE_TRUSTED_PROXIES"), "{said}");
}

#[test]
fn a_reader_that_goes_away_is_no_failure_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let mut export = command(folder.path())
        .arg("openapi")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(export.stdout.take());
    let output = export.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), said.as_str()), (Some(141), ""));
}

/// The peak memory of the process, in bytes.
#[cfg(target_os = "linux")]
fn peak_of(server: &Server) -> usize {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process_id())).unwrap();
    let peak = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kilobytes = peak.unwrap().split_whitespace().nth(1).unwrap();
    kilobytes.parse::<usize>().unwrap() << 10
}

#[cfg(target_os = "linux")]
#[test]
fn a_body_takes_little_more_memory_than_it_has_bytes() {
    const BYTES: usize = 4 << 20;
    let json = "application/json";
    let list = |head: &str, part: &str, last: &str| {
        let parts = part.repeat(BYTES / part.len());
        format!("{head}{parts}{last}")
    };
    let link = r#"{"version":"1","links":[{"url":"https://example.com/","slug":"a","tags":["#;
    for (media_type, body) in [
        (json, list(r#"{"version":"1","links":["#, "0,", "0]}")),
        (
            json,
            list(r#"{"version":"1","links":[],"x":["#, "0,", "0]}"),
        ),
        (json, list(link, "\"\",", "\"\"]}]}")),
        ("application/x-www-form-urlencoded", list("", "a&", "")),
        (
            "text/csv",
            list("slug,url,tags\na,https://e.example/,\"", ",", "\"\n"),
        ),
    ] {
        let server = Server::start();
        let before = peak_of(&server);
        let import = server
            .api("POST", "/api/link/import")
            .header("content-type", media_type)
            .body(&body);
        let refused = import.send();
        let head: String = body.chars().take(80).collect();
        assert_eq!(refused.status, 400, "{head}: {}", refused.text);
        let taken = peak_of(&server) - before;
        assert!(taken < 10 * BYTES, "{head}: {taken} bytes");
    }
}
