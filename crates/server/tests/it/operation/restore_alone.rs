//! A restore and a command that uses the data folder keep each other away.

use std::{
    path::Path,
    process::{Command, Output, Stdio},
};

use serde_json::json;

use crate::support::server::{Server, command, eventually};

/// A stopped instance with one link, and a backup of it in the same folder.
fn backed_up() -> tempfile::TempDir {
    let server = Server::start();
    server.create(&json!({"url": "https://example.com/", "slug": "docs"}));
    let (_, folder) = server.stop("TERM");
    let made = run(folder.path(), &["backup", &file_in(folder.path())]);
    assert!(made.status.success(), "{}", said(&made));
    folder
}

fn file_in(folder: &Path) -> String {
    folder.join("a.backup").to_str().unwrap().to_owned()
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder).args(arguments).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_restore_is_refused_while_an_import_runs() {
    let backup = backed_up();
    let file = file_in(backup.path());
    let folder = tempfile::tempdir().unwrap();
    let mut import = command(folder.path());
    import.args(["import", "-"]).stdin(Stdio::piped());
    let mut import = import.stderr(Stdio::piped()).spawn().unwrap();
    // The import waits for the rest of its input with the database open.
    let database = folder.path().join("links.db");
    eventually("the import has opened the database", || database.exists());
    let refused = run(folder.path(), &["restore", "--replace", &file]);
    assert_eq!(refused.status.code(), Some(1));
    let reason = said(&refused);
    assert!(
        reason.contains("a command, such as `slugline import`"),
        "{reason}"
    );
    // Other commands may run beside it.
    let doctor = run(folder.path(), &["export", "-"]);
    assert!(doctor.status.success(), "{}", said(&doctor));
    drop(import.stdin.take());
    import.wait().unwrap();
    let restored = run(folder.path(), &["restore", "--replace", &file]);
    assert!(restored.status.success(), "{}", said(&restored));
}

#[test]
fn commands_are_refused_while_a_restore_runs() {
    let folder = backed_up();
    // A pipe that nobody writes to keeps the restore waiting.
    let pipe = folder.path().join("pipe");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let start = || {
        let mut restore = command(folder.path());
        restore.args(["restore", "--replace", pipe.to_str().unwrap()]);
        restore.stderr(Stdio::null()).spawn().unwrap()
    };
    let mut restore = start();
    let mut refused = None;
    eventually("an export is refused", || {
        let output = run(folder.path(), &["export", "-"]);
        refused = (!output.status.success()).then_some(output);
        // An export may have come first, and then the restore was refused.
        if restore.try_wait().unwrap().is_some() {
            restore = start();
            refused = None;
        }
        refused.is_some()
    });
    let reason = said(&refused.unwrap());
    assert!(reason.contains("a restore into the folder"), "{reason}");
    let links = folder.path().join("links.json");
    let empty = json!({"version": "1.0", "links": []}).to_string();
    std::fs::write(&links, empty).unwrap();
    let file = file_in(folder.path());
    for arguments in [
        ["import", links.to_str().unwrap()].as_slice(),
        &["backup", "--replace", &file],
        &["doctor"],
    ] {
        let output = run(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let reason = said(&output);
        assert!(reason.contains("a restore into the folder"), "{reason}");
    }
    let seed = said(&run(folder.path(), &["seed"]));
    assert!(seed.contains("another slugline"), "{seed}");
    restore.kill().unwrap();
    restore.wait().unwrap();
    let exported = run(folder.path(), &["export", "-"]);
    assert!(exported.status.success(), "{}", said(&exported));
}

#[test]
fn seeding_is_refused_while_a_service_runs() {
    let server = Server::start();
    let seed = run(server.folder(), &["seed"]);
    assert_eq!(seed.status.code(), Some(1));
    assert!(said(&seed).contains("another slugline"), "{}", said(&seed));
}
