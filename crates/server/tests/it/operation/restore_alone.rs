//! A restore and a command that uses the data folder keep each other away.

use std::{
    io::Write,
    path::Path,
    process::{Command, Stdio},
};

use serde_json::json;

use crate::support::server::{self, Server, command, eventually};

/// A stopped instance with one link, and a backup of it in the same folder.
fn backed_up() -> tempfile::TempDir {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let (_, folder) = server.stop("TERM");
    succeeds(folder.path(), &["backup", &file_in(folder.path())]);
    folder
}

fn file_in(folder: &Path) -> String {
    folder.join("a.backup").to_str().unwrap().to_owned()
}

/// The exit code and standard error of a command.
fn run(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let (code, _, said) = server::run(command(folder).args(arguments));
    (code, said)
}

fn succeeds(folder: &Path, arguments: &[&str]) {
    let (code, said) = run(folder, arguments);
    assert_eq!(code, Some(0), "{said}");
}

fn is_refused(folder: &Path, arguments: &[&str], why: &str) {
    let (code, said) = run(folder, arguments);
    assert_eq!(code, Some(1), "{arguments:?}");
    assert!(said.contains(why), "{said}");
}

#[test]
fn a_restore_is_refused_while_an_import_runs() {
    let backup = backed_up();
    let file = file_in(backup.path());
    let folder = tempfile::tempdir().unwrap();
    let mut import = command(folder.path());
    import.args(["import", "-"]);
    import.stdin(Stdio::piped());
    let mut import = import.stderr(Stdio::piped()).spawn().unwrap();
    // The import waits for the rest of its input with the database open.
    import.stdin.as_mut().unwrap().write_all(b"{").unwrap();
    let database = folder.path().join("links.db");
    eventually("the import has opened the database", || database.exists());
    let restore = ["restore", "--replace", &file];
    is_refused(
        folder.path(),
        &restore,
        "a command, such as `slugline import`",
    );
    // Other commands may run beside it.
    succeeds(folder.path(), &["export", "-"]);
    drop(import.stdin.take());
    import.wait().unwrap();
    succeeds(folder.path(), &restore);
}

#[test]
fn commands_are_refused_while_a_restore_runs() {
    let folder = backed_up();
    // A pipe without a writer keeps the restore waiting.
    let pipe = folder.path().join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let start = || {
        let mut restore = command(folder.path());
        restore.args(["restore", "--replace", pipe.to_str().unwrap()]);
        restore.stderr(Stdio::null()).spawn().unwrap()
    };
    let mut restore = start();
    eventually("an export is refused", || {
        let is_refused = run(folder.path(), &["export", "-"]).0 != Some(0);
        // An export may have come first, and then the restore was refused.
        let is_over = restore.try_wait().unwrap().is_some();
        if is_over {
            restore = start();
        }
        is_refused && !is_over
    });
    let links = folder.path().join("links.json");
    let empty = json!({"version": "1.0", "links": []}).to_string();
    std::fs::write(&links, empty).unwrap();
    let file = file_in(folder.path());
    for arguments in [
        ["import", links.to_str().unwrap()].as_slice(),
        &["backup", "--replace", &file],
        &["doctor"],
        &["export", "-"],
    ] {
        is_refused(folder.path(), arguments, "a restore into the folder");
    }
    is_refused(folder.path(), &["seed"], "another slugline");
    restore.kill().unwrap();
    restore.wait().unwrap();
    succeeds(folder.path(), &["export", "-"]);
}

#[test]
fn seeding_is_refused_while_a_service_runs() {
    let server = Server::start();
    is_refused(server.folder(), &["seed"], "another slugline");
}
