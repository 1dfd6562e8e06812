//! `cargo xtask image`: the image, built by buildah and run by runc as a container engine would.

use std::path::PathBuf;

use anyhow::Result;
use xtask::{
    process,
    programs::{packages, target},
};

use crate::archive;

/// Builds the image around a static program, and tries it. Without a program it builds one first.
pub(crate) fn run(program: Option<PathBuf>) -> Result<()> {
    packages::ensure_programs(&[("buildah", "buildah"), ("runc", "runc"), ("curl", "curl")])?;
    let program = program.map_or_else(|| target::release(&target::here()), Ok)?;
    archive::check_size(&program)?;
    process::run(process::program("deploy/try-image.sh").arg(std::path::absolute(program)?))
}
