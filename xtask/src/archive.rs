//! `cargo xtask archive`: what a person downloads, for one processor and system.

use std::{
    fs,
    path::{self, Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use xtask::{process, programs::target};

use crate::licenses;

/// The most bytes of a program.
const LARGEST: u64 = 25 << 20;

/// Packs a program for a target, by default this machine's. Without a program it builds one first.
pub(crate) fn run(program: Option<PathBuf>, target: Option<String>) -> Result<()> {
    let target = target.unwrap_or_else(target::here);
    let program = program.map_or_else(|| target::release(&target), Ok)?;
    check_size(&program)?;
    let folder = process::root().join("target/archives");
    fs::create_dir_all(&folder)?;
    let archive = folder.join(format!("slugline-{target}.tar.gz"));
    // It takes what is committed, so no secret that lies beside the samples.
    let mut git = process::program("git");
    git.args("archive --format=tar.gz --prefix=slugline/ --output".split(' '))
        .arg(&archive);
    for file in [path::absolute(program)?, licenses::FILE.into()] {
        git.arg(format!("--add-file={}", file.display()));
    }
    git.args("HEAD README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT deploy".split(' '));
    process::run(&mut git)?;
    println!("packed {}", archive.display());
    Ok(())
}

/// Fails for a program that is larger than a release may be.
pub(crate) fn check_size(program: &Path) -> Result<()> {
    let file = fs::metadata(program);
    let file = file.with_context(|| format!("{} is missing", program.display()))?;
    let (has, most) = (file.len().div_ceil(1024), LARGEST >> 10);
    ensure!(
        has <= most,
        "the program has {has} KiB, and a release at most {most}"
    );
    println!("the program has {has} of {most} KiB");
    Ok(())
}
