//! `cargo xtask lint`: clippy, with warnings as errors.

use anyhow::Result;

use crate::process;

/// Lints every target of every crate.
pub(crate) fn run() -> Result<()> {
    process::run(process::cargo().args([
        "clippy",
        "--workspace",
        "--all-targets",
        "--",
        "-D",
        "warnings",
    ]))
}
