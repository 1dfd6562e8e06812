//! Output for operators: log output, help, settings.

use std::{fs, path::Path};

use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::{
    support::server::{Server, TOKEN, assert_has, command, run},
    tokens::sign_in::server_with_kept_token,
};

fn logged(settings: &[(&str, &str)]) -> (Server, NamedTempFile) {
    Server::start_logged(tempfile::tempdir().unwrap(), settings)
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
        let is_hexadecimal = id.bytes().all(|byte| byte.is_ascii_hexdigit());
        assert!(id.len() == 32 && is_hexadecimal, "{id}");
    }
    let wrong = server.request("GET", "/api/link/list");
    let wrong = wrong.header("authorization", "Bearer wrong-token-1");
    assert_eq!(wrong.header("x-request-id", "trace-3").send().status, 401);
    assert_eq!(server.request("BREW", "/secretslug").send().status, 301);

    let text = stopped(server, &log);
    let hidden = "secretslug vault letmein guesswork wrong-token 192.0.2.77 BREW";
    for hidden in hidden.split(' ').chain([TOKEN]) {
        assert!(!text.contains(hidden), "{hidden}: {text}");
    }
    let events = events(&text);
    let lines = of_target(&events, "slugline::requests");
    assert_eq!(lines.len(), 9, "{text}");
    let told = |fields: &Value| {
        let has_body = fields["bytes"].as_u64().unwrap() > 0;
        json!([
            fields["method"],
            fields["route"],
            fields["status"],
            has_body
        ])
    };
    let line = |id: &str| {
        let of_id = |line: &&&Value| line["span"]["id"] == id;
        let fields = &lines.iter().find(of_id).unwrap()["fields"];
        assert!(fields["milliseconds"].is_number(), "{fields}");
        told(fields)
    };
    assert_eq!(
        told(&lines[0]["fields"]),
        json!(["POST", "/api/link/create", 201, true])
    );
    assert_eq!(line("trace-1"), json!(["GET", "redirect", 301, false]));
    assert_eq!(line("trace-2"), json!(["GET", "redirect", 403, true]));
    assert_eq!(line("trace-3"), json!(["GET", "/api/link/list", 401, true]));
    assert_eq!(lines[8]["fields"]["method"], "other");

    let warnings = of_target(&events, "slugline_httpkit::log_lines");
    let said = warnings.iter();
    let said = said.map(|warning| json!([warning["span"]["id"], warning["fields"]["message"]]));
    let expected = json!([
        ["trace-2", "a wrong password of a link was refused"],
        ["trace-3", "a wrong token was refused"],
    ]);
    assert_eq!(said.collect::<Value>(), expected, "{text}");
    let visitor = |warning: &Value| warning["fields"]["visitor"].as_str().unwrap().to_owned();
    assert_ne!(visitor(warnings[0]), visitor(warnings[1]));
}

#[test]
fn the_stop_is_logged_and_requests_are_not_unless_a_setting_asks_for_it() {
    let (server, log) = logged(&[("SLUGLINE_LOG", "trace,h2=off")]);
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let call = server.request("GET", "/docs");
    let answer = call.header("x-request-id", "trace-1").send();
    assert_eq!(answer.header("x-request-id"), "");
    server.counters_with("", 1);
    let text = stopped(server, &log);
    assert!(!text.contains("slugline::requests"), "{text}");
    let told = "stopped visits_written=0 visits_lost_since_start=0 milliseconds=";
    assert!(text.contains(told), "{text}");
}

#[test]
fn an_answer_without_end_is_logged_when_its_client_leaves() {
    let (server, log) = logged(&[("SLUGLINE_LOG_REQUESTS", "1")]);
    let mut stream = server.begin("GET", "/api/logs/stream", "", "");
    let mut begun = [0; 12];
    std::io::Read::read_exact(&mut stream, &mut begun).unwrap();
    assert_eq!(&begun, b"HTTP/1.1 200");
    drop(stream);
    let text = stopped(server, &log);
    let mut lines = text.lines();
    let line = lines.find(|line| line.contains("slugline::requests"));
    let line = line.unwrap_or_else(|| panic!("{text}"));
    for part in ["request{id=\"", "route=\"/api/logs/stream\""] {
        assert!(line.contains(part), "{line}");
    }
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
            last["fields"]["message"].to_string().contains(fault),
            "{said}"
        );
    };
    refused("SLUGLINE_WORKERS", "none", "SLUGLINE_WORKERS");
    refused("SLUGLINE_WEBHOOK_SECRET_FILE", "/nowhere", "/nowhere");
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap().to_string();
    refused("SLUGLINE_LISTEN", &address, "choose another port");

    // The reason is told at every level.
    let mut silent = command(folder.path());
    silent
        .env("SLUGLINE_LOG_FORMAT", "json")
        .env("SLUGLINE_LOG", "off");
    let events = events(&run(silent.env("SLUGLINE_WORKERS", "none")).2);
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
    for name in "serve migrate openapi export import doctor mcp".split(' ') {
        let text = help(&[name, "-h"]);
        assert!(text.lines().count() <= 34, "{text}");
    }
    let short = help(&["-h"]);
    assert!(short.lines().count() <= 40 && short.contains("Links are made over the API"));
    let long = help(&["--help"]);
    let headings = [
        "\nMain settings:\n",
        "\nConnections:\n",
        "There is no configuration file",
    ];
    for part in headings.into_iter().chain(["--workers", "--log-requests"]) {
        assert!(long.contains(part), "{part}: {long}");
    }
    let settings = |text: &str| -> Vec<String> {
        let (_, main) = text.split_once("\nMain settings:\n").unwrap();
        let main = main.split_once("\n\nLinks").map_or(main, |(main, _)| main);
        let words = main.split_whitespace();
        let flags = words.filter(|word| word.starts_with("--") && !word.ends_with("-file"));
        let flags = flags.filter(|word| !word.ends_with('`'));
        flags.map(str::to_owned).collect()
    };
    let main = settings(&long);
    assert_eq!((main.len(), &main), (9, &settings(&short)));
    let (before, _) = long.split_once("\nMain settings:\n").unwrap();
    assert!(!before.contains("\n      --"), "they come first: {before}");
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
        let others = ["--listen", "--webhook-url"];
        assert!(!others.iter().any(|other| text.contains(other)), "{text}");
    }
    assert!(!help(&["mcp", "--help"]).contains("minted"));
    let doctor = help(&["doctor", "--help"]);
    assert_has(&doctor, &["\n  0 ", "\n  1 ", "\n  141 "]);
    let folder = tempfile::tempdir().unwrap();
    for (arguments, told) in [
        (
            &["export", "--listen", "127.0.0.1:1"][..],
            "--listen is a setting of `slugline serve`",
        ),
        (
            &["create", "https://example.com/"],
            "curl 'http://127.0.0.1:9123/api/link/create'",
        ),
    ] {
        let mut command = command(folder.path());
        command
            .env("SLUGLINE_LISTEN", "127.0.0.1:9123")
            .args(arguments);
        let (code, _, said) = run(&mut command);
        assert_eq!(code, Some(2));
        assert!(said.contains(told), "{said}");
    }
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
fn the_sign_in_address_is_that_of_the_running_service_and_no_killed_one_is_believed() {
    let server = server_with_kept_token();
    let show = |folder: &Path, more: &[&str]| {
        let mut command = command(folder);
        command
            .env_remove("SLUGLINE_SITE_TOKEN")
            .args(["token", "show"]);
        let (code, shown, said) = run(command.args(more));
        assert_eq!(code, Some(0), "{said}");
        let (origin, _) = shown.split_once("/_dashboard/#code=").unwrap();
        (origin.to_owned(), said)
    };
    let (origin, said) = show(server.folder(), &[]);
    assert_eq!(origin, server.origin());
    assert!(!said.contains("no service runs"), "{said}");
    let named = ["--base-url", "https://sl.example"];
    assert_eq!(show(server.folder(), &named).0, "https://sl.example");
    let tip = run(command(server.folder()).arg("list")).2;
    let listing = format!("curl '{}/api/link/list?limit=20'", server.origin());
    assert!(tip.contains(&listing), "{tip}");

    let folder = server.kill();
    let (origin, said) = show(folder.path(), &["--listen", "127.0.0.1:18301"]);
    assert_eq!(origin, "http://127.0.0.1:18301");
    assert!(said.contains("no service runs on the folder"), "{said}");
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
    let giver = "the environment variable SLUGLINE_SITE_TOKEN gives it: its value";
    assert!(
        said.contains(giver) && !said.contains("another-token"),
        "{said}"
    );
}
