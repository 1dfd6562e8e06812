//! Log output, on standard error.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use tracing_subscriber::{EnvFilter, fmt};

use crate::settings::Log;

/// The log target for the error that ends the process. No level hides it.
const END: &str = "slugline::end";

/// The log target for the lines about single requests. Their own setting turns them on:
/// `SLUGLINE_LOG=warn` keeps them, and only `slugline::requests=off` hides them.
pub(crate) const REQUESTS: &str = "slugline::requests";

/// True once everything on standard error must be JSON.
static JSON: AtomicBool = AtomicBool::new(false);

/// Starts logging. The binary calls this once; embedding programs set their own subscriber.
pub(crate) fn start(log: &Log) -> anyhow::Result<()> {
    // These libraries report ordinary starts at `info`, and actix reports every malformed
    // request as an error, which would let any client fill the log.
    let quiet = "sea_orm_migration=warn,actix_server=warn,sqlx=warn,actix_http=off";
    let own = format!("{END}=error,{REQUESTS}=info");
    let filter = EnvFilter::try_new(format!("{quiet},{own},{}", log.filter))?;
    let builder = fmt().with_env_filter(filter).with_writer(io::stderr);
    let started = if log.json {
        builder.json().with_span_list(false).try_init()
    } else {
        builder.with_ansi(false).try_init()
    };
    started.map_err(|error| anyhow::anyhow!(error))?;
    if log.json {
        JSON.store(true, Ordering::Relaxed);
        std::panic::set_hook(Box::new(|panic| tracing::error!(target: END, "{panic}")));
    }
    Ok(())
}

/// Logs the error that ends the process, in one line: the failure first, then its causes,
/// outermost first.
#[expect(clippy::print_stderr, reason = "the last word of a command line tool")]
pub(crate) fn end(error: &anyhow::Error) {
    if JSON.load(Ordering::Relaxed) {
        tracing::error!(target: END, "{error:#}");
    } else {
        eprintln!("slugline: {error:#}");
    }
}
