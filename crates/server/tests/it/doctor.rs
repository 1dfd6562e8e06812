//! Whether the databases are sound.

use std::{fs, path::Path, process::Output};

use crate::server::{Server, command};

fn doctor(folder: &Path, arguments: &[&str]) -> (bool, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command(folder)
        .arg("doctor")
        .args(arguments)
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.success(), text(stdout), text(stderr))
}

#[test]
fn a_damaged_access_log_is_found_and_rebuilt_once_the_service_is_stopped() {
    let fresh = tempfile::tempdir().unwrap();
    let (sound, said, _) = doctor(fresh.path(), &[]);
    assert!(sound && said.lines().count() == 2, "{said}");
    assert_eq!(fs::read_dir(fresh.path()).unwrap().count(), 0);

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

    let (_, folder) = server.stop("TERM");
    let file = folder.path().join("analytics.db");
    fs::write(&file, vec![0xa5; 50_000]).unwrap();
    let (sound, said, advice) = doctor(folder.path(), &[]);
    assert!(!sound && said.contains("access log: DAMAGED"), "{said}");
    assert!(advice.contains("doctor --rebuild"), "{advice}");
    let (done, said, _) = doctor(folder.path(), &["--rebuild"]);
    assert!(done && said.contains("lost: everything"), "{said}");
    let kept = fs::read_dir(folder.path()).unwrap().filter(|entry| {
        let name = entry.as_ref().unwrap().file_name();
        name.to_string_lossy().starts_with("analytics.db.damaged-")
    });
    assert_eq!(kept.count(), 1);
    assert!(doctor(folder.path(), &[]).0);
    Server::start_in(folder, &[]).counters_with("", 0);
}
