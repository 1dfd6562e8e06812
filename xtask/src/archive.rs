//! `cargo xtask archive`: what a person downloads, for one processor and system.

use std::{
    env::consts,
    fs,
    path::{self, Path, PathBuf},
};

use anyhow::{Context, Result, ensure};

use xtask::{
    process,
    programs::{packages, target},
};

use crate::licenses;

/// The most bytes of a program.
const LARGEST: u64 = 25 << 20;

/// Packs a program for a target, by default this machine's. Without a program it builds one first.
pub(crate) fn run(program: Option<PathBuf>, target: Option<String>) -> Result<()> {
    let target = target.unwrap_or_else(static_target);
    let program = program.map_or_else(|| build(&target), Ok)?;
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

/// The target of programs that run on any machine like this one.
pub(crate) fn static_target() -> String {
    let systems = ["unknown-linux-musl", "apple-darwin"];
    let system = systems[usize::from(cfg!(target_os = "macos"))];
    format!("{}-{system}", consts::ARCH)
}

/// Builds the program as releases have it.
pub(crate) fn build(target: &str) -> Result<PathBuf> {
    target::ensure(target)?;
    let mut cargo = process::cargo();
    if target.ends_with("musl") {
        packages::ensure_programs(&[("musl-gcc", "musl-tools")])?;
        cargo.env("TARGET_CC", "musl-gcc");
    }
    let build = "build --locked --profile dist --package slugline --target";
    process::run(cargo.args(build.split(' ')).arg(target))?;
    Ok(process::target_folder()?.join(target).join("dist/slugline"))
}

/// Fails for a program that is larger than a release may be.
pub(crate) fn check_size(program: &Path) -> Result<()> {
    let bytes = fs::metadata(program);
    let bytes = bytes
        .with_context(|| format!("{} is missing", program.display()))?
        .len();
    let most = LARGEST >> 10;
    let has = bytes >> 10;
    ensure!(
        bytes <= LARGEST,
        "the program has {has} KiB, and a release at most {most}"
    );
    println!("the program has {has} of {most} KiB");
    Ok(())
}
