//! The command line.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use anyhow::Context;
use clap::{Arg, ArgMatches, Command};
use slugline_rest::ApiOptions;

use crate::{
    Service, Settings, VERSION, logging,
    settings::{CATALOGUE, Setting, Sources},
    stop_request::StopRequest,
    welcome, wiring,
};

/// Runs the command that the arguments name; `serve` when they name none.
///
/// # Errors
/// What went wrong, in one line with its causes.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let matches = command().get_matches_from(arguments);
    match matches.subcommand() {
        Some(("openapi", given)) => print_document(&settings(given)?),
        Some(("serve", given)) => serve(&settings(given)?),
        _ => serve(&settings(&matches)?),
    }
}

fn command() -> Command {
    let serve = Command::new("serve").about("Serve redirects, the API and MCP (the default)");
    let openapi = Command::new("openapi").about("Print the OpenAPI document");
    with_settings(Command::new("slugline"))
        .version(VERSION)
        .about("A link shortener with analytics, a REST API and an MCP endpoint")
        .after_help(
            "Every setting is also an environment variable: --data-dir is SLUGLINE_DATA_DIR.",
        )
        .args_conflicts_with_subcommands(true)
        .subcommand(with_settings(serve))
        .subcommand(with_settings(openapi))
}

fn with_settings(command: Command) -> Command {
    command.args(CATALOGUE.iter().map(|setting| {
        let default = match setting.default {
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        Arg::new(setting.name)
            .long(setting.flag())
            .value_name("VALUE")
            .help(format!("{}{default}", setting.meaning))
    }))
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings are read from the environment here only"
)]
fn settings(given: &ArgMatches) -> anyhow::Result<Settings> {
    let flag = |setting: &Setting| given.get_one::<String>(setting.name).cloned();
    let sources = Sources::from_flags_and_environment(flag, |name| std::env::var(name).ok());
    Ok(Settings::resolve(&sources)?)
}

fn print_document(settings: &Settings) -> anyhow::Result<()> {
    let options = ApiOptions {
        version: VERSION,
        rules: settings.rules.clone(),
    };
    let routes = wiring::routes(&options);
    let document = serde_json::to_string_pretty(routes.document().as_ref())?;
    Ok(writeln!(io::stdout(), "{document}")?)
}

fn serve(settings: &Settings) -> anyhow::Result<()> {
    logging::start(&settings.log)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    runtime.block_on(async {
        // Whoever reads the greeting may ask to stop at once.
        let stop = StopRequest::listen()?;
        let service = Service::start(settings).await?;
        greet(&service);
        stop.received().await;
        tracing::info!("stopping: finishing requests and writing visits");
        service.stop().await
    })
}

/// Nobody may be there to read it, which is no reason to stop.
fn greet(service: &Service) {
    let _ = writeln!(io::stdout(), "{}", welcome::text(service));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
