//! `cargo xtask deny`: licences, sources, bans and duplicates of the dependencies.
//!
//! The rules are in `deny.toml`.

use anyhow::Result;

use xtask::process;

/// Checks the dependency tree, and with `advisories` its known vulnerabilities.
///
/// Advisories are optional because cargo-deny fetches their database from a git host, and
/// because they change independently of our code.
pub(crate) fn run(advisories: bool) -> Result<()> {
    install_when_missing()?;
    let mut command = process::cargo();
    command.args(["deny", "--all-features", "check"]);
    // An exception for a duplicate that is gone must be removed.
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
            // Each check runs for a second: a fast build matters more than a fast program.
            .env("CARGO_PROFILE_RELEASE_LTO", "false")
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "1")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
    )
}
