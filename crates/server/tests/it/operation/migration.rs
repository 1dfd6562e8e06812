//! Moves links from an older instance's store.

use std::{
    collections::BTreeMap,
    fs,
    io::{Read, Write},
    net::TcpStream,
    sync::mpsc,
    thread,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    mcp::wire::{call_tool, list_tools},
    support::{
        old_redis::OldRedis,
        server::{Answer, Server, assert_has, command, eventually, request, run as run_command},
    },
};

const STATUS: &str = "/api/link/migration/status";
const RUN: &str = "/api/link/migration/run";
/// The hash of "correct horse" by Sink.
const SINK_HASH: &str =
    "sink-pwd:v1:10000:AAECAwQFBgcICQoLDA0ODw:5RUHDgNTp9sBOWGYS4e6u57cz_Sq3_TQgaDP_8MW6L8:cnNl";
const MASK: &str = "__SINK_MASKED__•••••";

/// A bulk file of these keys and values.
fn bulk_file(folder: &TempDir, entries: &[(&str, Value)]) -> String {
    let path = folder.path().join("links.json");
    let entry = |(key, value): &(&str, Value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        json!({"key": key, "value": text})
    };
    fs::write(
        &path,
        entries.iter().map(entry).collect::<Value>().to_string(),
    )
    .unwrap();
    format!("file:{}", path.display())
}

fn run(server: &Server) -> Value {
    let answer = server.api("POST", RUN).send().is(200);
    answer.json()
}

/// Follows the cursors to the end and sums the reports.
fn run_to_the_end(server: &Server) -> (BTreeMap<&'static str, u64>, BTreeMap<String, String>) {
    let mut sums = BTreeMap::new();
    let mut failed = BTreeMap::new();
    let mut report = run(server);
    loop {
        for part in "scanned inserted skipped expired failed ignored".split(' ') {
            *sums.entry(part).or_default() += report[part].as_u64().unwrap();
        }
        for item in report["failedItems"].as_array().unwrap() {
            let text = |member: &str| item[member].as_str().unwrap().to_owned();
            failed.insert(text("key"), text("reason"));
        }
        assert_eq!(report["completed"], report["list_complete"]);
        if report["list_complete"] == true {
            assert!(report.get("cursor").is_none());
            return (sums, failed);
        }
        let next = server.post(RUN, &json!({"cursor": report["cursor"]}));
        assert_eq!(next.status, 200, "{}", next.text);
        report = next.json();
    }
}

#[test]
fn an_instance_with_nothing_to_move_is_complete() {
    let server = Server::start();
    let status = server.get(STATUS).json();
    let when = &status["marker"]["completedAt"];
    assert!(when.as_str().unwrap().ends_with('Z'), "{status}");
    let marker = json!({
        "version": 1, "completedAt": when, "scanned": 0, "inserted": 0, "skipped": 0, "expired": 0,
    });
    assert_eq!(status, json!({"completed": true, "marker": marker}));
    let report = run(&server);
    assert_eq!(
        [&report["completed"], &report["list_complete"]],
        [&json!(true); 2]
    );
    assert_eq!(server.request("GET", STATUS).send().status, 401);
}

#[test]
fn links_are_locked_until_they_are_here_and_can_be_followed_all_the_time() {
    let folder = tempfile::tempdir().unwrap();
    let to = |path: &str| json!({"url": format!("https://example.com/{path}")});
    let guarded = |password: &str| json!({"url": "https://example.com/in", "password": password});
    let url = bulk_file(
        &folder,
        &[
            ("link:docs", to("docs")),
            ("link:Upper", to("upper")),
            (
                "link:over",
                json!({"url": "https://example.com/", "expiration": 1_000}),
            ),
            (
                "link:warned",
                json!({"url": "https://example.com/", "unsafe": true}),
            ),
            ("link:hashed", guarded(SINK_HASH)),
            ("link:plain", guarded("hunter2")),
            ("link:code", json!({"url": "javascript:alert(1)"})),
            ("theme", json!("dark")),
        ],
    );
    let settings = [("SLUGLINE_LEGACY_KV_URL", url.as_str())];
    let server = Server::start_with(&settings);
    let status = server.get(STATUS).json();
    assert_eq!(status, json!({"completed": false, "marker": null}));

    // The rows of all operations on links are in the tests of REST.
    let tagged = "link/list stats/counters stats/views?unit=day stats/metrics?type=os \
        stats/heatmap stats/export logs/events logs/locations logs/stream";
    for path in tagged.split_whitespace() {
        let and = if path.contains('?') { '&' } else { '?' };
        for tag in ["news", "!news"] {
            let path = format!("/api/{path}{and}tag={tag}");
            let refused = server.get(&path).is(423);
            assert_eq!(
                refused.json()["statusMessage"],
                "Link migration is required"
            );
            assert_eq!(refused.json()["code"], "migration_required");
        }
    }
    for tool in list_tools(&server) {
        let name = tool["name"].as_str().unwrap();
        let told = call_tool(&server, name, &json!({}));
        let text = told["content"][0]["text"].as_str().unwrap();
        let locked = text.starts_with(&format!("{name} failed: 423 Link migration is required"));
        assert_eq!(locked, !name.starts_with("get_analytics_"), "{text}");
    }
    let told = call_tool(&server, "get_analytics_counters", &json!({"tag": "news"}));
    let text = told["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("423 Link migration is required"), "{text}");
    for open in ["/api/verify", "/api/stats/counters", "/_health/ready"] {
        assert_eq!(server.get(open).status, 200, "{open}");
    }

    assert_followed(&server);
    assert_eq!(server.visit("/over").status, 410);
    let (sums, failed) = run_to_the_end(&server);
    assert_eq!(
        (sums["scanned"], sums["inserted"], sums["ignored"]),
        (7, 5, 1)
    );
    assert_eq!((sums["expired"], sums["failed"]), (1, 1));
    assert_eq!(
        failed["link:code"],
        "url: URL scheme \"javascript\" is not allowed"
    );
    assert_followed(&server);
    let upper = server.get("/api/link/query?slug=Upper");
    assert_eq!(upper.json()["url"], "https://example.com/upper");
    let status = server.get(STATUS).json();
    assert_eq!(status["marker"]["inserted"], 5);
    assert_eq!(status["run"]["failedItems"][0]["key"], "link:code");

    // The service does not read the old store any more.
    fs::remove_file(folder.path().join("links.json")).unwrap();
    let (_, data) = server.stop("TERM");
    let server = Server::start_in(data, &settings);
    assert_followed(&server);
    let made = server.create(&json!({"url": "https://example.com/new"}));
    assert!(made["shortLink"].is_string());
    let gone = json!({"slug": "Upper"});
    server.post("/api/link/delete", &gone);
    assert_eq!(server.visit("/Upper").status, 404);
}

fn assert_followed(server: &Server) {
    server.leads("/docs", "https://example.com/docs");
    server.leads("/DOCS", "https://example.com/docs");
    server.leads("/Upper", "https://example.com/upper");
    for missing in ["/upper", "/code", "/nothing"] {
        assert_eq!(server.visit(missing).status, 404, "{missing}");
    }
    let warned = server.visit("/warned");
    assert_eq!((warned.status, warned.header("location")), (200, ""));
    for (path, password) in [("/hashed", "correct horse"), ("/plain", "hunter2")] {
        assert_eq!(opened(server, path, "wrong").status, 403, "{path}");
        let right = opened(server, path, password);
        assert_eq!(right.header("location"), "https://example.com/in", "{path}");
    }
}

fn opened(server: &Server, path: &str, password: &str) -> Answer {
    let visit = server.request("GET", path);
    visit.header("x-link-password", password).send()
}

#[test]
fn cursors_belong_to_a_page_of_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let keys: Vec<String> = (0..250).map(|number| format!("link:l{number}")).collect();
    let to = json!({"url": "https://example.com/"});
    let links: Vec<_> = keys.iter().map(|key| (key.as_str(), to.clone())).collect();
    let url = bulk_file(&folder, &links);
    let server = Server::start_with(&[("SLUGLINE_LEGACY_KV_URL", &url)]);
    let first = run(&server)["cursor"].as_str().unwrap().to_owned();
    let at = |query: &str, body: &Value| {
        let answer = server.post(&format!("{RUN}{query}"), body).json();
        (answer["code"].as_str().unwrap_or("").to_owned(), answer)
    };
    let (_, second) = at(&format!("?cursor={first}"), &json!({}));
    assert_eq!(second["inserted"], 100);
    let (code, done) = at("", &json!({"cursor": first}));
    assert_eq!(
        (&*code, &done["statusCode"]),
        ("migration_page_done", &json!(409))
    );
    assert_eq!(
        done["statusMessage"],
        "Migration page was already processed"
    );
    assert_eq!(at("?cursor=nonsense", &json!({})).0, "invalid_cursor");
    assert_eq!(at("?force=perhaps", &json!({})).0, "validation_error");
    assert_eq!(at("?force=true", &json!({})).1["skipped"], 100);
    assert_eq!(
        at("", &json!({"cursor": second["cursor"]})).0,
        "migration_run_gone"
    );
    run_to_the_end(&server);
    let count = server.get("/api/link/count").json();
    assert_eq!(count["count"], 250);
}

/// The entries of the old store, and the expected result.
struct Planted {
    commands: Vec<Vec<String>>,
    /// Slug → link as the API shows it.
    links: BTreeMap<String, Value>,
    /// Slug → password.
    passwords: BTreeMap<String, &'static str>,
    failed: BTreeMap<String, String>,
    expired: usize,
    ignored: usize,
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// Entries of many kinds. The rules of each entry have their rows in the tests of the old stores.
fn planted(entries: i64) -> Planted {
    let mut planted = Planted {
        commands: vec![words(["HSET", "link:hash", "url", "https://example.com/"])],
        links: BTreeMap::new(),
        passwords: BTreeMap::new(),
        failed: [("link:hash".to_owned(), "the entry is no string".to_owned())].into(),
        expired: 0,
        ignored: 0,
    };
    for number in 0..entries {
        let slug = format!("l-{number}");
        let mut command = words(["SET", &format!("link:{slug}")]);
        let mut link = json!({
            "id": format!("id{number}"), "slug": slug, "createdAt": 1_600_000_000 + number,
            "updatedAt": 1_700_000_000 + number, "url": format!("https://u:p@example.com/{number}?q=ü"),
        });
        let mut password = |secret, stored: &str| {
            planted.passwords.insert(slug.clone(), secret);
            json!(stored)
        };
        match number % 100 {
            0 => link["expiration"] = json!(4_000_000_000 + number),
            1 => {
                link["comment"] = json!("it's a 'comment' \u{1f600}");
                link["title"] = json!("t".repeat(2000));
                link["image"] = json!("/i.png");
                link["geo"] = json!({"DE": "https://de.example/"});
                link["apple"] = json!("https://apple.example/");
                link["cloaking"] = json!(false);
                link["redirectWithQuery"] = json!(true);
            }
            2 => link["password"] = password("correct horse", SINK_HASH),
            3 if number < 2000 => link["password"] = password("hunter2", "hunter2"),
            5 => {
                link["url"] = json!("javascript:alert(1)");
                let fault = "url: URL scheme \"javascript\" is not allowed";
                planted.failed.insert(command[1].clone(), fault.to_owned());
            }
            8 => {
                command[1] = format!("theme:{number}");
                planted.ignored += 1;
            }
            9 => {
                link["expiration"] = json!(1_000_000_000);
                planted.expired += 1;
            }
            _ => {}
        }
        command.push(link.to_string());
        if number % 100 == 12 {
            command.extend(words(["EXAT", "4100000000"]));
            link["expiration"] = json!(4_100_000_000_i64);
        }
        planted.commands.push(command);
        if ![5, 8, 9].contains(&(number % 100)) {
            link["tags"] = json!([]);
            if link.get("password").is_some() {
                link["password"] = json!(MASK);
            }
            planted.links.insert(slug, link);
        }
    }
    planted
}

#[track_caller]
fn assert_moved(server: &Server, planted: &Planted) {
    let links = server.links();
    for (slug, link) in &planted.links {
        assert_eq!(links.get(slug), Some(link), "{slug}");
    }
    assert_eq!(links.len(), planted.links.len());
    let status = server.get(STATUS).json();
    assert_eq!(status["completed"], true, "{status}");
    let failed = status["run"]["failedItems"].as_array().unwrap().iter();
    let text = |text: &Value| text.as_str().unwrap().to_owned();
    let failed = failed.map(|item| (text(&item["key"]), text(&item["reason"])));
    assert_eq!(failed.collect::<BTreeMap<_, _>>(), planted.failed);
}

fn assert_passwords(server: &Server, planted: &Planted) {
    let some = planted.passwords.iter().step_by(17);
    for (slug, password) in some {
        let path = format!("/{slug}");
        assert_eq!(opened(server, &path, "wrong").status, 403, "{slug}");
        assert_ne!(
            opened(server, &path, password).header("location"),
            "",
            "{slug}"
        );
    }
}

/// `slugline migrate` on this data.
fn migrate(data: &TempDir, url: &str, arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut migrate = command(data.path());
    migrate.env("SLUGLINE_LEGACY_KV_URL", url).arg("migrate");
    run_command(migrate.args(arguments))
}

/// The settings of an instance that moves links from this store.
fn moving(url: &str) -> [(&str, &str); 2] {
    [
        ("SLUGLINE_LEGACY_KV_URL", url),
        ("SLUGLINE_REDIRECT_STATUS_CODE", "302"),
    ]
}

#[test]
fn ten_thousand_entries_are_moved_through_many_deaths() {
    let planted = planted(10_000);
    let redis = OldRedis::start();
    redis.run(&planted.commands);
    let url = redis.url();
    let settings = moving(&url);
    let mut data = tempfile::tempdir().unwrap();
    let mut unfinished = 0;
    for round in 0..20_usize {
        let server = Server::start_in(data, &settings);
        let status = server.get(STATUS).json();
        unfinished += u64::from(status["completed"] == false);
        // In half of the rounds a second runner is in the middle of a page.
        let (tell, told) = mpsc::channel();
        let runners: Vec<_> = (0..=(round % 2))
            .map(|_| {
                let address = server.origin().replace("http://", "");
                let tell = tell.clone();
                thread::spawn(move || keep_running(&address, || _ = tell.send(())))
            })
            .collect();
        drop(tell);
        // Kills the server after none, one, two or three pages of this round. The channel
        // closes early if the migration ends.
        let _ = told.iter().take(round % 4).count();
        data = server.kill();
        for runner in runners {
            runner.join().unwrap();
        }
    }
    assert!(unfinished > 5, "most deaths came too late: {unfinished}");
    let server = Server::start_in(data, &settings);
    run_to_the_end(&server);
    let tally = &server.get(STATUS).json()["run"];
    for (part, number) in [
        ("inserted", planted.links.len()),
        ("failed", planted.failed.len()),
        ("expired", planted.expired),
        ("skipped", 0),
        ("ignored", planted.ignored),
    ] {
        assert_eq!(tally[part], number, "{part}: {tally}");
    }
    assert_moved(&server, &planted);
    assert_passwords(&server, &planted);
}

/// Moves pages until the server dies or the migration ends, and reports each page except the
/// last.
fn keep_running(address: &str, page_done: impl Fn()) {
    while let Ok(mut stream) = TcpStream::connect(address) {
        let request = request("POST", RUN, "connection: close\r\n", "");
        let mut answer = String::new();
        let asked = stream.write_all(request.as_bytes());
        if asked.is_err() || stream.read_to_string(&mut answer).is_err() {
            return;
        }
        if answer.contains("\"list_complete\":true") {
            return;
        }
        page_done();
    }
}

#[test]
fn two_runners_share_the_pages_and_a_waiting_node_learns_of_the_end() {
    let planted = planted(3_000);
    let redis = OldRedis::start();
    redis.run(&planted.commands);
    let url = redis.url();
    let data = tempfile::tempdir().unwrap();
    let path = format!("sqlite://{}", data.path().join("shared.db").display());
    let [store, status] = moving(&url);
    let settings = [store, status, ("SLUGLINE_DATABASE_URL", &path)];
    let (running, waiting) = (Server::start_with(&settings), Server::start_with(&settings));
    let address = running.origin().replace("http://", "");
    let other = thread::spawn(move || keep_running(&address, || ()));
    let command_data = tempfile::tempdir().unwrap();
    let mut migrate = command(command_data.path());
    let (code, report, said) = run_command(migrate.envs(settings).arg("migrate"));
    other.join().unwrap();
    assert_eq!(code, Some(1), "{said}");
    let left = planted.failed.len();
    let told = format!("{left} entries hold no link that could be moved");
    assert!(said.contains(&told), "{said}");
    for line in [
        format!("inserted  {}", planted.links.len()),
        "skipped   0  (the slug is in use here)".to_owned(),
        "link:hash: the entry is no string".to_owned(),
    ] {
        assert!(report.lines().any(|told| told == line), "{line}: {report}");
    }
    eventually("the waiting node opens", || {
        waiting.get("/api/link/count").status == 200
    });
    assert_moved(&waiting, &planted);
    assert_passwords(&waiting, &planted);
}

#[test]
fn a_store_that_goes_away_stops_a_run_and_loses_nothing() {
    let planted = planted(10_000);
    let mut redis = OldRedis::start();
    redis.run(&planted.commands);
    let url = redis.url();
    let settings = moving(&url);
    let server = Server::start_with(&settings);
    for _ in 0..20 {
        run(&server);
    }
    redis.kill();
    let stopped = server.api("POST", RUN).send().is(503);
    assert_eq!(
        stopped.json()["statusMessage"],
        "Old link store unavailable"
    );
    assert_eq!(server.visit("/never-seen").status, 503);
    let (_, data) = server.stop("TERM");
    let said = migrate(&data, &url, &[]).2;
    assert_has(&said, &["SLUGLINE_LEGACY_KV_URL", "run it again"]);
    let server = Server::start_in(data, &settings);
    redis.start_again();
    assert_eq!(server.visit("/l-13").status, 302);
    // A restarted Redis lists its keys in another order, so the run reads all of them again.
    let (sums, _) = run_to_the_end(&server);
    assert!(sums["skipped"] >= 1500, "{sums:?}");
    assert_moved(&server, &planted);
}

#[test]
fn the_command_mends_what_failed_and_says_so_by_its_exit_code() {
    let folder = tempfile::tempdir().unwrap();
    let data = tempfile::tempdir().unwrap();
    let url = bulk_file(
        &folder,
        &[
            (
                "link:good",
                json!({"url": "https://u:secret-pw@example.com/"}),
            ),
            (
                "link:bad",
                json!({"url": "https://u:secret-pw@example.com:port/", "password": "s3same!"}),
            ),
        ],
    );
    let (code, report, said) = migrate(&data, &url, &[]);
    assert_eq!(code, Some(1), "{said}");
    assert_has(&report, &["link:bad: url: URL format is invalid"]);
    let told = report + &said;
    assert!(
        !told.contains("secret-pw") && !told.contains("s3same!"),
        "{told}"
    );
    let mended = json!({"url": "https://example.com/mended"});
    let other = json!({"url": "https://x.example/"});
    bulk_file(&folder, &[("link:bad", mended), ("link:good", other)]);
    let report = migrate(&data, &url, &[]).1;
    assert!(
        report.contains("failed    1"),
        "nothing is looked at again: {report}"
    );
    let (code, report, said) = migrate(&data, &url, &["--force"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(report.contains("inserted  1\nskipped   1"), "{report}");
    let server = Server::start_in(data, &[("SLUGLINE_LEGACY_KV_URL", &url)]);
    let bad = server.visit("/bad");
    assert_eq!(bad.header("location"), "https://example.com/mended");
    let good = server.visit("/good");
    assert!(good.header("location").contains("@example.com"));
}
