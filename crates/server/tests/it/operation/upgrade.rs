//! Data of earlier versions and builds.

use std::{fs, path::Path};

use tempfile::TempDir;

use crate::support::server::{Server, assert_has, command, run};

/// A copy of a data folder that this version or build wrote.
fn left_by(version: &str) -> TempDir {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(version);
    let folder = tempfile::tempdir().unwrap();
    for file in fs::read_dir(kept).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    folder
}

#[test]
fn links_of_an_earlier_build_are_refused_with_the_commands_that_carry_them_over() {
    let folder = left_by("earlier-build");
    let file = folder.path().join("links.db");
    let before = fs::read(&file).unwrap();
    let migrated = [("SLUGLINE_LEGACY_KV_URL", "redis://127.0.0.1:1")];
    for (arguments, settings) in [
        (&[][..], &[][..]),
        (&["migrate"], &migrated),
        (&["doctor"], &[]),
        (&["export"], &[]),
        (&["token", "list"], &[]),
        (&["backup", "a.backup"], &[]),
    ] {
        let mut command = command(folder.path());
        command.args(arguments).envs(settings.iter().copied());
        let (code, _, said) = run(command.current_dir(folder.path()));
        assert_ne!(code, Some(0), "{said}");
        assert_has(
            &said,
            &[
                "another build of Slugline made this database (one from before 0.1.0)",
                "`slugline export links.json` and `slugline visits export visits.ndjson`",
                "`slugline import links.json` and `slugline visits import visits.ndjson`",
            ],
        );
        assert!(fs::read(&file).unwrap() == before, "{arguments:?}");
    }
}

#[test]
fn an_access_log_of_an_earlier_build_is_refused_with_what_to_do() {
    let folder = left_by("before-release");
    let log = folder.path().join("analytics.db");
    let before = fs::read(&log).unwrap();
    for arguments in [&[][..], &["doctor"]] {
        let (code, told, said) = run(command(folder.path()).args(arguments));
        assert_ne!(code, Some(0), "{said}");
        for part in [
            "another build of Slugline made access log",
            "`slugline visits export visits.ndjson`",
            "`slugline visits import visits.ndjson`",
        ] {
            assert!(told.contains(part) || said.contains(part), "{told}{said}");
        }
        assert_eq!(fs::read(&log).unwrap(), before);
    }
    fs::rename(&log, folder.path().join("elsewhere.db")).unwrap();
    let server = Server::start_in(folder, &[]);
    assert_eq!(server.visit("/_health/ready").status, 200);
}
