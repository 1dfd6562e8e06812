//! `cargo xtask windows`: whether the workspace compiles for Windows.

use anyhow::Result;

use xtask::{
    process,
    programs::{packages, target},
};

/// Checks every crate and its tests. The C code among the dependencies is compiled by MinGW.
pub(crate) fn run() -> Result<()> {
    const TARGET: &str = "x86_64-pc-windows-gnu";
    packages::ensure_programs(&[("x86_64-w64-mingw32-gcc", "gcc-mingw-w64-x86-64")])?;
    target::ensure(TARGET)?;
    let all = ["check", "--workspace", "--all-targets", "--target", TARGET];
    process::run(process::cargo().args(all))
}
