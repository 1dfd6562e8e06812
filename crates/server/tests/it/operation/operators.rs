//! Output for operators: log output, help, settings.

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::support::server::{Server, TOKEN, command};

/// A server whose log output goes to a file.
fn logged(settings: &[(&str, &str)]) -> (Server, NamedTempFile) {
    let (folder, log) = (tempfile::tempdir().unwrap(), NamedTempFile::new().unwrap());
    let mut command = command(folder.path());
    command
        .envs(settings.iter().copied())
        .stderr(log.reopen().unwrap());
    (Server::start_by(command, folder), log)
}

fn stopped(server: Server, log: &NamedTempFile) -> String {
    assert!(server.stop("TERM").0.success());
    fs::read_to_string(log.path()).unwrap()
}

/// Every line, parsed as JSON.
fn events(log: &str) -> Vec<Value> {
    let event = |line| serde_json::from_str(line).unwrap_or_else(|_| panic!("no JSON: {line}"));
    log.lines().map(event).collect()
}

fn of_target<'e>(events: &'e [Value], target: &str) -> Vec<&'e Value> {
    let wanted = events.iter().filter(|event| event["target"] == target);
    wanted.collect()
}

#[test]
fn a_request_has_a_line_that_names_no_link_no_client_and_no_secret() {
    let (folder, log) = (tempfile::tempdir().unwrap(), NamedTempFile::new().unwrap());
    let mut command = command(folder.path());
    command.envs([
        ("SLUGLINE_LOG_REQUESTS", "true"),
        ("SLUGLINE_LOG", "warn,slugline::welcome=info"),
        ("SLUGLINE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SLUGLINE_BASE_URL", "https://sl.example"),
    ]);
    let server = Server::start_logging_json(command, folder, log.path());
    server.create(&json!({"url": "https://example.com/", "slug": "secretslug"}));
    server.create(&json!({"url": "https://example.com/", "slug": "vault", "password": "letmein"}));
    let visit = |path: &str, id: &str| {
        let call = server.request("GET", path).header("x-request-id", id);
        let call = call.header("x-forwarded-for", "192.0.2.77");
        call.header("x-link-password", "guesswork").send()
    };
    let followed = visit("/secretslug", "trace-1");
    assert_eq!(followed.header("x-request-id"), "trace-1");
    assert_eq!(visit("/vault", "trace-2").status, 403);
    for odd in ["two words", "a\"b", &"a".repeat(129)] {
        let answer = visit("/secretslug", odd);
        let id = answer.header("x-request-id");
        assert!(
            id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{id}"
        );
    }
    let wrong = server.request("GET", "/api/link/list");
    let wrong = wrong.header("authorization", "Bearer wrong-token-1");
    assert_eq!(wrong.header("x-request-id", "trace-3").send().status, 401);
    assert_eq!(server.request("BREW", "/secretslug").send().status, 301);

    let text = stopped(server, &log);
    for hidden in [
        "secretslug",
        "vault",
        "letmein",
        "guesswork",
        "wrong-token",
        TOKEN,
        "192.0.2.77",
        "BREW",
    ] {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let events = events(&text);
    let lines = of_target(&events, "slugline::requests");
    assert_eq!(lines.len(), 9, "{text}");
    let line = |id: &str| {
        let of_id = |line: &&&Value| line["span"]["id"] == id;
        let fields = &lines.iter().find(of_id).unwrap()["fields"];
        assert!(fields["milliseconds"].is_number(), "{fields}");
        (
            fields["method"].clone(),
            fields["route"].clone(),
            fields["status"].clone(),
            fields["bytes"].as_u64().unwrap(),
        )
    };
    let created = &lines[0]["fields"];
    assert_eq!(created["route"], "/api/link/create");
    assert_eq!(
        (&created["method"], &created["status"]),
        (&json!("POST"), &json!(201))
    );
    let (get, redirect) = (json!("GET"), json!("redirect"));
    assert_eq!(
        line("trace-1"),
        (get.clone(), redirect.clone(), json!(301), 0)
    );
    let (_, route, status, bytes) = line("trace-2");
    assert_eq!((route, status), (redirect, json!(403)));
    assert!(bytes > 0);
    let (_, route, status, _) = line("trace-3");
    assert_eq!((route, status), (json!("/api/link/list"), json!(401)));
    assert_eq!(lines[8]["fields"]["method"], "other");

    let warnings = of_target(&events, "slugline_httpkit::log_lines");
    let said: Vec<_> = warnings
        .iter()
        .map(|warning| (&warning["span"]["id"], &warning["fields"]["message"]))
        .collect();
    assert_eq!(said.len(), 2, "{text}");
    assert_eq!(
        said[0],
        (
            &json!("trace-2"),
            &json!("a wrong password of a link was refused")
        )
    );
    assert_eq!(
        said[1],
        (&json!("trace-3"), &json!("a wrong token was refused"))
    );
    let visitors = warnings
        .iter()
        .map(|warning| warning["fields"]["visitor"].as_str().unwrap());
    let visitors: Vec<&str> = visitors.collect();
    assert_ne!(visitors[0], visitors[1]);
}

#[test]
fn requests_are_not_logged_unless_a_setting_asks_for_it() {
    let (server, log) = logged(&[("SLUGLINE_LOG", "trace,h2=off")]);
    let call = server.request("GET", "/nothing");
    let answer = call.header("x-request-id", "trace-1").send();
    assert_eq!(answer.header("x-request-id"), "");
    let text = stopped(server, &log);
    assert!(!text.contains("slugline::requests"), "{text}");
}

#[test]
fn an_answer_without_end_is_logged_when_its_client_leaves() {
    let (server, log) = logged(&[("SLUGLINE_LOG_REQUESTS", "1")]);
    let address = server.origin().trim_start_matches("http://");
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let head = format!(
        "GET /api/logs/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {TOKEN}\r\n\r\n"
    );
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    let mut begun = [0; 12];
    std::io::Read::read_exact(&mut stream, &mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    drop(stream);
    let text = stopped(server, &log);
    let line = text
        .lines()
        .find(|line| line.contains("slugline::requests"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    assert!(
        line.contains("request{id=\"") && line.contains("route=\"/api/logs/stream\""),
        "{line}"
    );
}

#[test]
fn strangers_cannot_fill_the_log() {
    const GUESSES: usize = 200;

    let (server, log) = logged(&[]);
    for _ in 0..GUESSES {
        let call = server.request("GET", "/api/link/list");
        let status = call
            .header("authorization", "Bearer wrong-token-1")
            .send()
            .status;
        assert!(matches!(status, 401 | 429), "{status}");
    }
    for _ in 0..GUESSES {
        assert_eq!(server.visit("/api/link/list").status, 401);
    }
    let text = stopped(server, &log);
    let lines = text.matches("a wrong token was refused").count();
    assert!((10..GUESSES).contains(&lines), "{lines}");
    assert!(!text.contains("127.0.0.1"), "{text}");
}

#[test]
fn the_stop_is_logged() {
    let (server, log) = logged(&[]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    server.visit("/docs");
    server.counters_with("", 1);
    let text = stopped(server, &log);
    let last = text.lines().last().unwrap();
    let told = "stopped visits_written=0 visits_lost_since_start=0 milliseconds=";
    assert!(last.contains(told), "{text}");
}

/// A command's exit code, standard output and standard error.
fn run(command: &mut Command) -> (Option<i32>, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn every_line_of_a_start_is_json_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |name: &str, value: &str, fault: &str| {
        let mut command = command(folder.path());
        command
            .env("SLUGLINE_LOG_FORMAT", "json")
            .env("SLUGLINE_TRUSTED_PROXY", "10.0.0.1")
            .env(name, value)
            .args(["serve", "--site-token", "correct-horse-battery"]);
        let (code, _, said) = run(&mut command);
        assert_eq!(code, Some(1));
        let events = events(&said);
        assert!(events.len() >= 3, "{said}");
        assert_eq!(events[0]["level"], "WARN");
        let last = events.last().unwrap();
        assert_eq!(last["level"], "ERROR");
        assert!(
            last["fields"]["message"].as_str().unwrap().contains(fault),
            "{said}"
        );
    };
    refused("SLUGLINE_WORKERS", "none", "SLUGLINE_WORKERS");
    refused("SLUGLINE_WEBHOOK_SECRET_FILE", "/nowhere", "/nowhere");
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    refused("SLUGLINE_LISTEN", &address, "choose another port");
}

#[test]
fn the_reason_of_a_failed_start_is_told_at_every_level() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path());
    command.envs([
        ("SLUGLINE_LOG_FORMAT", "json"),
        ("SLUGLINE_LOG", "off"),
        ("SLUGLINE_WORKERS", "none"),
    ]);
    let events = events(&run(&mut command).2);
    assert_eq!(events.len(), 1, "{events:?}");
}

fn help(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (code, text, _) = run(command(folder.path()).args(arguments));
    assert_eq!(code, Some(0), "{arguments:?}");
    text
}

#[test]
fn the_short_help_is_a_screen_and_the_long_one_has_every_setting_below_a_heading() {
    for name in [
        "serve", "migrate", "openapi", "export", "import", "doctor", "mcp",
    ] {
        let text = help(&[name, "-h"]);
        assert!(text.lines().count() <= 30, "{text}");
    }
    assert!(help(&["-h"]).lines().count() <= 40);
    let long = help(&["--help"]);
    for part in [
        "\nMain settings:\n",
        "\nConnections:\n",
        "--workers",
        "--log-requests",
    ] {
        assert!(long.contains(part), "{part}: {long}");
    }
}

#[test]
fn a_command_shows_the_settings_that_matter_to_it_and_refuses_others() {
    for (name, has) in [
        ("export", "--database-url"),
        ("import", "--allowed-schemes"),
        ("migrate", "--legacy-kv-url"),
        ("openapi", "--list-query-limit"),
        ("doctor", "--analytics-url"),
        ("mcp", "--site-token"),
    ] {
        let text = help(&[name, "--help"]);
        assert!(text.contains(has), "{text}");
        assert!(
            !text.contains("--listen") && !text.contains("--webhook-url"),
            "{text}"
        );
    }
    assert!(!help(&["mcp", "--help"]).contains("minted"));
    let doctor = help(&["doctor", "--help"]);
    for code in ["\n  0 ", "\n  1 ", "\n  141 "] {
        assert!(doctor.contains(code), "{doctor}");
    }
    let folder = tempfile::tempdir().unwrap();
    let (code, _, said) = run(command(folder.path()).args(["export", "--listen", "127.0.0.1:1"]));
    assert_eq!(code, Some(2));
    assert!(
        said.contains("--listen is a setting of `slugline serve`"),
        "{said}"
    );
}

#[test]
fn what_the_command_line_does_not_do_is_told_with_the_way_to_do_it() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let mut command = command(folder.path());
        command.env("SLUGLINE_LISTEN", "127.0.0.1:9123");
        let (code, _, said) = run(command.args(arguments));
        assert_eq!(code, Some(2), "{said}");
        said
    };
    let create = said(&["create", "https://example.com/"]);
    let curl = "curl http://127.0.0.1:9123/api/link/create";
    assert!(
        create.contains(curl) && !create.contains("similar"),
        "{create}"
    );
    let port = said(&["--port", "9000"]);
    assert!(port.contains("use --listen"), "{port}");
    assert!(help(&["-h"]).contains("Links are made over the API"));
    assert!(help(&["--help"]).contains("There is no configuration file"));
}

#[test]
fn settings_are_shown_with_their_origin_and_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = command(folder.path());
    command
        .env("NUXT_CASE_SENSITIVE", "true")
        .env("SLUGLINE_TRUSTED_PROXIES", "10.0.0.1,\n10.0.0.2")
        .args(["config", "show", "--redirect-max-age", "5"]);
    let (code, text, _) = run(&mut command);
    assert_eq!(code, Some(0));
    for line in [
        "# Main settings",
        "SLUGLINE_SITE_TOKEN = (hidden)  (the environment variable SLUGLINE_SITE_TOKEN)",
        "SLUGLINE_CASE_SENSITIVE = true  (the environment variable NUXT_CASE_SENSITIVE)",
        "SLUGLINE_REDIRECT_MAX_AGE = 5  (the flag --redirect-max-age)",
        "SLUGLINE_REDIRECT_STATUS_CODE = 301  (default)",
        "SLUGLINE_TRUSTED_PROXIES = 10.0.0.1,\\n10.0.0.2  (the environment variable SLUGLINE_TRUSTED_PROXIES)",
        "SLUGLINE_BASE_URL =  (default: as the client sees it)",
        "SLUGLINE_WEBHOOK_URL =  (not set)",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line}: {text}");
    }
    assert!(!text.contains(TOKEN), "{text}");
    let (code, shown, said) = run(command.env("SLUGLINE_WORKERS", "none"));
    assert_eq!(code, Some(1));
    assert!(shown.contains("SLUGLINE_WORKERS = none") && said.contains("SLUGLINE_WORKERS"));
}

#[test]
fn the_token_of_the_folder_is_shown_and_one_of_the_settings_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let show = |own: Option<&str>| {
        let mut command = command(folder.path());
        command
            .env_remove("SLUGLINE_SITE_TOKEN")
            .args(["token", "show", "--bare"]);
        run(command.envs(own.map(|token| ("SLUGLINE_SITE_TOKEN", token))))
    };
    let (code, shown, said) = show(None);
    assert_eq!((code, shown.as_str()), (Some(1), ""));
    assert!(said.contains("there is no database"), "{said}");
    fs::write(folder.path().join("site-token"), "kept-in-the-folder\n").unwrap();
    assert_eq!(
        show(None),
        (Some(0), "kept-in-the-folder\n".into(), String::new())
    );
    let (code, shown, said) = show(Some("another-token"));
    assert_eq!((code, shown.as_str()), (Some(1), ""));
    assert!(
        said.contains("the environment variable SLUGLINE_SITE_TOKEN gives it"),
        "{said}"
    );
    assert!(!said.contains("another-token"), "{said}");
}
