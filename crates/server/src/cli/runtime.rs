//! Runtimes of commands.

use anyhow::Context;
use tokio::runtime::{Builder, Runtime};

pub(super) fn runtime() -> anyhow::Result<Runtime> {
    Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

pub(super) fn one_thread() -> anyhow::Result<Runtime> {
    Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}
