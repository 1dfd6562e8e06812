//! Settings, token, data folder, shutdown.

use std::{
    cell::RefCell,
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

#[cfg(unix)]
use crate::support::terminal;
use crate::{
    api::main_job::unix_seconds,
    support::{
        own_database::OwnDatabase,
        relay::Relay,
        server::{Server, assert_has, command, eventually, refusal, run, under_sh},
    },
};

/// Checks that the start fails with one line that names the setting and the remedy, and leaves no
/// folder and no token.
#[track_caller]
fn assert_refused(name: &str, value: &str, told: &str, fix: &str) {
    let parent = tempfile::tempdir().unwrap();
    let (new, old) = (parent.path().join("new/data"), parent.path().join("old"));
    fs::create_dir(&old).unwrap();
    for folder in [&new, &old] {
        let mut command = command(folder);
        let (code, _, said) = run(command.env("SLUGLINE_SITE_TOKEN", "").env(name, value));
        assert_eq!((code, said.lines().count()), (Some(1), 1), "{said}");
        assert!(
            said.starts_with("slugline: ") && said.contains(told),
            "{said}"
        );
        assert!(said.contains(fix), "{said}");
    }
    assert!(!parent.path().join("new").exists(), "{name}");
    assert!(!old.join("site-token").exists(), "{name}");
}

#[test]
fn a_start_that_cannot_succeed_says_what_to_do_and_leaves_nothing() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    let file = tempfile::NamedTempFile::new().unwrap();
    let unwritable = file.path().join("data").display().to_string();
    let dead = "postgres://slugline@127.0.0.1:1/none";
    let nowhere = "sqlite:/nonexistent/a.db";
    for (name, value, fix) in [
        ("SLUGLINE_SITE_TOKEN", "short", "at least 8"),
        ("NUXT_REDIRECT_STATUS_CODE", "200", "301, 302, 307 or 308"),
        ("SLUGLINE_LOG", "verbose", "\"verbose\" is not a level"),
        ("SLUGLINE_LISTEN", &taken, "choose another port"),
        ("SLUGLINE_DATA_DIR", &unwritable, "another folder"),
        ("SLUGLINE_DATABASE_URL", dead, "refused"),
        ("SLUGLINE_ANALYTICS_URL", nowhere, "/nonexistent/a.db"),
        ("SLUGLINE_GEOIP_PATH", "/nonexistent/a.mmdb", "a.mmdb"),
        (
            "SLUGLINE_LEGACY_KV_URL",
            "file:/nonexistent/a",
            "nonexistent",
        ),
        #[cfg(not(feature = "otel"))]
        (
            "SLUGLINE_TRACES_URL",
            "http://127.0.0.1:4318/",
            "--features otel",
        ),
    ] {
        assert_refused(name, value, name, fix);
    }
    let old_store = "redis://u:hunter2@host:port";
    let said = String::from_utf8(refusal(&[("SLUGLINE_LEGACY_KV_URL", old_store)]).stderr).unwrap();
    assert!(
        said.contains("redis://host:6379/0") && !said.contains("hunter2"),
        "{said}"
    );
}

#[test]
fn after_a_kill_the_log_and_answers_about_that_minute_say_that_visits_may_be_missing() {
    // The log of the latest start.
    let log = RefCell::new(None);
    let start = |folder: TempDir| {
        let (server, lines) = Server::start_logged(folder, &[]);
        log.replace(Some(lines));
        server
    };
    let has_said = |words: &str| {
        let log = log.borrow();
        fs::read_to_string(log.as_ref().unwrap().path())
            .unwrap()
            .contains(words)
    };
    let says_so = || has_said("the service was killed the last time");
    let is_new = || has_said("a new one was made");
    let is_exact = |server: &Server, span: &str| {
        let path = format!("/api/stats/counters?{span}");
        let counters = server.get(&path).json();
        counters["sampling"]["exact"].as_bool().unwrap()
    };
    let killed = start(tempfile::tempdir().unwrap());
    assert!(is_exact(&killed, ""));
    let folder = killed.kill();
    assert!(is_new() && !says_so());
    // A start that fails does not use the news up.
    let mut failing = command(folder.path());
    failing.env("SLUGLINE_ANALYTICS_URL", "sqlite:/nonexistent/analytics.db");
    assert!(!failing.output().unwrap().status.success());
    let second = start(folder);
    assert!(says_so() && !is_new());
    assert!(!is_exact(&second, ""));
    let now = unix_seconds();
    for elsewhere in [
        format!("endAt={}", now - 600),
        format!("startAt={}", now + 600),
    ] {
        assert!(is_exact(&second, &elsewhere), "{elsewhere}");
    }
    let third = start(second.stop("TERM").1);
    assert!(!says_so());
    assert!(!is_exact(&third, ""), "it stays so");
    drop(start(third.stop("INT").1));
    assert!(!says_so());

    let stopped = start(tempfile::tempdir().unwrap()).stop("TERM").1;
    assert!(is_exact(&start(stopped), ""));
    assert!(!says_so());
}

fn kept_token(folder: &Path) -> String {
    let text = fs::read_to_string(folder.join("site-token")).unwrap();
    text.trim().to_owned()
}

/// The greeting of a service whose standard output is a terminal. It is killed then.
#[cfg(unix)]
fn greeting_on_a_terminal(folder: &Path) -> String {
    let (ours, terminal) = terminal::open();
    let mut command = command(folder);
    command.env_remove("SLUGLINE_SITE_TOKEN").stdout(terminal);
    let mut service = command.spawn().unwrap();
    let lines = BufReader::new(ours).lines();
    let mut greeting = String::new();
    for line in lines.map_while(Result::ok) {
        greeting.extend([line.trim_end(), "\n"]);
        if line.contains("API reference") {
            break;
        }
    }
    service.kill().unwrap();
    service.wait().unwrap();
    greeting
}

#[cfg(unix)]
#[test]
fn a_minted_token_is_shown_once_to_a_terminal_and_kept() {
    let no_token = [("SLUGLINE_SITE_TOKEN", "")];
    let folder = tempfile::tempdir().unwrap();
    let greeting = greeting_on_a_terminal(folder.path());
    let token = kept_token(folder.path());
    let header = format!("Authorization: Bearer {token}");
    assert_has(
        &greeting,
        &[
            &header,
            "/api/mcp",
            "/api/link/create",
            "/api/stats/counters",
        ],
    );

    let (_, rest) = greeting.split_once("/_dashboard/#code=").unwrap();
    let (code, _) = rest.split_once('\n').unwrap();

    let again = greeting_on_a_terminal(folder.path());
    // The second start does not show it again.
    assert!(
        again.contains("is listening") && !again.contains(&token),
        "{again}"
    );
    let second = Server::start_in(folder, &no_token);
    assert_has(
        second.greeting(),
        &["/_dashboard/\n", "$(cat '", "site-token')"],
    );
    let list = second.request("GET", "/api/link/list");
    list.header("authorization", &header[15..]).send().is(200);
    let exchange = second.request("POST", "/_dashboard/sign-in");
    let exchanged = exchange.json(&json!({"code": code})).send();
    assert_eq!(exchanged.json()["token"], token, "{}", exchanged.text);
}

/// A journal and a container engine keep what they are told.
#[test]
fn a_minted_token_is_told_to_nothing_but_a_terminal() {
    let no_token = [("SLUGLINE_SITE_TOKEN", "")];
    let (server, log) = Server::start_logged(tempfile::tempdir().unwrap(), &no_token);
    let token = kept_token(server.folder());
    let said = server.greeting().to_owned() + &fs::read_to_string(log.path()).unwrap();
    assert!(!said.contains(&token), "{said}");
    let mut lines = said.lines().map(str::trim);
    let printing = lines.find(|line| line.starts_with("slugline token show --bare"));
    let printing = printing.unwrap_or_else(|| panic!("{said}"));
    let program = command(server.folder()).get_program().display().to_string();
    let script = printing.replacen("slugline", &program, 1);
    let printed = run(Command::new("/bin/sh").args(["-c", &script])).1;
    assert_eq!(printed.trim(), token);
}

#[test]
fn standard_output_has_no_word_beside_a_log_of_json_lines() {
    let folder = tempfile::tempdir().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut command = command(folder.path());
    command.env_remove("SLUGLINE_SITE_TOKEN");
    let server = Server::start_logging_json(command, folder, log.path());
    assert_eq!(server.visit("/_health/live").status, 200);
    let token = kept_token(server.folder());
    let file = json!(server.folder().join("site-token"));
    assert_eq!(server.killed_and_read(), "");
    let lines = fs::read_to_string(log.path()).unwrap();
    assert!(!lines.contains(&token), "{lines}");
    let events = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let mut files = events.map(|event: Value| event["fields"]["file"].clone());
    assert!(files.any(|named| named == file), "{lines}");
}

#[test]
fn a_configured_origin_is_shown_everywhere_and_a_folder_may_have_any_name() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a b%20c?d#e");
    let server = Server::start_with(&[
        ("SLUGLINE_BASE_URL", "https://sl.example/"),
        ("SLUGLINE_DATA_DIR", folder.to_str().unwrap()),
    ]);
    let greeting = server.greeting();
    let curl = "curl https://sl.example/api/link/create";
    assert_has(greeting, &["public address is https://sl.example\n", curl]);
    let made = server.create(&serde_json::json!({"url": "https://example.com/", "slug": "docs"}));
    assert_eq!(made["shortLink"], "https://sl.example/docs");
    for file in ["links.db", "analytics.db"] {
        assert!(folder.join(file).exists(), "{file}");
    }
}

#[test]
fn an_address_in_any_spelling_is_shown_in_one_and_in_its_own_characters() {
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", "HTTPS://BÜCHER.example.:443/")]);
    let (ascii, unicode) = ("https://xn--bcher-kva.example", "https://bücher.example");
    let both = format!("public address is {ascii}, which is {unicode}\n");
    assert_has(server.greeting(), &[&both, &format!("open {ascii}/hello")]);
    let made = server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    assert_eq!(made["shortLink"], format!("{ascii}/docs"));
    let setup: Value = server.api("GET", "/api/setup").send().json();
    assert_eq!(
        [&setup["baseUrl"], &setup["baseUrlUnicode"]],
        [ascii, unicode]
    );
}

#[test]
fn a_folder_serves_one_instance_at_a_time() {
    let first = Server::start();
    let folder = first.folder().to_str().unwrap();
    let told = format!("(process {})", first.process_id());
    let fix = "name another folder in SLUGLINE_DATA_DIR";
    assert_refused("SLUGLINE_DATA_DIR", folder, &told, fix);
    let first = first.kill();
    Server::start_in(first, &[]);
}

#[cfg(unix)]
fn mode(path: &std::path::Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;

    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_its_owners_alone_whatever_the_umask() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("data");
    let mut command = command(&folder);
    command.env_remove("SLUGLINE_SITE_TOKEN");
    let server = Server::start_by(under_sh("umask 0", &command), parent);
    server.visit("/nothing");
    assert_eq!(mode(&folder), 0o700);
    let kept: Vec<_> = fs::read_dir(&folder).unwrap().map(Result::unwrap).collect();
    for name in ["links.db", "links.db-wal", "analytics.db", "site-token"] {
        assert!(kept.iter().any(|file| file.file_name() == name), "{name}");
    }
    for file in kept {
        assert_eq!(mode(&file.path()) & 0o077, 0, "{:?}", file.file_name());
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_everybody_can_read_is_named_with_its_mend() {
    use std::os::unix::fs::PermissionsExt;

    let said_about = |mode| {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        let mend = format!("chmod 700 {:?}", folder.path());
        let (server, log) = Server::start_logged(folder, &[]);
        server.stop("TERM");
        fs::read_to_string(log.path()).unwrap().contains(&mend)
    };
    assert!(said_about(0o755));
    assert!(!said_about(0o750), "an operator may let a group read");
}

#[cfg(target_os = "linux")]
#[test]
fn as_many_files_may_be_open_as_the_system_lets() {
    let folder = tempfile::tempdir().unwrap();
    let preparation = "ulimit -Sn 100 && ulimit -Hn 1000";
    let server = Server::start_by(under_sh(preparation, &command(folder.path())), folder);
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.process_id())).unwrap();
    let mut lines = limits.lines();
    let files = lines.find(|line| line.starts_with("Max open files"));
    let numbers: Vec<&str> = files.unwrap().split_whitespace().skip(3).collect();
    assert_eq!(numbers, ["1000", "1000", "files"]);
}

#[test]
fn a_health_check_says_whether_the_service_is_ready() {
    let check = |listen: &str| {
        let folder = tempfile::tempdir().unwrap();
        let mut command = command(folder.path());
        // Settings that would stop the service do not concern the check.
        command
            .env("SLUGLINE_LISTEN", listen)
            .env("SLUGLINE_WORKERS", "none")
            .env("SLUGLINE_DATABASE_URL_FILE", "/nowhere")
            .arg("healthcheck");
        run(&mut command)
    };
    let refused = |listen: &str, why: &str| {
        let (code, _, said) = check(listen);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains(why), "{said}");
    };
    let database = OwnDatabase::create("healthcheck");
    let (way, url) = Relay::before(database.url());
    let server = Server::start_with(&[("SLUGLINE_DATABASE_URL", url.as_str())]);
    let listen = server.origin().trim_start_matches("http://").to_owned();
    let (code, said, _) = check(&listen);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("\"status\":\"ok\""), "{said}");
    let well = json!({"status": "ok", "reasons": []});
    let parts = json!({"links": well, "log": well, "listener": well, "disk": well});
    eventually("every part is well", || {
        server.visit("/_health/ready").json()["parts"] == parts
    });

    way.cut();
    refused(&listen, "/_health/ready answered 503");
    server.stop("TERM");
    refused(&listen, "does not answer");
    refused("127.0.0.1:0", "SLUGLINE_LISTEN");
}
