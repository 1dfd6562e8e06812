//! The unit for systemd.

use std::{fs, process::Command};

use super::sample;

#[test]
fn systemd_finds_nothing_wrong_with_the_unit() {
    let folder = tempfile::tempdir().unwrap();
    let unit = folder.path().join("slugline.service");
    let installed = "/usr/local/bin/slugline";
    let text = sample("slugline.service");
    assert!(text.contains(installed));
    let text = text.replace(installed, env!("CARGO_BIN_EXE_slugline"));
    fs::write(&unit, text).unwrap();
    let verified = Command::new("systemd-analyze")
        .arg("verify")
        .arg(&unit)
        .output()
        .unwrap_or_else(|error| panic!("systemd-analyze, of the package systemd: {error}"));
    let said = String::from_utf8(verified.stderr).unwrap();
    assert!(verified.status.success() && said.is_empty(), "{said}");
}
