//! ClickHouse's server, which the tests start and kill.
//!
//! This unpacks it below `target` and does not install it: the package has a service that would
//! start by itself, and unpacking needs no root.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use anyhow::{Context, Result, ensure};

use super::packages;
use crate::process;

/// The program and its package.
const NAME: &str = "clickhouse-server";

/// Makes sure that `target/clickhouse-server/clickhouse-server` starts a server: the installed
/// one, else apt's.
pub fn install() -> Result<()> {
    let folder = process::root().join("target").join(NAME);
    let program = folder.join(NAME);
    if starts(&program) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    if let Some(installed) = installed() {
        let mut link = process::program("ln");
        process::run(link.arg("-s").args([&installed, &program]))?;
    } else {
        println!("unpacking ClickHouse's server, 100 MB");
        unpack(&folder).context(
            "the tests need ClickHouse's server, and apt has none for this system: put a program \
             `clickhouse-server`, of version 18.16 or later, in PATH",
        )?;
    }
    ensure!(
        starts(&program),
        "ClickHouse's server does not start: try {} --help",
        program.display()
    );
    Ok(())
}

/// True if the program and its libraries are there.
fn starts(program: &Path) -> bool {
    // The old version does not know the option, but its answer is enough. Shell and loader exit
    // with 126 and 127 if something is missing.
    let status = process::program(program)
        .arg("--help")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| !matches!(status.code(), None | Some(126 | 127)))
}

fn installed() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path)
        // Debian puts it there, and only root's `PATH` has the folder.
        .chain([PathBuf::from("/usr/sbin")])
        .map(|folder| folder.join(NAME))
        .find(|program| starts(program))
}

/// Fetches and unpacks the package and its missing dependencies.
fn unpack(folder: &Path) -> Result<()> {
    let packages = folder.join("packages");
    if download(&packages).is_err() {
        // The package lists may be missing or old.
        packages::refresh_lists()?;
        download(&packages)?;
    }
    let root = folder.join("root");
    for entry in fs::read_dir(&packages)? {
        let package = entry?.path();
        if package.extension().is_some_and(|end| end == "deb") {
            let mut unpack = process::program("dpkg-deb");
            process::run(unpack.arg("-x").args([&package, &root]))?;
        }
    }
    fs::remove_dir_all(packages)?;
    let program = folder.join(NAME);
    fs::write(&program, SCRIPT)?;
    process::run(process::program("chmod").arg("755").arg(program))
}

fn download(to: &Path) -> Result<()> {
    fs::create_dir_all(to.join("partial"))?;
    // This installs nothing, so it needs no lock, and taking the lock would need root.
    let install = "-o Debug::NoLocking=1 --yes --no-install-recommends --download-only install";
    let cache = format!("Dir::Cache::archives={}", to.display());
    let mut apt_get = process::program("apt-get");
    process::run_quietly(
        apt_get
            .args(["-o", &cache])
            .args(install.split(' '))
            .arg(NAME),
    )
}

/// Starts the unpacked server with its own libraries.
const SCRIPT: &str = r#"#!/bin/sh
root=$(dirname "$0")/root
for folder in "$root"/lib/*/ "$root"/usr/lib/*/; do
    libraries=${libraries:+$libraries:}$folder
done
LD_LIBRARY_PATH=$libraries exec "$root"/usr/sbin/clickhouse-server "$@"
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_starts_unless_it_or_its_libraries_are_missing() {
        // `false` fails at every option, but it exists.
        assert!(starts(Path::new("/bin/false")) || starts(Path::new("/usr/bin/false")));
        assert!(!starts(Path::new("/no/such/program")));
    }
}
