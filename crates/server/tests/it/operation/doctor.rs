//! `slugline doctor`: checks the databases.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    path::Path,
    process::Command,
};

use serde_json::json;
use tempfile::TempDir;

use crate::support::{
    server::{Server, assert_has, command, eventually, run, under_sh},
    sqlite,
};

fn doctor(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    outcome(command(folder).arg("doctor").args(arguments))
}

/// True if the command succeeded, and its output. Scripts see only the exit code.
fn outcome(command: &mut Command) -> (bool, String, String) {
    let (code, told, said) = run(command);
    assert!(matches!(code, Some(0 | 1)), "{code:?}");
    (code == Some(0), told, said)
}

/// Examines a folder whose part is damaged.
#[track_caller]
fn damage_of(folder: &Path, part: &str) -> (String, String) {
    let (sound, said, why) = doctor(folder, &[]);
    assert!(
        !sound && said.contains(&format!("{part}: DAMAGED: ")),
        "{said}"
    );
    assert!(!why.contains("panicked"), "{why}");
    (said, why)
}

/// Overwrites the spoilt file with a new one, of which everything is lost.
fn is_rebuilt(
    folder: &Path,
    part: &str,
    doctor: impl Fn(&Path, &[&str]) -> (bool, String, String),
) {
    let (sound, said, advice) = doctor(folder, &[]);
    assert!(
        !sound && said.contains(&format!("{part}: DAMAGED")),
        "{said}"
    );
    assert!(advice.contains("doctor --rebuild"), "{advice}");
    let (done, said, _) = doctor(folder, &["--rebuild"]);
    assert!(done && said.contains("lost: everything"), "{said}");
    assert!(doctor(folder, &[]).0);
}

/// The data of a stopped service that had a link and a visit.
fn stopped_service() -> TempDir {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    server.visit("/docs");
    server.counters_with("", 1);
    with_whole_files(server.stop("TERM").1)
}

/// A service whose last connection only reads cannot move the write-ahead log into the file. A
/// start and a stop without any request do that.
fn with_whole_files(mut folder: TempDir) -> TempDir {
    for _ in 0..20 {
        if !files(folder.path())
            .keys()
            .any(|name| name.ends_with("-wal"))
        {
            return folder;
        }
        folder = Server::start_in(folder, &[]).stop("TERM").1;
    }
    panic!("write-ahead logs stay");
}

/// The files of a folder, without the empty ones that SQLite creates for readers.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries
        .filter(|entry| entry.file_type().unwrap().is_file())
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .filter(|(name, content)| {
            !(name.ends_with("-shm") || name.ends_with("-wal") && content.is_empty())
        })
        .collect()
}

#[test]
fn a_folder_without_an_instance_is_not_called_sound() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("mistyped");
    for arguments in [
        &["doctor"][..],
        &["token", "list"],
        &["token", "revoke", "agent"],
        &["token", "add", "agent", "--scope", "links:read"],
        &["token", "show"],
        &["token", "rotate"],
    ] {
        let mut command = command(&folder);
        command.env_remove("SLUGLINE_SITE_TOKEN");
        let (done, _, why) = outcome(command.args(arguments));
        let named = why.contains("there is no database") && why.contains("mistyped/links.db");
        assert!(
            !done && named && why.contains("--data-dir"),
            "{arguments:?}: {why}"
        );
        assert!(!folder.exists(), "{arguments:?}");
    }
    std::fs::create_dir(&folder).unwrap();
    let (done, _, why) = doctor(&folder, &[]);
    assert!(!done && why.contains("there is no database"), "{why}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn a_damaged_access_log_is_found_and_rebuilt_once_the_service_is_stopped() {
    let server = Server::start();
    server.create(&serde_json::json!({"url": "https://example.com/", "slug": "docs"}));
    server.visit("/docs");
    server.counters_with("", 1);
    let (sound, said, _) = doctor(server.folder(), &[]);
    assert!(sound, "{said}");
    assert!(said.contains("access log: ok: tail: 1 rows"), "{said}");
    assert!(said.contains("links: ok: pages are sound"), "{said}");
    let (done, _, refusal) = doctor(server.folder(), &["--rebuild"]);
    assert!(!done && refusal.contains("stop the service"), "{refusal}");

    let folder = with_whole_files(server.stop("TERM").1);
    let file = folder.path().join("analytics.db");
    fs::write(&file, vec![0xa5; 50_000]).unwrap();
    is_rebuilt(folder.path(), "access log", doctor);
    let kept = fs::read_dir(folder.path()).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("analytics.db.damaged-")
    });
    assert_eq!(kept.count(), 1);
    Server::start_in(folder, &[]).counters_with("", 0);
}

#[test]
fn a_rebuild_that_fails_leaves_everything_as_it_was_and_says_what_to_do() {
    let folder = stopped_service();
    let path = |name: &str| folder.path().join(name);
    let mut log = fs::read(path("analytics.db")).unwrap();
    log[4 * 4_096..5 * 4_096].fill(0xa5);
    fs::write(path("analytics.db"), log).unwrap();
    let before = files(folder.path());
    let unchanged = |(done, said, why): (bool, String, String), advice: &str| {
        assert!(!done, "{said}");
        assert!(why.contains("the access log is as it was"), "{why}");
        assert!(why.contains(advice), "{why}");
        let after = files(folder.path());
        assert!(after.keys().eq(before.keys()), "{:?}", after.keys());
        assert!(after == before, "a file is another one now");
    };

    let in_use = File::open(path("analytics.db.lock")).unwrap();
    in_use.lock_shared().unwrap();
    let refused = doctor(folder.path(), &["--rebuild"]);
    unchanged(refused, "stop the service");
    drop(in_use);

    // A folder has the path of the new file.
    fs::create_dir_all(path("analytics.db.rebuilt/x")).unwrap();
    let refused = doctor(folder.path(), &["--rebuild"]);
    unchanged(refused, "its folder can be written to and has room");
    fs::remove_dir_all(path("analytics.db.rebuilt")).unwrap();

    // Lets the disk become full a bit later each time.
    let mut failures = 0;
    for blocks in (0..).step_by(10) {
        let limit = format!("trap '' XFSZ; ulimit -f {blocks}");
        let mut limited = under_sh(&limit, &command(folder.path()));
        let rebuilt = outcome(limited.args(["doctor", "--rebuild"]));
        if rebuilt.0 {
            assert!(rebuilt.1.contains("access log: rebuilt"), "{}", rebuilt.1);
            break;
        }
        unchanged(rebuilt, "run this again");
        failures += 1;
    }
    assert!(failures > 5, "{failures}");
    assert!(doctor(folder.path(), &[]).0);
}

#[test]
fn every_damaged_page_of_the_links_is_found_and_a_file_that_was_cut() {
    const PAGE: usize = 4_096;

    let folder = stopped_service();
    let file = folder.path().join("links.db");
    let intact = fs::read(&file).unwrap();
    let mut pages = 0;
    for page in 0..intact.len() / PAGE {
        for damage in [0xa5, 0] {
            let mut links = intact.clone();
            links[page * PAGE..(page + 1) * PAGE].fill(damage);
            fs::write(&file, &links).unwrap();
            let (said, why) = damage_of(folder.path(), "links");
            assert!(why.contains("by restoring a backup"), "page {page}: {why}");
            // The fault does not affect the other file.
            assert!(said.contains("access log: ok: pages: sound"), "{said}");
            pages += 1;
        }
    }
    assert!(pages > 20, "{pages}");
    fs::write(&file, &intact).unwrap();
    let log = folder.path().join("analytics.db");
    let links = "links";
    for (file, part, length) in [
        (&file, links, PAGE),
        (&file, links, intact.len() - PAGE),
        (&file, links, 0),
        (&log, "access log", 0),
    ] {
        let intact = fs::read(file).unwrap();
        fs::write(file, &intact[..length]).unwrap();
        let before = files(folder.path());
        let (said, _) = damage_of(folder.path(), part);
        assert_eq!(said.contains("is empty"), length == 0, "{said}");
        assert!(files(folder.path()) == before, "a file is another one now");
        fs::write(file, intact).unwrap();
    }
    assert!(doctor(folder.path(), &[]).0);
}

#[test]
fn a_service_finds_damaged_links_by_itself_and_goes_on() {
    const PAGE: usize = 4_096;

    let folder = stopped_service();
    let file = folder.path().join("links.db");
    // Nothing reads these tables in an ordinary day.
    for name in ["link_migration_failures", "audit_trail_slug"] {
        let query = format!("SELECT rootpage FROM sqlite_master WHERE name = '{name}'");
        let root: usize = sqlite::execute(&file, &query).parse().unwrap();
        let mut links = fs::read(&file).unwrap();
        links[(root - 1) * PAGE..root * PAGE].fill(0xa5);
        fs::write(&file, links).unwrap();
    }
    let (server, log) = Server::start_logged(folder, &[]);
    let mut ready = server.visit("/_health/ready");
    eventually("the damage is found", || {
        ready = server.visit("/_health/ready");
        ready.json()["parts"]["links"]["status"] == "degraded"
    });
    assert_eq!(ready.status, 200, "links on sound pages are served");
    assert!(ready.text.contains("slugline doctor"), "{}", ready.text);
    assert_eq!(server.visit("/docs").status, 301);
    let said = fs::read_to_string(log.path()).unwrap();
    let mut lines = said.lines();
    let warning = lines.find(|line| line.contains("the links database is damaged"));
    let warning = warning.unwrap_or_else(|| panic!("{said}"));
    assert_has(warning, &["WARN", "restore a backup"]);
    let setup = server.get("/api/setup");
    assert!(setup.text.contains("\"links_damaged\""), "{}", setup.text);
    let metrics = server.get("/_metrics").text;
    assert_has(&metrics, &["\nslugline_links_damaged 1\n"]);
    assert!(server.stop("TERM").0.success());
}

#[test]
fn visits_that_wait_for_clickhouse_are_examined_and_rebuilt() {
    // No server listens there.
    let setting = (
        "SLUGLINE_ANALYTICS_URL",
        "clickhouse+http://127.0.0.1:9/visits",
    );
    let server = Server::start_with(&[setting]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    server.visit("/docs");
    let doctor = |folder: &Path, arguments: &[&str]| {
        let mut command = command(folder);
        outcome(command.envs([setting]).arg("doctor").args(arguments))
    };
    let (done, _, why) = doctor(server.folder(), &["--rebuild"]);
    assert!(!done && why.contains("the spool is as it was"), "{why}");
    assert!(why.contains("stop the service"), "{why}");
    // A stop stores the visit but does not send it.
    let (_, folder) = server.stop("TERM");
    let (sound, said, _) = doctor(folder.path(), &[]);
    assert!(
        sound && said.contains("spool: ok: rows: 1 wait for ClickHouse"),
        "{said}"
    );

    let spool = folder.path().join("analytics-spool.db");
    fs::write(&spool, vec![0xa5; 50_000]).unwrap();
    is_rebuilt(folder.path(), "spool", doctor);
}

#[test]
fn a_damaged_chunk_is_named_and_does_not_keep_the_rest_from_being_counted() {
    let folder = stopped_service();
    let log = folder.path().join("analytics.db");
    // A chunk of an unknown format.
    sqlite::execute(
        &log,
        "INSERT INTO chunk VALUES (1, 9, 0, 1000, 2000, 7, x'')",
    );
    let (sound, said, _) = doctor(folder.path(), &[]);
    let told = "chunk 1 is damaged: its format 9 is unknown";
    assert!(!sound && said.contains(told), "{said}");

    let server = Server::start_in(folder, &[]);
    let damaged = json!({"interval_max": 1, "exact": false, "dropped": 0, "damaged": 7});
    assert_eq!(server.counters_with("", 1)["sampling"], damaged);
    let sound = json!({"interval_max": 1, "exact": true, "dropped": 0});
    assert_eq!(
        server.counters_with("startAt=1000000000", 1)["sampling"],
        sound
    );
    let ready = server.visit("/_health/ready").is(200);
    assert_eq!(ready.json()["parts"]["log"]["status"], "degraded");
}
