//! Standard libraries for targets other than this machine.

use std::path::Path;

use anyhow::{Context, Result};

use crate::process;

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
