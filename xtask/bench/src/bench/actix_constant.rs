//! The minimal cost of a redirect on an actix-web server.

use std::path::Path;

use anyhow::Result;

use super::{
    cpus::Cpus,
    guard::{Guard, free_address},
};

/// A running `crates/redirect/examples/actix_constant.rs`.
#[derive(Debug)]
pub(crate) struct ActixConstant {
    process: Guard,
    origin: String,
}

impl ActixConstant {
    /// Starts it with its one worker on the CPU of servers.
    pub(crate) fn start(program: &Path, cpus: Cpus) -> Result<Self> {
        let address = free_address()?;
        let mut process = Guard::start(cpus.server(program).arg(address.to_string()))?;
        process.wait_for(address)?;
        Ok(Self {
            process,
            origin: format!("http://{address}"),
        })
    }

    pub(crate) fn origin(&self) -> &str {
        &self.origin
    }

    pub(crate) fn pid(&self) -> u32 {
        self.process.pid()
    }
}
