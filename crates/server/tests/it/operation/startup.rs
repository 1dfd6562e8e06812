//! Settings, token, data folder, shutdown.

use std::{
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::Command,
};

use serde_json::json;

#[cfg(unix)]
use crate::support::terminal;
use crate::{
    api::main_job::unix_seconds,
    support::{
        own_database::OwnDatabase,
        relay::Relay,
        server::{Server, command, refusal, under_sh},
    },
};

/// Checks that the start fails with one line that names the setting and the remedy.
#[track_caller]
fn assert_refused(settings: &[(&str, &str)], name: &str, fix: &str) {
    let output = refusal(settings);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    assert!(
        said.starts_with("slugline: ") && said.contains(name),
        "{said}"
    );
    assert!(said.contains(fix), "{said}");
}

#[test]
fn a_wrong_setting_stops_the_start() {
    assert_refused(
        &[("SLUGLINE_TRACES_SHARE", "50%")],
        "SLUGLINE_TRACES_SHARE",
        "from 0 to 1",
    );
    assert_refused(
        &[("SLUGLINE_SITE_TOKEN", "short")],
        "SLUGLINE_SITE_TOKEN",
        "at least 8",
    );
    assert_refused(
        &[("SLUGLINE_LISTEN", "nowhere")],
        "SLUGLINE_LISTEN",
        "127.0.0.1:8080",
    );
    assert_refused(
        &[("NUXT_REDIRECT_STATUS_CODE", "200")],
        "NUXT_REDIRECT_STATUS_CODE",
        "301, 302, 307 or 308",
    );
    assert_refused(
        &[("SLUGLINE_LOG", "verbose")],
        "SLUGLINE_LOG",
        "\"verbose\" is not a level",
    );
    let dead = "postgres://nobody@127.0.0.1:1/none";
    assert_refused(
        &[("SLUGLINE_DATABASE_URL", dead)],
        "SLUGLINE_DATABASE_URL",
        "refused",
    );
    assert_refused(
        &[("SLUGLINE_ANALYTICS_URL", "sqlite:/nonexistent/analytics.db")],
        "SLUGLINE_ANALYTICS_URL",
        "/nonexistent/analytics.db",
    );
}

#[test]
fn all_wrong_settings_are_told_at_once() {
    let output = refusal(&[
        ("SLUGLINE_LOG", "verbose"),
        ("SLUGLINE_REDIRECT_STATUS_CODE", "303"),
        ("SLUGLINE_WEBHOOK_SECRET_FILE", "/nowhere"),
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(
        said.starts_with("slugline: 3 settings are wrong\n"),
        "{said}"
    );
    for part in [
        "\"verbose\" is not a level",
        "is \"303\"",
        "/nowhere cannot be read",
    ] {
        assert!(
            said.lines().any(|line| line.contains(part)),
            "{part}: {said}"
        );
    }
}

#[test]
fn a_start_in_an_empty_folder_says_that_the_instance_is_new() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let start = |folder| {
        let folder: tempfile::TempDir = folder;
        let mut command = command(folder.path());
        command.stderr(log.reopen().unwrap());
        let folder = Server::start_by(command, folder).stop("TERM").1;
        let said = fs::read_to_string(log.path()).unwrap();
        (folder, said.contains("a new one was made"))
    };
    let (folder, is_new) = start(tempfile::tempdir().unwrap());
    assert!(is_new);
    fs::write(log.path(), "").unwrap();
    assert!(!start(folder).1);
}

#[test]
fn after_a_kill_the_log_and_answers_about_that_minute_say_that_visits_may_be_missing() {
    let log = tempfile::NamedTempFile::new().unwrap();
    let start = |folder: tempfile::TempDir| {
        fs::write(log.path(), "").unwrap();
        let mut command = command(folder.path());
        command.stderr(log.reopen().unwrap());
        Server::start_by(command, folder)
    };
    let says_so = || {
        let said = fs::read_to_string(log.path()).unwrap();
        said.contains("the service was killed the last time")
    };
    let is_exact = |server: &Server, span: &str| {
        let path = format!("/api/stats/counters?{span}");
        let counters = server.api("GET", &path).send().json();
        counters["sampling"]["exact"].as_bool().unwrap()
    };
    let killed = start(tempfile::tempdir().unwrap());
    assert!(is_exact(&killed, ""));
    let folder = killed.kill();
    assert!(!says_so());
    // A start that fails does not use the news up.
    let mut failing = command(folder.path());
    failing.env("SLUGLINE_ANALYTICS_URL", "sqlite:/nonexistent/analytics.db");
    assert!(!failing.output().unwrap().status.success());
    let second = start(folder);
    assert!(says_so());
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

#[cfg(not(feature = "otel"))]
#[test]
fn a_program_without_traces_does_not_promise_them() {
    let url = ("SLUGLINE_TRACES_URL", "http://127.0.0.1:4318/v1/traces");
    assert_refused(&[url], "SLUGLINE_TRACES_URL", "--features otel");
}

#[test]
fn a_taken_port_stops_the_start() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    assert_refused(
        &[("SLUGLINE_LISTEN", &address)],
        "SLUGLINE_LISTEN",
        "choose another port",
    );
}

#[test]
fn a_failed_start_leaves_no_folder_and_no_token() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = other.local_addr().unwrap().to_string();
    let parent = tempfile::tempdir().unwrap();
    let (new, old) = (parent.path().join("new/data"), parent.path().join("old"));
    fs::create_dir(&old).unwrap();
    for (name, value) in [
        ("SLUGLINE_LISTEN", taken.as_str()),
        (
            "SLUGLINE_DATABASE_URL",
            "postgres://nobody@127.0.0.1:1/none",
        ),
        ("SLUGLINE_ANALYTICS_URL", "sqlite:/nonexistent/analytics.db"),
        ("SLUGLINE_GEOIP_PATH", "/nonexistent/places.mmdb"),
    ] {
        for folder in [&new, &old] {
            let mut command = command(folder);
            command.env_remove("SLUGLINE_SITE_TOKEN").env(name, value);
            assert!(!command.output().unwrap().status.success(), "{name}");
        }
        assert!(!parent.path().join("new").exists(), "{name}");
        assert!(!old.join("site-token").exists(), "{name}");
    }
    assert!(old.exists());
}

#[test]
fn an_unwritable_folder_stops_the_start() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let folder = file.path().join("data");
    let folder = folder.to_str().unwrap();
    assert_refused(
        &[("SLUGLINE_DATA_DIR", folder)],
        "SLUGLINE_DATA_DIR",
        "another folder",
    );
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
    assert!(
        greeting.contains(&format!("Authorization: Bearer {token}")),
        "{greeting}"
    );
    for part in ["/api/mcp", "/api/link/create", "/api/stats/counters"] {
        assert!(greeting.contains(part), "{part}: {greeting}");
    }

    let (_, rest) = greeting.split_once("/_dashboard/#code=").unwrap();
    let (code, _) = rest.split_once('\n').unwrap();

    let again = greeting_on_a_terminal(folder.path());
    assert!(
        again.contains("is listening") && !again.contains(&token),
        "the second start must not show it again: {again}"
    );
    let second = Server::start_in(folder, &no_token);
    assert!(second.greeting().contains("/_dashboard/\n"));
    assert!(
        second.greeting().contains("$(cat '") && second.greeting().contains("site-token')"),
        "but say where it is: {}",
        second.greeting()
    );
    let list = second.request("GET", "/api/link/list");
    assert_eq!(
        list.header("authorization", &format!("Bearer {token}"))
            .send()
            .status,
        200
    );
    let exchange = second.request("POST", "/_dashboard/sign-in");
    let exchanged = exchange.json(&json!({"code": code})).send();
    assert_eq!(exchanged.json()["token"], token, "{}", exchanged.text);
}

/// A journal and a container engine keep what they are told.
#[test]
fn a_minted_token_is_told_to_nothing_but_a_terminal() {
    let folder = tempfile::tempdir().unwrap();
    let log = tempfile::NamedTempFile::new().unwrap();
    let mut piped = command(folder.path());
    piped
        .env_remove("SLUGLINE_SITE_TOKEN")
        .stderr(log.reopen().unwrap());
    let server = Server::start_by(piped, folder);
    let token = kept_token(server.folder());
    let said = server.greeting().to_owned() + &fs::read_to_string(log.path()).unwrap();
    assert!(!said.contains(&token), "{said}");
    let printing = said
        .lines()
        .find(|line| line.trim_start().starts_with("slugline token show --bare"));
    let printing = printing.unwrap_or_else(|| panic!("{said}")).trim();
    let program = command(server.folder()).get_program().display().to_string();
    let script = printing.replacen("slugline", &program, 1);
    let printed = Command::new("/bin/sh").args(["-c", &script]).output();
    let printed = printed.unwrap();
    assert_eq!(String::from_utf8_lossy(&printed.stdout).trim(), token);
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
    let mut events = lines
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    assert!(
        events.any(|event: serde_json::Value| event["fields"]["file"] == file),
        "{lines}"
    );
}

#[test]
fn a_token_can_come_from_a_file_or_from_sinks_variable() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "token-from-a-file\n").unwrap();
    let path = file.path().to_str().unwrap();
    for (settings, token) in [
        (
            [
                ("SLUGLINE_SITE_TOKEN", ""),
                ("SLUGLINE_SITE_TOKEN_FILE", path),
            ],
            "token-from-a-file",
        ),
        (
            [
                ("SLUGLINE_SITE_TOKEN", ""),
                ("NUXT_SITE_TOKEN", "token-of-sink"),
            ],
            "token-of-sink",
        ),
    ] {
        let server = Server::start_with(&settings);
        let list = server.request("GET", "/api/link/list");
        assert_eq!(
            list.header("authorization", &format!("Bearer {token}"))
                .send()
                .status,
            200
        );
    }
}

#[test]
fn a_folder_may_have_any_name() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("a b%20c?d#e");
    let server = Server::start_with(&[("SLUGLINE_DATA_DIR", folder.to_str().unwrap())]);
    server.create(&serde_json::json!({"url": "https://example.com/", "slug": "docs"}));
    for file in ["links.db", "analytics.db"] {
        assert!(folder.join(file).exists(), "{file}");
    }
}

#[test]
fn a_configured_origin_is_shown_everywhere() {
    let server = Server::start_with(&[("SLUGLINE_BASE_URL", "https://sl.example/")]);
    let greeting = server.greeting();
    assert!(
        greeting.contains("public address is https://sl.example\n"),
        "{greeting}"
    );
    assert!(
        greeting.contains("curl https://sl.example/api/link/create"),
        "{greeting}"
    );
    let made = server.create(&serde_json::json!({"url": "https://example.com/", "slug": "docs"}));
    assert_eq!(made["shortLink"], "https://sl.example/docs");
}

#[test]
fn a_folder_serves_one_instance_at_a_time() {
    let first = Server::start();
    let folder = first.folder().to_str().unwrap().to_owned();
    assert_refused(
        &[("SLUGLINE_DATA_DIR", &folder)],
        &format!("(process {})", first.process_id()),
        "name another folder in SLUGLINE_DATA_DIR",
    );
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
        let log = tempfile::NamedTempFile::new().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(mode)).unwrap();
        let mut command = command(folder.path());
        command.stderr(log.reopen().unwrap());
        let mend = format!("chmod 700 {:?}", folder.path());
        let server = Server::start_by(command, folder);
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
    let files = limits
        .lines()
        .find(|line| line.starts_with("Max open files"));
    let numbers: Vec<&str> = files.unwrap().split_whitespace().skip(3).collect();
    assert_eq!(numbers, ["1000", "1000", "files"]);
}

#[test]
fn readiness_names_every_part() {
    let ready = Server::start().visit("/_health/ready").json();
    let well = json!({"status": "ok", "reasons": []});
    let parts = json!({"links": well, "log": well, "listener": well, "disk": well});
    assert_eq!(ready["parts"], parts);
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
        let done = command.output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let database = OwnDatabase::create("healthcheck");
    let way = Relay::to(&format!(
        "{}:{}",
        database.url().host_str().unwrap(),
        database.url().port().unwrap()
    ));
    let mut url = database.url().clone();
    url.set_port(Some(way.address().port())).unwrap();
    let server = Server::start_with(&[("SLUGLINE_DATABASE_URL", url.as_str())]);
    let listen = server.origin().trim_start_matches("http://").to_owned();
    let (code, said, _) = check(&listen);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("\"status\":\"ok\""), "{said}");

    way.cut();
    let (code, _, said) = check(&listen);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("/_health/ready answered 503"), "{said}");

    server.stop("TERM");
    let (code, _, said) = check(&listen);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("does not answer"), "{said}");
    let (code, _, said) = check("127.0.0.1:0");
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("SLUGLINE_LISTEN"), "{said}");
}
