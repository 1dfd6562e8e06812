//! `cargo xtask lint`: clippy, with warnings as errors.

use anyhow::Result;

use xtask::process;

/// Lints every target of every crate, without the features of the server and with them, and the
/// links in SQL with each database alone.
pub(crate) fn run() -> Result<()> {
    for features in ["", "slugline/otel"] {
        process::run(process::cargo().args([
            "clippy",
            "--workspace",
            "--all-targets",
            "--features",
            features,
            "--",
            "-D",
            "warnings",
        ]))?;
    }
    for database in ["postgres", "sqlite"] {
        process::run(process::cargo().args([
            "clippy",
            "--package",
            "slugline-storage",
            "--no-default-features",
            "--features",
            database,
            "--",
            "-D",
            "warnings",
        ]))?;
    }
    Ok(())
}
