//! `cargo xtask deny`: licences, sources, bans and duplicates of the dependencies.
//!
//! The rules are in `deny.toml`.

use anyhow::Result;

use crate::process;

/// Checks the dependency tree, and with `advisories` its known vulnerabilities.
///
/// Advisories are apart because their database is fetched from a git host,
/// and because they change without a change of ours.
pub(crate) fn run(advisories: bool) -> Result<()> {
    install_when_missing()?;
    let mut command = process::cargo();
    command.args(["deny", "--all-features", "check"]);
    // A duplicate that is gone takes its exception with it.
    command.args(["--deny", "unmatched-skip", "--deny", "unnecessary-skip"]);
    command.args(["bans", "licenses", "sources"]);
    if advisories {
        command.arg("advisories");
    }
    process::run(&mut command)
}

const VERSION: &str = "0.20.2";

fn install_when_missing() -> Result<()> {
    if process::answer(process::cargo().args(["deny", "--version"])).is_some() {
        return Ok(());
    }
    println!("installing cargo-deny {VERSION}");
    process::run(
        process::cargo()
            .args(["install", "cargo-deny", "--locked", "--version", VERSION])
            // It runs for a second per check: a quick build is worth more than a quick program.
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    )
}
