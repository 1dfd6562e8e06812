//! Log output, on standard error.

use std::{
    io,
    sync::atomic::{AtomicBool, Ordering},
};

use slugline_domain::measure::TRACES;
use tracing_subscriber::{
    EnvFilter, Layer, Registry, fmt, layer::SubscriberExt, registry, util::SubscriberInitExt,
};

use crate::settings::Log;

/// The target in the log output for the error that ends the process. No level hides it.
const END: &str = "slugline::end";

/// The target in the log output for the lines about single requests. Their own setting turns them
/// on: `SLUGLINE_LOG=warn` keeps them, and only `slugline::requests=off` hides them.
pub(crate) const REQUESTS: &str = "slugline::requests";

/// The layer that writes lines, in any form.
type Lines<S> = Box<dyn Layer<S> + Send + Sync>;

/// True once everything on standard error must be JSON.
static JSON: AtomicBool = AtomicBool::new(false);

/// Starts logging. The binary calls this once; embedding programs set their own subscriber.
pub(crate) fn start(log: &Log) -> anyhow::Result<()> {
    // These libraries report ordinary starts at `info`, and actix reports every malformed
    // request as an error, which would let any client fill the log output.
    let quiet = "actix_server=warn,sqlx=warn,actix_http=off";
    let own = format!("{END}=error,{REQUESTS}=info");
    // Spans of traces are not for the log output, whatever its level.
    let traces = format!("{TRACES}=off");
    let filter = EnvFilter::try_new(format!("{quiet},{own},{},{traces}", log.filter))?;
    let lines = fmt::layer().with_writer(io::stderr);
    let lines = if log.json {
        lines.json().with_span_list(false).boxed()
    } else {
        lines.with_ansi(false).boxed()
    };
    start_with(log, lines, filter)?;
    if log.json {
        JSON.store(true, Ordering::Relaxed);
        std::panic::set_hook(Box::new(|panic| tracing::error!(target: END, "{panic}")));
    }
    Ok(())
}

#[cfg(not(feature = "otel"))]
fn start_with(_: &Log, lines: Lines<Registry>, filter: EnvFilter) -> anyhow::Result<()> {
    Ok(registry().with(lines).with(filter).try_init()?)
}

/// Only a process that sends traces asks two filters about every span.
#[cfg(feature = "otel")]
fn start_with(log: &Log, lines: Lines<Registry>, filter: EnvFilter) -> anyhow::Result<()> {
    let Some(options) = &log.traces else {
        return Ok(registry().with(lines).with(filter).try_init()?);
    };
    let registry = registry().with(lines.with_filter(filter));
    Ok(registry.with(crate::traces::layer(options)?).try_init()?)
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
