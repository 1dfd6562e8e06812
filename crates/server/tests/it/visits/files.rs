//! Visits in files: out, back in, and from the embedded log to ClickHouse.

use std::{
    fs,
    io::{Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

use rstest::rstest;
use serde_json::{Value, json};
use slugline_testkit::{ClickHouse, ClickHouseEngine::Library};
use tempfile::TempDir;

use crate::{
    operation::backup::rows,
    support::{
        repository,
        server::{Server, TOKEN, command, killed_when, under_sh},
    },
};

const FORMS: [&str; 4] = ["a.ndjson", "a.csv", "a.ndjson.gz", "a.csv.gz"];

/// Every kind of question.
const QUESTIONS: [&str; 9] = [
    "/api/stats/counters",
    "/api/stats/counters?bots=exclude&country=(none)",
    "/api/stats/views?unit=day&clientTimezone=Etc/UTC",
    "/api/stats/heatmap?clientTimezone=Europe/Berlin",
    "/api/stats/metrics?type=slug",
    "/api/stats/metrics?type=ua&visitors=true",
    "/api/stats/metrics?type=referer",
    "/api/stats/export",
    "/api/logs/locations",
];

fn visits(folder: &Path, arguments: &[&str]) -> Output {
    command(folder)
        .arg("visits")
        .args(arguments)
        .output()
        .unwrap()
}

/// Runs a command that has to succeed, and returns what it says.
fn done(folder: &Path, arguments: &[&str]) -> String {
    let output = visits(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    said
}

/// Runs a command that has to fail, and returns the error.
fn failed(folder: &Path, arguments: &[&str]) -> String {
    let output = visits(folder, arguments);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

/// An instance with visits of many kinds, by the same seed each time.
fn seeded() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let seed = ["seed", "--links", "20", "--visits", "3000", "--days", "20"];
    let output = command(folder.path()).args(seed).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    folder
}

/// An instance with the same visits, as if they had been sampled.
pub(crate) fn sampled() -> TempDir {
    let (folder, out) = (seeded(), tempfile::tempdir().unwrap());
    let file = out.path().join("a.ndjson");
    done(folder.path(), &["export", &text(&file)]);
    let exported = fs::read_to_string(&file).unwrap();
    let lines = exported.lines().enumerate().map(|(number, line)| {
        let mut visit: Value = serde_json::from_str(line).unwrap();
        // Rows of one visitor have several intervals, and some say nothing about visitors.
        visit["sampling_interval"] = json!([1, 2, 8, 64, 4][number % 5]);
        visit["coherent"] = json!(u8::from(!number.is_multiple_of(3)));
        format!("{visit}\n")
    });
    let lines: String = lines.collect();
    fs::write(&file, lines).unwrap();
    let empty = tempfile::tempdir().unwrap();
    done(empty.path(), &["import", &text(&file)]);
    empty
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn answers(server: &Server) -> Vec<String> {
    let answer = |path: &&str| server.get(path).is(200).text;
    QUESTIONS.iter().map(answer).collect()
}

#[test]
fn what_an_instance_exports_an_empty_one_answers_the_same() {
    let server = Server::start_in(seeded(), &[]);
    // Words that a spreadsheet would run, and that end cells and lines.
    server.create(&json!({"url": "https://e.example/?a=\"b\",c", "slug": "hostile"}));
    let agents = ["=1+1", "'", "''=", "a,\"b\"", "+1", "@x"];
    for agent in agents {
        let visit = server
            .request("GET", "/hostile")
            .header("user-agent", agent);
        assert_eq!(visit.send().status, 301);
    }
    server.counters_with("slug=hostile", 6);
    let (out, expected) = (tempfile::tempdir().unwrap(), answers(&server));
    for form in FORMS {
        let file = text(&out.path().join(form));
        // Beside the running service.
        let said = done(server.folder(), &["export", &file]);
        assert!(said.contains("exported 3006 visits"), "{said}");

        let empty = tempfile::tempdir().unwrap();
        let said = done(empty.path(), &["import", &file]);
        assert!(said.contains("imported 3006 visits"), "{said}");
        let other = Server::start_in(empty, &[]);
        assert_eq!(answers(&other), expected, "{form}");

        // And again, beside the service: nothing new.
        let said = done(other.folder(), &["import", &file]);
        assert!(said.contains("imported 0 visits"), "{said}");
        assert!(said.contains("3006 were there"), "{said}");
        assert_eq!(answers(&other), expected, "{form}");
        let said = done(other.folder(), &["import", &file, "--again"]);
        assert!(said.contains("imported 3006 visits"), "{said}");
        other.counters_with("slug=hostile", 12);
    }
}

#[test]
fn one_file_is_the_same_in_every_form() {
    let (folder, out) = (seeded(), tempfile::tempdir().unwrap());
    let empty = tempfile::tempdir().unwrap();
    for (number, form) in FORMS.iter().enumerate() {
        let file = text(&out.path().join(form));
        done(folder.path(), &["export", &file]);
        let said = done(empty.path(), &["import", &file]);
        let new = if number == 0 { 3_000 } else { 0 };
        assert!(said.contains(&format!("imported {new} visits")), "{said}");
        if !form.ends_with("gz") {
            let written = fs::read(&file).unwrap();
            let marked = text(&out.path().join(format!("marked.{form}")));
            fs::write(&marked, ["\u{feff}".as_bytes(), &written].concat()).unwrap();
            let said = done(empty.path(), &["import", &marked]);
            assert!(said.contains("3000 were there"), "{said}");
        }
    }
    let output = visits(folder.path(), &["export", "-", "--format", "csv"]);
    let written = fs::read(out.path().join("a.csv")).unwrap();
    assert!(output.status.success() && output.stdout == written);
    let packed = fs::metadata(out.path().join("a.csv.gz")).unwrap().len();
    assert!(packed * 4 < u64::try_from(written.len()).unwrap());
}

#[test]
fn filters_and_ranges_choose_visits_on_both_ways_and_wrong_ones_are_refused_by_name() {
    let server = Server::start_in(seeded(), &[]);
    let lines = |arguments: &[&str]| {
        let arguments = [&["export", "-"], arguments].concat();
        let output = visits(server.folder(), &arguments);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let all = lines(&[]);
    assert_eq!(all.lines().count(), 3_000);
    let first: Value = serde_json::from_str(all.lines().next().unwrap()).unwrap();
    let slug = first["slug"].as_str().unwrap();
    let of_slug = lines(&["--filter", &format!("slug={slug}")]);
    assert!(of_slug.lines().count() < 3_000);
    let over_http = |query: &str| {
        server
            .api("GET", &format!("/api/logs/export?{query}"))
            .send()
    };
    let same = |query: &str, expected: &str| {
        let over_http = over_http(query).text;
        assert_eq!(sorted(&over_http), sorted(expected), "{query}");
    };
    same(&format!("slug={slug}"), &of_slug);
    same("", &all);
    let second = first["ts_ms"].as_i64().unwrap() / 1_000;
    let (from, until) = (second.to_string(), (second + 86_400).to_string());
    let of_day = lines(&["--start-at", &from, "--end-at", &until]);
    assert!(of_day.contains(&first["ts_ms"].to_string()));
    same(&format!("startAt={from}&endAt={until}"), &of_day);
    // Tags are looked up in the links.
    let tag = server.api("GET", "/api/link/tags").send().json();
    let tag = tag["tags"][0]["name"].as_str().or(tag[0]["name"].as_str());
    if let Some(tag) = tag {
        let of_tag = lines(&["--filter", &format!("tag={tag}")]);
        same(&format!("tag={tag}"), &of_tag);
    }
    let answer = over_http("format=csv");
    assert!(answer.header("content-type").starts_with("text/csv"));
    assert!(answer.text.starts_with("ts_ms,link_id,slug,url,"));
    let name = answer.header("content-disposition");
    assert!(
        name.contains("slugline-visits-") && name.contains(".csv\""),
        "{name}"
    );
    assert_eq!(answer.header("cache-control"), "no-store");
    for (query, member) in [
        ("format=xml", "format"),
        ("gzip=maybe", "gzip"),
        ("startAt=9&endAt=8", "endAt"),
        ("contry=DE", "contry"),
    ] {
        let refused = over_http(query).is(400);
        let issue = &refused.json()["data"]["issues"][0];
        assert_eq!(issue["path"][0], member);
    }
    a_packed_export_over_http_is_one_of_the_command(&server);
}

/// The lines of a file of visits. The service merges chunks meanwhile, which changes their order.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

fn a_packed_export_over_http_is_one_of_the_command(server: &Server) {
    let address = server.origin().strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET /api/logs/export?gzip=true HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
         authorization: Bearer {TOKEN}\r\n\r\n"
    )
    .unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    let body = chunks(&answer);
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("over-http.ndjson.gz");
    fs::write(&file, body).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let said = done(empty.path(), &["import", &text(&file)]);
    assert!(said.contains("imported 3000 visits"), "{said}");
}

/// The body of an answer in chunks, up to its end.
fn chunks(answer: &[u8]) -> Vec<u8> {
    let line_end = |rest: &[u8]| rest.windows(2).position(|two| two == b"\r\n").unwrap();
    let head = answer.windows(4).position(|four| four == b"\r\n\r\n");
    let mut rest = &answer[head.unwrap() + 4..];
    let mut body = Vec::new();
    loop {
        let end = line_end(rest);
        let length = std::str::from_utf8(&rest[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        if length == 0 {
            return body;
        }
        body.extend(&rest[end + 2..end + 2 + length]);
        rest = &rest[end + 4 + length..];
    }
}

#[test]
fn a_wrong_line_imports_nothing_and_is_named() {
    let out = tempfile::tempdir().unwrap();
    let file = text(&out.path().join("a.csv"));
    done(seeded().path(), &["export", &file]);
    let table = fs::read_to_string(&file).unwrap();
    let broken = table.trim_end().to_owned() + "\r\nnow,a,s,u,,,,,,,,,,,,,,,,7,1,1\r\n";
    fs::write(&file, broken).unwrap();
    let empty = tempfile::tempdir().unwrap();
    let error = failed(empty.path(), &["import", &file]);
    assert!(error.contains("nothing was imported"), "{error}");
    let named = error.contains("line 3002: column ts_ms: \"now\"")
        || error.contains("line 3002: the row has");
    assert!(named, "{error}");
    assert!(!empty.path().join("analytics.db").exists());

    let cut = fs::File::options().write(true).open(&file).unwrap();
    cut.set_len(10).unwrap();
    assert!(failed(empty.path(), &["import", &file]).contains("line 1"));
    let error = failed(empty.path(), &["import", "-"]);
    assert!(error.contains("cannot be read twice"), "{error}");
    let error = failed(empty.path(), &["import", "visits.json"]);
    assert!(error.contains(".ndjson"), "{error}");
    let error = failed(empty.path(), &["export", &file]);
    assert!(error.contains("is there already"), "{error}");
    let error = failed(empty.path(), &["export", "--replace", &file]);
    assert!(error.contains("there is no access log"), "{error}");
    let error = failed(seeded().path(), &["export", &file, "--filter", "contry=DE"]);
    assert!(error.contains("country"), "{error}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_leaves_no_file() {
    let (folder, out) = (seeded(), tempfile::tempdir().unwrap());
    let file = text(&out.path().join("a.ndjson"));
    let mut export = command(folder.path());
    export.args(["visits", "export", &file]);
    // Blocks of 512 bytes; SQLite's own files are smaller.
    let limited = "trap '' XFSZ; ulimit -f 200";
    let output = under_sh(limited, &export).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{error}");
    assert!(error.contains("was not written"), "{error}");
    assert_eq!(fs::read_dir(out.path()).unwrap().count(), 0);
}

/// A large file, by copies of the visits of an instance with other visitors.
fn large(out: &Path) -> (PathBuf, u64) {
    let small = out.join("small.ndjson");
    done(seeded().path(), &["export", &text(&small)]);
    let lines = fs::read_to_string(small).unwrap();
    let file = out.join("large.ndjson");
    let mut large = fs::File::create(&file).unwrap();
    for _ in 0..20 {
        large.write_all(lines.as_bytes()).unwrap();
    }
    (file, 60_000)
}

#[rstest]
fn an_import_that_is_killed_can_be_run_again(#[values(false, true)] beside_service: bool) {
    let out = tempfile::tempdir().unwrap();
    let (file, visits) = large(out.path());
    let service = Server::start();
    let path = service.folder().to_owned();
    let service = if beside_service {
        Ok(service)
    } else {
        Err(service.stop("TERM").1)
    };
    let stored = || match &service {
        Ok(service) => {
            let counters = service.api("GET", "/api/stats/counters").send().json();
            counters["data"][0]["visits"].as_u64().unwrap()
        }
        Err(folder) => {
            let examined = command(folder.path()).arg("doctor").output().unwrap();
            rows(&String::from_utf8(examined.stdout).unwrap())
        }
    };
    for _ in 0..3 {
        let before = stored();
        if before > visits / 3 {
            break;
        }
        let mut import = command(&path);
        import.args(["visits", "import", &text(&file)]);
        killed_when(&mut import, || stored() > before);
    }
    let some = stored();
    assert!((1..visits).contains(&some), "{some} of {visits} are in");
    let said = done(&path, &["import", &text(&file)]);
    assert!(said.contains(&format!("; {some} were there")), "{said}");
    let service = service.unwrap_or_else(|folder| Server::start_in(folder, &[]));
    service.counters_with("", visits);
}

#[test]
fn history_follows_an_instance_to_clickhouse() {
    let url = ClickHouse::shared(Library).url("moved");
    let settings = [("SLUGLINE_ANALYTICS_URL", url.as_str())];
    let folder = seeded();
    let run = |folder: &Path, arguments: &[&str]| {
        let mut run = command(folder);
        run.args(arguments).envs(settings).output().unwrap()
    };
    let before = Server::start_in(folder, &[]);
    let expected = answers(&before);
    let (_, folder) = before.stop("TERM");
    let refused = visits(folder.path(), &["move"]);
    let error = String::from_utf8(refused.stderr).unwrap();
    assert!(error.contains("SLUGLINE_ANALYTICS_URL"), "{error}");

    let doctor = run(folder.path(), &["doctor"]);
    let found = String::from_utf8(doctor.stdout).unwrap();
    assert!(found.contains("run `slugline visits move`"), "{found}");
    let server = Server::start_in(folder, &settings);
    let findings = server.api("GET", "/api/setup").send().json()["findings"].clone();
    let findings = findings.as_array().unwrap();
    let left = findings
        .iter()
        .find(|finding| finding["code"] == "visits_left_behind");
    assert_eq!(left.unwrap()["fix"]["command"], "slugline visits move");

    // Beside the service.
    let moved = run(server.folder(), &["visits", "move"]);
    let said = String::from_utf8(moved.stderr).unwrap();
    assert!(moved.status.success(), "{said}");
    assert!(said.contains("moved 3000 visits"), "{said}");
    server.counters_with("", 3_000);
    assert_eq!(answers(&server), expected);
    let doctor = run(server.folder(), &["doctor"]);
    let found = String::from_utf8(doctor.stdout).unwrap();
    assert!(!found.contains("visits move"), "{found}");
    let again = run(server.folder(), &["visits", "move"]);
    let said = String::from_utf8(again.stderr).unwrap();
    assert!(said.contains("moved 0 visits"), "{said}");

    // Out of ClickHouse, and into an embedded log.
    let out = tempfile::tempdir().unwrap();
    let file = text(&out.path().join("a.csv.gz"));
    let exported = run(server.folder(), &["visits", "export", &file]);
    assert!(exported.status.success(), "{exported:?}");
    let over_http = server.api("GET", "/api/logs/export").send();
    assert_eq!(over_http.text.lines().count(), 3_000);
    let empty = tempfile::tempdir().unwrap();
    done(empty.path(), &["import", &file]);
    let embedded = Server::start_in(empty, &[]);
    assert_eq!(answers(&embedded), expected);
}

/// The statements of a section of the documentation.
fn documented(section: &str) -> String {
    let docs = fs::read_to_string(repository("docs/visits.md")).unwrap();
    let section = docs.split(&format!("## {section}\n")).nth(1).unwrap();
    let statements = section.split("```sql\n").nth(1).unwrap();
    statements.split("```").next().unwrap().to_owned()
}

#[test]
fn documented_sessions_count_a_sampled_log_as_the_service_does() {
    let server = Server::start_in(sampled(), &[]);
    for (engine, environment) in [
        ("DuckDB", "duckdb-python"),
        ("SQLite", "duckdb-python"),
        ("ClickHouse", "clickhouse-python"),
    ] {
        documented_session(&server, engine, environment);
    }
}

fn documented_session(server: &Server, engine: &str, environment: &str) {
    let script = format!("{}_session.py", engine.to_lowercase());
    let out = tempfile::tempdir().unwrap();
    for name in ["visits.ndjson.gz", "visits.csv"] {
        done(server.folder(), &["export", &text(&out.path().join(name))]);
    }
    let python = repository("target").join(environment).join("bin/python");
    let mut session = Command::new(python)
        .arg(repository("crates/server/tests/visit-files").join(script))
        .current_dir(out.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("`cargo xtask test` has installed it");
    let statements = documented(&format!("Read with {engine}"));
    let mut input = session.stdin.take().unwrap();
    input.write_all(statements.as_bytes()).unwrap();
    drop(input);
    let output = session.wait_with_output().unwrap();
    assert!(output.status.success(), "{engine}");
    let rows: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let number = |value: &Value| {
        let text = value.as_str().map(str::to_owned);
        text.unwrap_or_else(|| value.to_string())
            .parse::<u64>()
            .unwrap()
    };
    let counters = server.api("GET", "/api/stats/counters").send().json();
    assert_eq!(counters["sampling"]["exact"], false);
    let counters = counters["data"][0].clone();
    assert!(number(&counters["visits"]) > 3_000);
    assert_eq!(number(&rows[0][0]["visits"]), number(&counters["visits"]));
    assert_eq!(
        number(&rows[0][0]["visitors"]),
        number(&counters["visitors"])
    );
    assert_eq!(rows[1].as_array().unwrap().len(), 10);
    assert_eq!(number(&rows[2][0]["rows_of_csv"]), 3_000);
}
