//! `cargo xtask bench`, which is a crate of its own: `xtask/bench`.

use std::{env, ffi::OsString, process::ExitCode};

use anyhow::{Context, Result};
use clap::Args;
use xtask::process;

/// The arguments that the crate of benchmarks reads itself.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) all: Vec<OsString>,
}

/// Builds the crate and runs its command, in the folder that paths are relative to.
pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let mut command = process::cargo("run --quiet --package slugline-bench --");
    command
        .args(&arguments.all)
        .current_dir(env::current_dir()?);
    let status = command.status();
    let status = status.with_context(|| process::cannot_start(&command))?;
    // The benchmarks have printed the reason.
    Ok(u8::from(!status.success()).into())
}
