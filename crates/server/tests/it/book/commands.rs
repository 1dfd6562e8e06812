//! Runs the commands of the pages beside a service, as a reader would.
//!
//! A block `sh` has commands that succeed. A block `console` has commands behind `$`, each with
//! what it prints at last, where `…` stands for anything. A block `sh elsewhere` needs what the
//! machine of the tests has not: a public name, a service manager, a container engine.

use std::{env, fs, os::unix::fs::symlink, path::Path, process::Command};

use super::Page;
use crate::{
    dashboard::instance::seeded,
    support::server::{Server, command},
};

/// The pages for people who use an instance on one machine.
const PAGES: [&str; 11] = [
    "README.md",
    "docs/analytics.md",
    "docs/audit.md",
    "docs/backup.md",
    "docs/domains.md",
    "docs/operations.md",
    "docs/privacy.md",
    "docs/quickstart.md",
    "docs/tokens.md",
    "docs/troubleshooting.md",
    "docs/visits.md",
];

#[test]
fn commands_of_pages_do_what_the_pages_say() {
    let seeded = seeded(60, 400, 40).stop("TERM").1;
    for path in PAGES {
        let page = Page::read(path);
        run_beside_a_service(&page, seeded.path());
    }
}

fn run_beside_a_service(page: &Page, seeded: &Path) {
    let data = tempfile::tempdir().unwrap();
    // These two begin with nothing; the others speak of links that are there.
    if !matches!(page.path.as_str(), "README.md" | "docs/quickstart.md") {
        for entry in fs::read_dir(seeded).unwrap() {
            let path = entry.unwrap().path();
            if path.is_file() {
                fs::copy(&path, data.path().join(path.file_name().unwrap())).unwrap();
            }
        }
    }
    let mut service = command(data.path());
    service.env_remove("SLUGLINE_SITE_TOKEN");
    let home = tempfile::tempdir().unwrap();
    symlink(service.get_program(), home.path().join("slugline")).unwrap();
    let server = Server::start_by(service, data);
    let token = fs::read_to_string(server.folder().join("site-token")).unwrap();
    let address = server.origin().trim_start_matches("http://");
    let path = env::var_os("PATH").unwrap().into_string().unwrap();
    let programs = format!("{}:{path}", home.path().display());
    let output = Command::new("bash")
        .args(["-c", &script(page).replace("localhost:8080", address)])
        .current_dir(home.path())
        .env_clear()
        .env("PATH", programs)
        .env("SLUGLINE_DATA_DIR", server.folder())
        .env("ORIGIN", server.origin())
        .env("TOKEN", token.trim())
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success(), "{}: {said}", page.path);
}

/// The commands of a page, in its order. `curl` fails where the service refuses.
fn script(page: &Page) -> String {
    let head = "curl() { command curl --silent --fail-with-body \"$@\"; }\n";
    let blocks = page.text.split("```").skip(1).step_by(2);
    let steps = blocks.filter_map(|block| match block.split_once('\n')? {
        ("sh", commands) => Some(format!(
            "{{ {commands}\n}} > printed || {{ cat printed; exit 1; }}\n"
        )),
        ("console", session) => Some(session_script(session)),
        _ => None,
    });
    let steps: String = steps.collect();
    assert!(!steps.is_empty(), "{} has no commands", page.path);
    format!("{head}set -e\n{steps}")
}

/// Repeats each command until it prints what stands below it, because visits show a little later.
fn session_script(session: &str) -> String {
    let session = format!("\n{session}");
    let entries = session.split("\n$ ").skip(1).map(|entry| {
        let mut lines = entry.lines();
        let mut command = lines.next().unwrap().to_owned();
        while command.ends_with('\\') {
            command.push('\n');
            command.push_str(lines.next().unwrap());
        }
        let pattern = pattern(&lines.collect::<Vec<_>>().join("\n"));
        format!(
            "for try in $(seq 60); do {command} > printed; tr -d '\\r' < printed > text
             [[ $(< text) == {pattern} ]] && break; sleep 0.5; done
             [[ $(< text) == {pattern} ]] || {{ cat text; exit 1; }}\n"
        )
    });
    entries.collect()
}

/// The pattern of a shell for a text in which `…` stands for anything.
fn pattern(printed: &str) -> String {
    let quoted = |part: &str| format!("'{}'", part.replace('\'', "'\\''"));
    printed.split('…').map(quoted).collect::<Vec<_>>().join("*")
}
