//! The packages of the operating system that the tests need.

use std::{path::PathBuf, process::Stdio};

use anyhow::{Context, Result, bail};

use super::{node, postgres, python};
use crate::process;

/// Programs that the tests start by name, and their packages.
const PROGRAMS: [(&str, &str); 10] = [
    BROWSER[0],
    BROWSER[1],
    ("curl", "curl"),
    ("redis-server", "redis-server"),
    ("nginx", "nginx"),
    ("caddy", "caddy"),
    ("systemd-analyze", "systemd"),
    ("mariadbd", "mariadb-server"),
    ("mariadb", "mariadb-client"),
    ("sqlite3", "sqlite3"),
];

/// The browser for the dashboard's tests; its driver has the same version.
pub const BROWSER: [(&str, &str); 2] = [
    ("chromium-headless-shell", "chromium-headless-shell"),
    ("chromedriver", "chromium-driver"),
];

/// Makes sure that PostgreSQL, Node.js, npm and the programs above are installed, and returns
/// the folder of PostgreSQL's server programs.
pub fn ensure() -> Result<PathBuf> {
    install(&missing())?;
    postgres::programs().context(
        "PostgreSQL's server programs (initdb, postgres, pg_ctl) are neither in PATH nor in \
         /usr/lib/postgresql: install the package `postgresql`",
    )
}

/// Makes sure that these programs are installed, from the named packages.
pub fn ensure_programs(programs: &[(&str, &'static str)]) -> Result<()> {
    install(&absent(programs))
}

fn missing() -> Vec<&'static str> {
    let mut missing = Vec::new();
    if postgres::programs().is_none() {
        missing.push("postgresql");
    }
    if !node::is_installed() {
        missing.extend(["nodejs", "npm"]);
    }
    if !python::is_installed() {
        missing.push("python3-venv");
    }
    missing.extend(absent(&PROGRAMS));
    missing
}

/// The packages of the programs that cannot be started.
fn absent(programs: &[(&str, &'static str)]) -> Vec<&'static str> {
    let absent = programs.iter().filter(|(program, _)| {
        let mut version = process::program(program);
        let version = version.arg("--version").stdin(Stdio::null());
        version.output().is_err()
    });
    absent.map(|(_, package)| *package).collect()
}

/// Updates apt's package lists, if this account may.
pub(super) fn refresh_lists() -> Result<()> {
    match root_prefix() {
        Some(prefix) => process::run(&mut apt_get(prefix, &["update"])),
        None => Ok(()),
    }
}

fn install(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        return Ok(());
    }
    let install = ["install", "-y", "--no-install-recommends"];
    let Some(prefix) = root_prefix() else {
        bail!(
            "the tests need these packages, and without root they cannot be installed from here: \
             run `sudo apt-get {} {}`, or install them in your system's own way",
            install.join(" "),
            packages.join(" ")
        );
    };
    println!("installing {}", packages.join(", "));
    process::run(&mut apt_get(prefix, &["update"]))?;
    process::run(apt_get(prefix, &install).args(packages))
}

/// The prefix that runs a command as root, if that needs no password.
fn root_prefix() -> Option<&'static [&'static str]> {
    let prefixes: [&[&str]; 2] = [&["sudo", "-n", "env"], &["env"]];
    let prefix = prefixes[usize::from(postgres::is_root())];
    process::answer(&mut apt_get(prefix, &["--version"])).map(|_| prefix)
}

fn apt_get(prefix: &[&str], arguments: &[&str]) -> std::process::Command {
    let mut command = process::program(prefix[0]);
    command.args(&prefix[1..]);
    // Without this, a package that asks a question would wait forever.
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    command.args(arguments);
    command
}
