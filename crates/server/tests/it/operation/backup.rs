//! Backup and restore: one file with everything.

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
    thread,
};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

#[cfg(unix)]
use crate::support::terminal;
use crate::support::{
    server::{Server, TOKEN, assert_has, command, eventually, killed_when, pause, run, under_sh},
    sqlite,
};

/// A run of the binary that succeeds.
#[track_caller]
fn done(folder: &Path, arguments: &[&str]) -> String {
    succeeded(command(folder).args(arguments)).0
}

/// The standard output and standard error of a command that succeeds.
#[track_caller]
fn succeeded(command: &mut Command) -> (String, String) {
    let (code, told, said) = run(command);
    assert_eq!(code, Some(0), "{command:?}: {said}");
    (told, said)
}

/// Runs a command that must fail with code 1 and one line; returns the line.
#[track_caller]
fn refused(folder: &Path, arguments: &[&str]) -> String {
    failed(command(folder).args(arguments))
}

#[track_caller]
fn failed(command: &mut Command) -> String {
    let (code, _, said) = run(command);
    assert_eq!((code, said.lines().count()), (Some(1), 1), "{said}");
    said
}

/// A folder for a backup, and the path of the backup in it.
fn place() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.backup");
    (folder, file)
}

/// A stopped instance with the link `docs` and one visit, and a place with its backup.
fn backed_up() -> (TempDir, TempDir, PathBuf) {
    let (elsewhere, file) = place();
    let folder = instance("docs", 1);
    done(folder.path(), &["backup", text(&file)]);
    (folder, elsewhere, file)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// The visits and visitors that an instance counts.
fn counted(server: &Server) -> (Value, Value) {
    let counters = server.get("/api/stats/counters").json();
    let row = &counters["data"][0];
    (row["visits"].clone(), row["visitors"].clone())
}

fn links_of(server: &Server) -> Value {
    let count = server.get("/api/link/count?status=all").is(200);
    count.json()
}

/// The names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// A stopped instance with one link of this slug and `visits` visits.
fn instance(slug: &str, visits: u64) -> TempDir {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": slug}));
    for _ in 0..visits {
        server.visit(&format!("/{slug}"));
    }
    server.counters_with("", visits);
    server.stop("TERM").1
}

/// A backup with these parts, in the format's form.
fn sealed(parts: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let about = json!({"version": "0.1.0", "made_at": 1_800_000_000});
    let mut bytes = format!("slugline backup 1\n{about}\n").into_bytes();
    for (name, content) in parts {
        let line = json!({"part": name, "bytes": content.len()});
        bytes.extend(format!("{line}\n").bytes());
        bytes.extend(content);
    }
    let digest = Sha256::digest(&bytes);
    let (high, low) = digest.split_at(16);
    let number = |half: &[u8]| u128::from_be_bytes(half.try_into().unwrap());
    let digest = format!("{:032x}{:032x}", number(high), number(low));
    bytes.extend(format!("{}\n", json!({"end": digest})).bytes());
    bytes
}

#[test]
fn a_backup_of_a_running_service_is_restored_as_it_was() {
    let (elsewhere, file) = place();
    let server = Server::start();
    let secret = json!({"url": "https://example.com/", "slug": "docs", "password": "open sesame"});
    server.create(&secret);
    server.create(&json!({"url": "https://example.com/", "slug": "news"}));
    server.create(&json!({"url": "https://example.com/", "slug": "once", "maxVisits": 1}));
    server.visit("/news");
    server.counters_with("", 1);
    let said = done(server.folder(), &["backup", text(&file)]);
    assert_has(&said, &["backed up access log (", "), links ("]);
    assert_eq!(files(elsewhere.path()), ["a.backup"]);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let content = fs::read(&file).unwrap();
    let holds = |text: &str| {
        let mut parts = content.windows(text.len());
        parts.any(|part| part == text.as_bytes())
    };
    assert!(holds("docs") && !holds(TOKEN));
    // The backup does not contain later links.
    server.create(&json!({"url": "https://example.com/", "slug": "later"}));
    server.visit("/news");
    drop(server);

    let found = done(elsewhere.path(), &["backup", "verify", text(&file)]);
    let (visits, links) = ("access log: ok: chunks", "links: ok: pages are sound");
    assert_has(&found, &["backup: ok: complete", visits, links]);
    assert_eq!(files(elsewhere.path()), ["a.backup"], "it leaves nothing");

    let folder = tempfile::tempdir().unwrap();
    let said = done(folder.path(), &["restore", text(&file)]);
    let limits = "\nlinks with maxVisits: 1 have the counts of the backup again";
    assert_has(&said, &["restored access log, links from ", limits]);
    assert_eq!(
        files(folder.path()),
        ["analytics.db", "links.db", "slugline.lock"]
    );
    let server = Server::start_in(folder, &[]);
    assert_eq!(server.visit("/later").status, 404);
    let trail = server.get("/api/audit").json();
    let entries = trail["lines"].as_array().unwrap().iter();
    let slugs: Vec<&Value> = entries.map(|line| &line["slug"]).collect();
    assert_eq!(slugs, ["once", "news", "docs"]);
    assert_eq!(counted(&server), (json!(1), json!(1)));
    // The backup has the keys of visitor hashes, too: the visitor counts as the same.
    server.visit("/news");
    let row = &server.counters_with("", 2)["data"][0];
    assert_eq!(row["visitors"], 1, "{row}");
    let right = server.request("GET", "/docs");
    let right = right.header("x-link-password", "open sesame").send();
    assert!((300..400).contains(&right.status));
}

/// The number of rows of the access log, from the output of an examination.
pub(crate) fn rows(examined: &str) -> u64 {
    let number = |line: &str, before: &str| {
        let (_, rest) = line.split_once(before)?;
        let digits = rest.split(' ').next()?;
        digits.parse::<u64>().ok()
    };
    let lines = examined.lines();
    let lines = lines.filter(|line| line.starts_with("access log: "));
    lines
        .filter_map(|line| number(line, " with ").or_else(|| number(line, "tail: ")))
        .sum()
}

#[test]
fn many_links_and_visits_go_there_and_back_beside_a_writer() {
    const SEEDED: u64 = 100;
    const LINKS: u64 = 20_000;
    const VISITS: u64 = 200_000;

    let (elsewhere, file) = place();
    let folder = tempfile::tempdir().unwrap();
    let (links, visits) = (SEEDED.to_string(), VISITS.to_string());
    done(
        folder.path(),
        &["seed", "--links", &links, "--visits", &visits],
    );
    let links: Vec<Value> = (0..LINKS)
        .map(|number| json!({"url": "https://example.com/", "slug": format!("link-{number}")}))
        .collect();
    let export = elsewhere.path().join("links.json");
    let links = json!({"version": "1.0", "links": links});
    fs::write(&export, links.to_string()).unwrap();
    done(folder.path(), &["import", text(&export)]);
    let seeded = rows(&done(folder.path(), &["doctor"]));
    assert!(seeded > VISITS / 10 * 9, "{seeded}");
    let server = Server::start_in(folder, &[]);

    // A client creates links and follows them all the time.
    let over = AtomicBool::new(false);
    let (made, before) = thread::scope(|scope| {
        let (server, over) = (&server, &over);
        let writer = scope.spawn(move || {
            let mut made = 0;
            while !over.load(Ordering::Relaxed) {
                let slug = format!("beside-{made}");
                server.create(&json!({"url": "https://example.com/", "slug": slug}));
                server.visit(&format!("/{slug}"));
                made += 1;
                pause();
            }
            made
        });
        eventually("the writer has begun", || {
            server.visit("/beside-3").status != 404
        });
        done(server.folder(), &["backup", text(&file)]);
        let before = links_of(server);
        over.store(true, Ordering::Relaxed);
        (writer.join().unwrap(), before)
    });
    assert!(made > 3);
    let folder = server.stop("TERM").1;

    let restored = tempfile::tempdir().unwrap();
    done(restored.path(), &["restore", text(&file)]);
    let visits = rows(&done(restored.path(), &["doctor"]));
    let server = Server::start_in(restored, &[]);
    let links = |count: &Value| count["count"].as_u64().unwrap();
    let found = links(&links_of(&server));
    assert!(
        (SEEDED + LINKS + 4..=links(&before)).contains(&found),
        "{found}"
    );
    // Each visit in the backup has its link there; the question adds one more if the writer had
    // begun.
    let (visited, beside) = (visits - seeded, found - SEEDED - LINKS);
    assert!(visited <= beside + 1, "{visited} of {beside}");
    for slug in ["link-0".to_owned(), format!("link-{}", LINKS - 1)] {
        assert_ne!(server.visit(&format!("/{slug}")).status, 404, "{slug}");
    }

    kills_of_a_backup_leave_no_half(&folder, &file);
}

/// Uses much data, so that a backup takes long enough to be killed at each of its stages.
fn kills_of_a_backup_leave_no_half(folder: &TempDir, earlier: &Path) {
    const STAGES: u64 = 6;

    let elsewhere = tempfile::tempdir().unwrap();
    let file = elsewhere.path().join("b.backup");
    fs::copy(earlier, &file).unwrap();
    let drafts = [".b.backup.partial", ".b.backup.copy"].map(|name| elsewhere.path().join(name));
    let size = |file: &Path| fs::metadata(file).map_or(0, |file| file.len());
    let whole = size(&file);
    let mut interrupted = 0;
    for stage in 0..STAGES {
        for left in &drafts {
            let _ = fs::remove_file(left);
        }
        let mut backup = command(folder.path());
        backup.args(["backup", "--replace", text(&file)]);
        killed_when(&mut backup, || {
            let written: u64 = drafts.iter().map(|draft| size(draft)).sum();
            drafts[0].exists() && written >= whole / STAGES * stage
        });
        interrupted += u64::from(drafts[0].exists());
        // The earlier backup or a new one: both are complete.
        assert!(size(&file) >= whole, "{stage}");
    }
    assert!(interrupted >= STAGES / 2, "{interrupted} were interrupted");
    done(folder.path(), &["backup", "verify", text(&file)]);
    done(folder.path(), &["backup", "--replace", text(&file)]);
    done(folder.path(), &["backup", "verify", text(&file)]);
    // Nothing is left of the others.
    assert_eq!(files(elsewhere.path()), ["b.backup"]);
}

#[test]
fn a_restore_that_is_killed_leaves_the_old_data_or_the_new() {
    /// Each kill follows the appearance of a file: at once, at one new database, at the other,
    /// at the list of moves, or never.
    const MOMENTS: [Option<&str>; 5] = [
        Some("."),
        Some("analytics.db.restoring"),
        Some("links.db.restoring"),
        Some("restore.pending"),
        None,
    ];

    let (elsewhere, file) = place();
    done(instance("new", 2).path(), &["backup", text(&file)]);
    let mut folder = instance("old", 1);
    let old = elsewhere.path().join("old.backup");
    done(folder.path(), &["backup", text(&old)]);
    let (mut seen, mut interrupted) = ([0, 0], 0);
    for moment in MOMENTS.into_iter().cycle().take(3 * MOMENTS.len()) {
        let mut restore = command(folder.path());
        restore.args(["restore", "--replace", text(&file)]);
        killed_when(&mut restore, || {
            moment.is_some_and(|name| folder.path().join(name).exists())
        });
        let is_cut_short = |name: &String| name.contains("restor");
        interrupted += usize::from(files(folder.path()).iter().any(is_cut_short));
        let server = Server::start_in(folder, &[]);
        let is_new = server.visit("/new").status != 404;
        seen[usize::from(is_new)] += 1;
        assert_eq!(server.visit("/old").status == 404, is_new, "{moment:?}");
        // The visits belong to the links; the latest visit may be there, too.
        let visits = counted(&server).0.as_u64().unwrap();
        let expected = if is_new { 2..=3 } else { 1..=2 };
        assert!(
            expected.contains(&visits),
            "{moment:?}: {visits}, new: {is_new}"
        );
        folder = server.stop("TERM").1;
        done(folder.path(), &["restore", "--replace", text(&old)]);
        let left = files(folder.path());
        assert!(!left.iter().any(is_cut_short), "{left:?}");
    }
    // Some were killed before they moved anything, and some after the moves were certain.
    assert!(
        seen[0] > 0 && seen[1] > 0,
        "{} old, {} new",
        seen[0],
        seen[1]
    );
    assert!(interrupted >= 3, "{interrupted} were cut short");
}

#[test]
fn the_next_command_finishes_a_restore_that_was_cut_short() {
    let (_elsewhere, file) = place();
    done(instance("new", 2).path(), &["backup", text(&file)]);
    for arguments in [&["doctor"][..], &["export", "-"], &["serve"]] {
        // A restored folder has all data in the databases and nothing in their write-ahead logs.
        let new = tempfile::tempdir().unwrap();
        done(new.path(), &["restore", text(&file)]);
        let folder = instance("old", 1);
        let path = |name: &str| folder.path().join(name);
        // The state that a restore leaves if it is killed after its point of no return: it has
        // removed the old write-ahead log and moved the first database in.
        for log in ["analytics.db-wal", "analytics.db-shm"] {
            let _ = fs::remove_file(path(log));
        }
        fs::rename(new.path().join("analytics.db"), path("analytics.db")).unwrap();
        fs::rename(new.path().join("links.db"), path("links.db.restoring")).unwrap();
        let moves = ["analytics.db", "links.db"]
            .map(|name| json!({"from": format!("{name}.restoring"), "to": name}));
        fs::write(path("restore.pending"), json!(moves).to_string()).unwrap();
        if arguments != ["serve"] {
            done(folder.path(), arguments);
            let left = files(folder.path());
            assert!(!left.iter().any(|name| name.contains("restor")), "{left:?}");
        }
        let server = Server::start_in(folder, &[]);
        assert_eq!(server.visit("/old").status, 404);
        assert_ne!(server.visit("/new").status, 404);
        server.counters_with("", 3);
    }
}

#[test]
fn a_damaged_truncated_or_newer_backup_is_found_and_changes_nothing() {
    let (folder, elsewhere, file) = backed_up();
    let whole = fs::read(&file).unwrap();
    let log = fs::read(folder.path().join("analytics.db")).unwrap();
    let links = fs::read(folder.path().join("links.db")).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 3] ^= 0x01;
    // SQLite keeps the mark of the access log there; its first byte is the format.
    let mut newer_log = log.clone();
    newer_log[60] = 99;
    let mut newer_links = links.clone();
    // The name of the step, in its row and in the index.
    let step = b"0.1.0";
    for at in (0..links.len() - step.len()).filter(|at| links[*at..].starts_with(step)) {
        newer_links[at] = b'9';
    }
    assert_ne!(newer_links, links);
    let mut torn_links = links.clone();
    torn_links[4096..8192].fill(0xa5);
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/earlier-build/links.db");
    let earlier = fs::read(kept).unwrap();
    let cases: [(Vec<u8>, &str); 7] = [
        (damaged, "digest does not match"),
        (whole[..whole.len() / 2].to_vec(), "its end is missing"),
        (
            sealed(&[("visits", newer_log), ("links", links.clone())]),
            "has format 99",
        ),
        (
            sealed(&[("visits", log.clone()), ("links", newer_links)]),
            "a later version",
        ),
        (
            sealed(&[("visits", log), ("links", torn_links)]),
            "links cannot be used",
        ),
        (
            sealed(&[("visits", links.clone()), ("links", links)]),
            "not an access log",
        ),
        (
            sealed(&[("links", earlier)]),
            "another build of Slugline made",
        ),
    ];
    let before = files(folder.path());
    for (content, expected) in cases {
        fs::write(&file, content).unwrap();
        let said = refused(elsewhere.path(), &["backup", "verify", text(&file)]);
        assert_has(&said, &[expected]);
        let said = refused(folder.path(), &["restore", "--replace", text(&file)]);
        assert_has(&said, &[expected, "nothing was changed"]);
        assert_eq!(files(folder.path()), before, "{expected}");
        assert_eq!(files(elsewhere.path()), ["a.backup"], "{expected}");
    }
    // `verify` accepts a backup without links; `restore` does not.
    fs::write(&file, sealed(&[])).unwrap();
    let said = refused(folder.path(), &["restore", "--replace", text(&file)]);
    assert_has(&said, &["it has no links"]);
    let server = Server::start_in(folder, &[]);
    assert_ne!(server.visit("/docs").status, 404);
    server.counters_with("", 2);
}

#[cfg(unix)]
#[test]
fn progress_is_shown_on_a_terminal_only() {
    let folder = tempfile::tempdir().unwrap();
    done(folder.path(), &["seed"]);
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("a.backup");
    let mut backup = command(folder.path());
    backup.args(["backup", text(&file)]);
    assert_eq!(succeeded(&mut backup).1, "", "in a pipe");

    let (mut ours, terminal) = terminal::open();
    let on_terminal = backup.arg("--replace").env("TERM", "xterm");
    on_terminal.stderr(terminal);
    assert!(backup.output().unwrap().status.success());
    drop(backup);
    let mut said = Vec::new();
    // It ends with an error once no process holds the other end.
    let _ = ours.read_to_end(&mut said);
    assert_has(&String::from_utf8(said).unwrap(), &["access log: ", " %"]);
}

#[test]
fn nothing_is_replaced_without_being_told_and_no_service_is_disturbed() {
    let (folder, _elsewhere, file) = backed_up();
    for verb in ["backup", "restore"] {
        let said = refused(folder.path(), &[verb, text(&file)]);
        assert_has(&said, &["there already", "--replace"]);
    }
    done(folder.path(), &["backup", "--replace", text(&file)]);
    let server = Server::start_in(folder, &[]);
    let said = refused(server.folder(), &["restore", "--replace", text(&file)]);
    assert_has(&said, &["another slugline"]);
    assert_ne!(server.visit("/docs").status, 404);

    let empty = tempfile::tempdir().unwrap();
    let said = refused(empty.path(), &["backup", text(&empty.path().join("b"))]);
    assert_has(&said, &["there is no database"]);
    assert_eq!(files(empty.path()), Vec::<String>::new());
    let new = empty.path().join("new");
    refused(&new, &["restore", text(&empty.path().join("b"))]);
    assert!(!new.exists(), "a restore that fails leaves no folder");
}

#[test]
fn databases_elsewhere_and_of_other_kinds_are_told_apart() {
    let (elsewhere, file) = place();
    let folder = instance("docs", 1);
    let postgres = |command: &mut Command| {
        let url = "postgres://slugline@127.0.0.1:1/none";
        failed(command.env("SLUGLINE_DATABASE_URL", url))
    };
    for verb in ["backup", "restore"] {
        let said = postgres(command(folder.path()).args([verb, text(&file)]));
        assert_has(&said, &["pg_dump"]);
    }
    let said = postgres(command(folder.path()).env("SLUGLINE_BACKUP_DIR", elsewhere.path()));
    assert_has(&said, &["SLUGLINE_BACKUP_DIR", "pg_dump"]);

    done(folder.path(), &["backup", text(&file)]);
    let on_clickhouse = |folder: &Path, arguments: [&str; 2]| {
        let mut command = command(folder);
        let url = "clickhouse+http://127.0.0.1:1/visits";
        command.args(arguments).env("SLUGLINE_ANALYTICS_URL", url);
        command
    };
    let new = elsewhere.path().join("new");
    let said = failed(&mut on_clickhouse(&new, ["restore", text(&file)]));
    assert_has(&said, &["SLUGLINE_ANALYTICS_URL names ClickHouse"]);
    let links = elsewhere.path().join("links.backup");
    let (_, said) = succeeded(&mut on_clickhouse(folder.path(), ["backup", text(&links)]));
    assert_has(&said, &["in ClickHouse and not in this"]);
    let found = done(elsewhere.path(), &["backup", "verify", text(&links)]);
    assert!(
        found.contains("links: ok") && !found.contains("access log"),
        "{found}"
    );

    // A path relative to the working folder, which is not in the data folder.
    let mut restore = command(&elsewhere.path().join("data"));
    restore.args([
        "restore",
        text(&file),
        "--database-url",
        "sqlite://elsewhere/links.db",
    ]);
    fs::create_dir(elsewhere.path().join("elsewhere")).unwrap();
    succeeded(restore.current_dir(elsewhere.path()));
    assert_eq!(files(&elsewhere.path().join("elsewhere")), ["links.db"]);
}

#[test]
fn the_site_token_goes_along_only_when_asked_for() {
    let (_elsewhere, file) = place();
    let (_, folder) = Server::start_with(&[("SLUGLINE_SITE_TOKEN", "")]).stop("TERM");
    let said = refused(folder.path(), &["backup", "--with-site-token", text(&file)]);
    assert_has(&said, &["a setting gives it"]);
    assert!(!file.exists());
    let mut backup = command(folder.path());
    backup.args(["backup", "--with-site-token", text(&file)]);
    succeeded(backup.env_remove("SLUGLINE_SITE_TOKEN"));
    let token = |folder: &TempDir| fs::read_to_string(folder.path().join("site-token")).unwrap();
    let restored = tempfile::tempdir().unwrap();
    let restore = |arguments: &[&str]| {
        let mut restore = command(restored.path());
        restore.env_remove("SLUGLINE_SITE_TOKEN").arg("restore");
        succeeded(restore.args(arguments).arg(&file)).0
    };
    let (new, flag) = (
        "the next start makes a new one",
        "--with-site-token takes it over",
    );
    assert_has(&restore(&[]), &[new, flag]);
    assert!(!restored.path().join("site-token").exists());
    fs::write(restored.path().join("site-token"), "kept-in-the-folder\n").unwrap();
    assert_has(&restore(&["--replace"]), &["site-token stays"]);
    assert_eq!(token(&restored), "kept-in-the-folder\n");
    assert_has(
        &restore(&["--replace", "--with-site-token"]),
        &["site token: the backup's"],
    );
    assert_eq!(token(&restored), token(&folder));

    done(folder.path(), &["backup", "--replace", text(&file)]);
    let arguments = ["restore", "--replace", "--with-site-token", text(&file)];
    let said = refused(restored.path(), &arguments);
    assert_has(&said, &["it has no site token"]);
}

/// The writer of a backup can also compute its digest anew.
#[test]
fn a_backup_with_a_foreign_object_is_refused_by_its_name() {
    let (elsewhere, file) = place();
    let source = tempfile::tempdir().unwrap();
    done(instance("docs", 1).path(), &["backup", text(&file)]);
    let folder = instance("here", 1);
    for (database, statement, expected) in [
        (
            "links.db",
            "CREATE TRIGGER back AFTER DELETE ON tokens BEGIN
             INSERT INTO tokens VALUES (old.name, old.digest, 'admin', NULL, 1, NULL); END",
            "it has the trigger \"back\" on \"tokens\"",
        ),
        (
            "links.db",
            "DROP INDEX links_key",
            "it lacks the index \"links_key\"",
        ),
        (
            "analytics.db",
            "CREATE TRIGGER odd AFTER INSERT ON salt BEGIN DELETE FROM link; END",
            "it has the trigger \"odd\" on \"salt\"",
        ),
    ] {
        done(source.path(), &["restore", "--replace", text(&file)]);
        sqlite::execute(&source.path().join(database), statement);
        let parts = [("visits", "analytics.db"), ("links", "links.db")];
        let parts = parts.map(|(part, name)| (part, fs::read(source.path().join(name)).unwrap()));
        let forged = elsewhere.path().join("forged.backup");
        fs::write(&forged, sealed(&parts)).unwrap();
        let before = files(folder.path());
        for (from, arguments) in [
            (elsewhere.path(), ["backup", "verify"]),
            (folder.path(), ["restore", "--replace"]),
        ] {
            let said = refused(from, &[&arguments[..], &[text(&forged)]].concat());
            assert_has(&said, &[expected]);
        }
        assert_eq!(files(folder.path()), before);
        // The folder from which it comes hears of it, too.
        let said = run(command(source.path()).arg("doctor")).1;
        let advice = said.lines().find(|line| line.contains("ADVICE"));
        assert!(advice.unwrap_or_default().contains(expected), "{said}");
        let said = refused(
            source.path(),
            &["backup", text(&elsewhere.path().join("b"))],
        );
        assert_has(&said, &[expected]);
    }
}

#[test]
fn data_with_traces_of_imports_comes_back() {
    let elsewhere = tempfile::tempdir().unwrap();
    let folder = instance("other", 1);
    let visits = elsewhere.path().join("visits.ndjson");
    done(folder.path(), &["visits", "export", text(&visits)]);
    let other = instance("docs", 1);
    done(other.path(), &["visits", "import", text(&visits)]);
    let mut add = vec!["token", "add", "agent", "--scope", "links:read"];
    done(other.path(), &add);
    add[2] = "robot";
    done(folder.path(), &add);
    for folder in [&folder, &other] {
        let new = elsewhere.path().join("new.backup");
        done(folder.path(), &["backup", "--replace", text(&new)]);
        let found = done(elsewhere.path(), &["backup", "verify", text(&new)]);
        assert!(found.contains("named tokens: 1"), "{found}");
        let said = done(folder.path(), &["restore", "--replace", text(&new)]);
        assert_has(&said, &["named tokens: 1 came with"]);
    }
    assert_eq!(Server::start_in(folder, &[]).visit("/other").status, 301);
}

/// Limits the size of the files that the command may write.
fn limited(command: &Command, bytes: u64) -> Command {
    // A write beyond the limit raises a signal, which ends a program that does not ignore it; a
    // full disk only returns the error. POSIX counts in half kilobytes.
    under_sh(&format!("trap '' XFSZ; ulimit -f {}", bytes / 512), command)
}

fn length(path: PathBuf) -> u64 {
    fs::metadata(path).unwrap().len()
}

#[test]
fn a_full_disk_leaves_no_file_and_the_old_data() {
    let (elsewhere, file) = place();
    let folder = instance("old", 1);
    let lengths = ["links.db", "analytics.db"].map(|name| length(folder.path().join(name)));
    let largest = lengths[0].max(lengths[1]);
    // First no room for a copy, then none for the whole backup.
    for bytes in [largest / 2, largest + 4096] {
        let mut backup = command(folder.path());
        backup.args(["backup", text(&file)]);
        let said = failed(&mut limited(&backup, bytes));
        // SQLite may lack room already for the memory that it shares with the service.
        let expected = ["a.backup cannot be written", ".db cannot be copied"];
        assert!(expected.iter().any(|text| said.contains(text)), "{said}");
        assert_eq!(files(elsewhere.path()), Vec::<String>::new(), "{bytes}");
    }
    done(folder.path(), &["backup", text(&file)]);
    let before = files(folder.path());
    let mut restore = command(folder.path());
    restore.args(["restore", "--replace", text(&file)]);
    for bytes in [0, 8 << 10, largest / 2] {
        let said = failed(&mut limited(&restore, bytes));
        assert!(bytes == 0 || said.contains("nothing was changed"), "{said}");
        assert_eq!(files(folder.path()), before, "{bytes}");
    }
    let server = Server::start_in(folder, &[]);
    assert_ne!(server.visit("/old").status, 404);
}

fn earlier_ones(folder: &Path) -> [String; 3] {
    let names = [1, 2, 3].map(|day| format!("slugline-170000000{day}.backup"));
    for name in &names {
        fs::write(folder.join(name), "an earlier one").unwrap();
    }
    names
}

#[test]
fn scheduled_backups_are_made_kept_and_removed() {
    let elsewhere = tempfile::tempdir().unwrap();
    let backups = elsewhere.path().join("backups");
    fs::create_dir(&backups).unwrap();
    let old = earlier_ones(&backups);
    let partial = ".slugline-1700000004.backup.partial";
    fs::write(backups.join(partial), "killed").unwrap();
    fs::write(backups.join("notes.txt"), "mine").unwrap();
    let settings = [
        ("SLUGLINE_BACKUP_DIR", text(&backups)),
        ("SLUGLINE_BACKUP_KEEP", "2"),
    ];
    let server = Server::start_with(&settings);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    eventually("old ones are removed", || files(&backups).len() == 3);
    let left = files(&backups);
    assert_eq!(left[0], "notes.txt");
    assert_eq!(left[1], old[2], "the newest of the old ones");
    let made = backups.join(&left[2]);
    done(elsewhere.path(), &["backup", "verify", text(&made)]);
    // A restart does not make another backup early.
    let (_, folder) = server.stop("TERM");
    let server = Server::start_in(folder, &settings);
    server.visit("/docs");
    drop(server.stop("TERM"));
    assert_eq!(files(&backups), left);
}

#[test]
fn a_scheduled_backup_that_fails_is_an_error_and_removes_no_good_one() {
    let backups = tempfile::tempdir().unwrap();
    let folder = instance("docs", 1);
    let old = earlier_ones(backups.path());
    // Room for each database, but not for both in one file.
    let bytes = ["links.db", "analytics.db"].map(|name| length(folder.path().join(name)));
    let mut service = command(folder.path());
    service
        .env("SLUGLINE_BACKUP_DIR", backups.path())
        .env("SLUGLINE_BACKUP_KEEP", "1");
    let mut service = limited(&service, bytes.iter().sum::<u64>() - 1024);
    let (reader, writer) = std::io::pipe().unwrap();
    service.stderr(writer);
    let server = Server::start_by(service, folder);
    let mut lines = BufReader::new(reader).lines();
    let line = lines.find(|line| line.as_ref().unwrap().contains("ERROR"));
    let line = line.unwrap().unwrap();
    assert!(line.contains("no backup was made"), "{line}");
    assert_eq!(files(backups.path()), old);
    assert_ne!(server.visit("/docs").status, 404);
}
