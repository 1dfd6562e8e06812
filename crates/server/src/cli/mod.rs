//! The command line.

mod arguments;
mod domains;
mod grammar;
mod tokens;
mod unknown_command;
mod visits;

use std::{
    ffi::OsString,
    io::{self, Write},
    net::SocketAddr,
    process::ExitCode,
};

use anyhow::{Context, bail};
use arguments::{listen, settings, settings_and_log, sources, sources_and_log};
use clap::{ArgMatches, CommandFactory, FromArgMatches};
use flate2::read::GzDecoder;
use grammar::{BackupCommand, Command, CommandLine, ConfigCommand};

use crate::{
    api_routes,
    backup::{self, journal},
    data_folder, databases, doctor, healthcheck, logging,
    mcp_bridge::{self, Upstream},
    old_store, process,
    process::{StopRequest, one_thread, runtime},
    seed,
    service::Service,
    settings::{ClientSettings, Group, Settings, Sources},
    traces,
    transfer::{self, LinksLeft},
    welcome,
};

/// The exit code of a command that stops because its output was closed, as shells report it for
/// programs that SIGPIPE kills.
const BROKEN_PIPE: u8 = 141;

/// The exit code of an import that left some links out and took all others.
const LINKS_LEFT: u8 = 3;

/// Runs the command that the arguments name; `serve` when they name none. It prints an error in
/// one line with its causes, on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let matches = CommandLine::command().try_get_matches_from(&arguments);
    let read = matches.and_then(|matches| {
        let line = CommandLine::from_arg_matches(&matches)?;
        Ok((line.command, matches))
    });
    let (command, matches) = read.unwrap_or_else(|error| {
        let first = arguments.get(1).and_then(|first| first.to_str());
        unknown_command::explained(error, first, &arguments::origin()).exit()
    });
    data_folder::keep_new_files_private();
    let obeyed = obey(command, settings_of_command(&matches));
    traces::finish();
    match obeyed {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::from(BROKEN_PIPE),
        Err(error) => {
            logging::end(&error);
            if error.is::<LinksLeft>() {
                ExitCode::from(LINKS_LEFT)
            } else {
                ExitCode::FAILURE
            }
        }
    }
}

fn obey(command: Option<Command>, given: &ArgMatches) -> anyhow::Result<()> {
    match command {
        Some(Command::Serve) | None => serve(given),
        Some(Command::Migrate { force }) => migrate(given, force),
        Some(Command::Openapi) => print_document(&settings(given)?),
        Some(Command::Export {
            file,
            format,
            replace,
        }) => transfer::export::run(&settings(given)?, &file, format, replace),
        Some(Command::Import(wishes)) => transfer::command::obey(&wishes, || settings(given)),
        Some(Command::Visits(command)) => visits::obey(command, given),
        Some(Command::Backup {
            command: Some(BackupCommand::Verify { file }),
            ..
        }) => backup::verify::run(&file),
        Some(Command::Backup { file, wishes, .. }) => {
            let file = file.expect("it is required");
            backup::create::run(&settings(given)?, &file, wishes)
        }
        Some(Command::Restore { file, wishes }) => {
            backup::restore::run(&settings(given)?, &file, wishes)
        }
        Some(Command::Doctor { rebuild }) => look_after(&settings(given)?, rebuild),
        Some(Command::Healthcheck) => check_health(listen(given)?),
        Some(Command::Seed(amount)) => {
            let settings = settings_and_log(given)?;
            runtime()?.block_on(seed::run(&settings, amount))
        }
        Some(Command::Config(ConfigCommand::Show)) => show_settings(&sources(given)),
        Some(Command::Token(command)) => tokens::obey(command, given),
        Some(Command::Mcp {
            url,
            allow_plain_http,
        }) => bridge(given, &url, allow_plain_http),
        Some(Command::Licenses) => print_licenses(),
        Some(Command::Domains(command)) => domains::obey(*command, given),
    }
}

fn print_licenses() -> anyhow::Result<()> {
    const PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/third-party.txt.gz"));
    io::copy(&mut GzDecoder::new(PACKED), &mut io::stdout().lock())?;
    Ok(())
}

/// A command has the flags of its settings; commands above it have none.
fn settings_of_command(matches: &ArgMatches) -> &ArgMatches {
    match matches.subcommand() {
        Some((_, below)) => settings_of_command(below),
        None => matches,
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn print_document(settings: &Settings) -> anyhow::Result<()> {
    let routes = api_routes::declared(&settings.bounds)?.finish();
    let document = serde_json::to_string_pretty(&routes.document())?;
    Ok(writeln!(io::stdout(), "{document}")?)
}

/// Moves every entry it can, then fails if it could not move one.
fn migrate(given: &ArgMatches, force: bool) -> anyhow::Result<()> {
    let settings = settings_and_log(given)?;
    let (report, failed) = runtime()?.block_on(old_store::migrate(&settings, force))?;
    writeln!(io::stdout(), "{report}")?;
    match failed {
        0 => Ok(()),
        failed => bail!(
            "{failed} entries hold no link that could be moved; mend them and run \
             `slugline migrate --force`, or leave them"
        ),
    }
}

fn serve(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings_and_log(given)?;
    process::raise_limit();
    runtime()?.block_on(async {
        // The reader of the greeting may ask the service to stop at once.
        let stop = StopRequest::listen()?;
        let service = Service::builder(&settings).start().await?;
        welcome::greet(&service, settings.log.json);
        stop.received().await;
        service.stop().await
    })
}

fn look_after(settings: &Settings, rebuild: bool) -> anyhow::Result<()> {
    let _in_use = journal::use_files(settings)?;
    if rebuild {
        return doctor::rebuild_visits(settings);
    }
    databases::refuse_missing(settings)?;
    one_thread()?.block_on(doctor::examine_all(settings))
}

fn check_health(address: SocketAddr) -> anyhow::Result<()> {
    let said = one_thread()?.block_on(healthcheck::run(address))?;
    Ok(writeln!(io::stdout(), "{said}")?)
}

/// Prints every setting with its origin, below the headings of the help. The command prints a
/// wrong setting, too, before it fails because of it.
fn show_settings(sources: &Sources) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    let mut group: Option<Group> = None;
    for shown in sources.shown() {
        let (own, last) = (shown.setting.group, group.replace(shown.setting.group));
        if last != Some(own) {
            let space = if last.is_some() { "\n" } else { "" };
            writeln!(output, "{space}# {}", own.heading())?;
        }
        // A prompt may have several lines.
        let value = shown.value.replace('\n', "\\n");
        let space = if value.is_empty() { "" } else { " " };
        let (name, origin) = (shown.setting.name, shown.origin);
        writeln!(output, "{name} ={space}{value}  ({origin})")?;
    }
    output.flush()?;
    Settings::resolve(sources)?;
    Ok(())
}

fn bridge(given: &ArgMatches, url: &str, allow_plain_http: bool) -> anyhow::Result<()> {
    let settings = ClientSettings::resolve(&sources_and_log(given)?)?;
    let token = settings.site_token.context(
        "SLUGLINE_SITE_TOKEN is not set: give the instance's token there, or its file in \
         SLUGLINE_SITE_TOKEN_FILE",
    )?;
    let upstream = Upstream::new(url, &token)?;
    if !allow_plain_http {
        upstream.refuse_plain_http()?;
    }
    one_thread()?.block_on(mcp_bridge::run(upstream))
}
