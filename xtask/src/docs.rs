//! `cargo xtask docs`: the API documentation, with warnings as errors.

use anyhow::Result;

use xtask::process;

/// Builds the documentation of our crates.
pub(crate) fn run() -> Result<()> {
    process::run(
        process::cargo()
            .args(["doc", "--workspace", "--no-deps"])
            .env("RUSTDOCFLAGS", "-D warnings"),
    )
}
