//! Log output, on standard error.

use tracing_subscriber::{EnvFilter, fmt};

use crate::settings::Log;

/// Starts logging. Called once, by the binary; embedding programs bring their
/// own subscriber.
pub(crate) fn start(log: &Log) -> anyhow::Result<()> {
    // These report ordinary starts at `info`, and actix every malformed request
    // of a stranger as an error, which would let strangers fill the log.
    let quiet = "sea_orm_migration=warn,actix_server=warn,sqlx=warn,actix_http=off";
    let filter = EnvFilter::try_new(format!("{quiet},{}", log.filter))?;
    let builder = fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = if log.json {
        builder.json().try_init()
    } else {
        builder.with_ansi(false).try_init()
    };
    started.map_err(|error| anyhow::anyhow!(error))
}
