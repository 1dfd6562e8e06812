//! `cargo xtask fmt`: one format for every source file.

use anyhow::Result;

use xtask::process;

/// Formats the sources, or only reports differences.
pub(crate) fn run(check: bool) -> Result<()> {
    let mut command = process::cargo();
    command.args(["fmt", "--all"]);
    if check {
        command.arg("--check");
    }
    process::run(&mut command)
}
