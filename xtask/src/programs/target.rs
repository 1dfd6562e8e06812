//! Programs for targets, and the standard libraries that they need.

use std::{
    env::consts,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use super::packages;
use crate::process;

/// The target of programs that run on any machine like this one.
pub fn here() -> String {
    let systems = ["unknown-linux-musl", "apple-darwin"];
    let system = systems[usize::from(cfg!(target_os = "macos"))];
    format!("{}-{system}", consts::ARCH)
}

/// Builds the program as releases have it.
pub fn release(target: &str) -> Result<PathBuf> {
    ensure(target)?;
    let mut cargo = process::cargo("build --locked --profile dist --package slugline --target");
    if target.ends_with("musl") {
        packages::ensure_programs(&[("musl-gcc", "musl-tools")])?;
        cargo.env("TARGET_CC", "musl-gcc");
    }
    process::run(cargo.arg(target))?;
    let folder = process::metadata("--no-deps")?.target_directory;
    Ok(folder.join(target).join("dist/slugline").into())
}

/// Makes sure that the standard library for a target is installed.
pub fn ensure(target: &str) -> Result<()> {
    let sysroot = process::stdout(process::program("rustc").args(["--print", "sysroot"]))?;
    let sysroot = String::from_utf8(sysroot).context("the path of the toolchain is not UTF-8")?;
    let library = Path::new(sysroot.trim()).join("lib/rustlib").join(target);
    if library.is_dir() {
        return Ok(());
    }
    println!("installing Rust's standard library for {target}");
    let mut rustup = process::program("rustup");
    process::run_quietly(rustup.args(["target", "add", target])).with_context(|| {
        format!("Rust's standard library for {target} is missing, and rustup cannot install it")
    })
}
