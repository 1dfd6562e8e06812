//! The binaries of both versions.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};

use xtask::process;

use crate::bench::instance::Binary;

/// The earlier version and this one, built without optimization.
#[derive(Debug)]
pub(super) struct Versions {
    /// The earlier revision, as given.
    pub(super) from: String,
    pub(super) former: Binary,
    pub(super) new: Binary,
}

impl Versions {
    /// Builds both, or takes the earlier one from a former run.
    pub(super) fn build(from: &str) -> Result<Self> {
        let target = process::root().join("target");
        let folder = target.join("upgrade");
        fs::create_dir_all(&folder)?;
        let commit = format!("{from}^{{commit}}");
        let commit = process::answer(process::program("git").args(["rev-parse", &commit]));
        let commit = commit.with_context(|| format!("git knows no revision {from}"))?;
        let former = folder.join(format!("slugline-{commit}"));
        if !former.exists() {
            let tree = Worktree::add(&folder.join(&commit), &commit)?;
            build(&tree.0, &target)?;
            fs::copy(binary_in(&target), &former)?;
        }
        build(process::root(), &target)?;
        let new = folder.join("slugline-new");
        // A copy, because the next build replaces the original.
        fs::copy(binary_in(&target), &new)?;
        let binary = |name, path| Binary { name, path };
        Ok(Self {
            from: from.to_owned(),
            former: binary("earlier", former),
            new: binary("new", new),
        })
    }
}

/// Both versions share the target folder, so they share what other crates compile to.
fn build(folder: &Path, target: &Path) -> Result<()> {
    let mut build = process::cargo();
    build
        .current_dir(folder)
        .args(["build", "--package", "slugline", "--bin", "slugline"])
        .env("CARGO_TARGET_DIR", target);
    process::run(&mut build)
}

/// The binary in a target folder.
fn binary_in(target: &Path) -> PathBuf {
    target.join("debug").join("slugline")
}

/// A worktree of git, removed with this value.
#[derive(Debug)]
struct Worktree(PathBuf);

impl Worktree {
    fn add(folder: &Path, commit: &str) -> Result<Self> {
        let mut add = process::program("git");
        add.args(["worktree", "add", "--force", "--detach"]);
        process::run_quietly(add.arg(folder).arg(commit))?;
        Ok(Self(folder.to_owned()))
    }
}

impl Drop for Worktree {
    fn drop(&mut self) {
        let mut remove = process::program("git");
        remove.args(["worktree", "remove", "--force"]).arg(&self.0);
        if let Err(error) = process::run_quietly(&mut remove) {
            eprintln!("{error:#}");
        }
    }
}
