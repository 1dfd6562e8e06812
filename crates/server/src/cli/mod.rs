//! The command line.

mod grammar;
mod show;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use anyhow::{Context, bail};
use clap::ArgMatches;
use slugline_contract::TransferFormat;
use slugline_rest::ApiOptions;

use crate::{
    Service, Settings, VERSION, data_folder, doctor, logging,
    mcp_bridge::{self, Upstream},
    old_store, open_files,
    seed::{self, Amount},
    settings::{CATALOGUE, ClientSettings, Group, Log, Setting, Sources, unknown_names},
    stop_request::StopRequest,
    transfer, welcome, wiring,
};

/// The code of a command that stops because nothing reads its output any more,
/// as shells report it for programs that die of SIGPIPE.
const BROKEN_PIPE: u8 = 141;

/// Runs the command that the arguments name; `serve` when they name none. An
/// error is told in one line with its causes, on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matches = match grammar::command().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => grammar::explained(error).exit(),
    };
    data_folder::keep_new_files_private();
    match obey(&matches) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if is_broken_pipe(&error) => ExitCode::from(BROKEN_PIPE),
        Err(error) => {
            logging::end(&error);
            ExitCode::FAILURE
        }
    }
}

fn obey(matches: &ArgMatches) -> anyhow::Result<()> {
    match matches.subcommand() {
        Some(("openapi", given)) => print_document(&settings(given)?),
        Some(("migrate", given)) => migrate(given),
        Some(("serve", given)) => serve(given),
        Some(("mcp", given)) => bridge(given),
        Some(("export", given)) => {
            let (file, format) = file_and_format(given);
            transfer::export::run(&settings(given)?, file, format)
        }
        Some(("import", given)) => {
            let (file, format) = file_and_format(given);
            transfer::import::run(&settings(given)?, file, format)
        }
        Some(("doctor", given)) => look_after(given),
        Some(("seed", given)) => seed(given),
        Some(("config", asked)) => show::config(asked_for(asked)),
        Some(("token", asked)) => show::token(asked_for(asked)),
        _ => serve(matches),
    }
}

/// `config` and `token` have one command each.
fn asked_for(given: &ArgMatches) -> &ArgMatches {
    let (_, given) = given.subcommand().expect("it is required");
    given
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

fn file_and_format(given: &ArgMatches) -> (&str, Option<TransferFormat>) {
    let text = |name| given.get_one::<String>(name).map(String::as_str);
    let format = text("format").map(|format| match format {
        "csv" => TransferFormat::Csv,
        _ => TransferFormat::Json,
    });
    (text("file").unwrap_or("-"), format)
}

/// The settings of a command that keeps no log.
fn settings(given: &ArgMatches) -> anyhow::Result<Settings> {
    Ok(Settings::resolve(&sources(given)?)?)
}

/// The sources of a command that keeps no log. Warnings go to standard error.
fn sources(given: &ArgMatches) -> anyhow::Result<Sources> {
    for warning in warnings(given) {
        // A closed standard error is no reason to stop.
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    read(given, |_| true)
}

/// The sources of a command that logs, and the start of its log. Everything
/// from here on has the form that the settings ask for.
fn sources_and_log(given: &ArgMatches) -> anyhow::Result<Sources> {
    let log = Log::resolve(&read(given, |setting| setting.group == Group::Log)?)?;
    logging::start(&log)?;
    for warning in warnings(given) {
        tracing::warn!("{warning}");
    }
    read(given, |_| true)
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings are read from the environment here only"
)]
fn read(given: &ArgMatches, wanted: impl Fn(&Setting) -> bool) -> anyhow::Result<Sources> {
    let variable = |name: &str| std::env::var(name).ok();
    let settings = CATALOGUE.iter().filter(|setting| wanted(setting));
    Ok(Sources::of(settings, |name| flag(given, name), variable)?)
}

/// A command without the flag leaves the setting to the environment.
fn flag(given: &ArgMatches, name: &str) -> Option<String> {
    given.try_get_one::<String>(name).ok()?.cloned()
}

/// Secrets among the flags, and variables that are no settings.
fn warnings(given: &ArgMatches) -> impl Iterator<Item = String> {
    let secrets = CATALOGUE.iter().filter(|setting| setting.secret);
    let bare = secrets.filter(|setting| {
        flag(given, &setting.flag()).is_some_and(|value| is_confidential(&value))
    });
    let bare = bare.map(|setting| {
        format!(
            "everybody on this machine can read the flag --{}; set {} or {} instead",
            setting.flag(),
            setting.name,
            setting.file_variable()
        )
    });
    bare.chain(unknown_names(environment_names()))
}

/// Databases and stores may be files, whose names are no secret.
fn is_confidential(value: &str) -> bool {
    !["sqlite:", "file:"]
        .iter()
        .any(|scheme| value.starts_with(scheme))
}

fn environment_names() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
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

/// Fails when an entry could not be moved, after everything else was.
fn migrate(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = Settings::resolve(&sources_and_log(given)?)?;
    let force = given.get_flag("force");
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

fn runtime() -> anyhow::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")
}

fn serve(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = Settings::resolve(&sources_and_log(given)?)?;
    open_files::raise_limit();
    runtime()?.block_on(async {
        // Whoever reads the greeting may ask to stop at once.
        let stop = StopRequest::listen()?;
        let service = Service::start(&settings).await?;
        greet(&service);
        stop.received().await;
        service.stop().await
    })
}

fn look_after(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings(given)?;
    if given.get_flag("rebuild") {
        return doctor::rebuild_visits(&settings);
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    runtime.block_on(doctor::examine_all(&settings))
}

fn seed(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings(given)?;
    logging::start(&settings.log)?;
    let number = |name| *given.get_one::<u32>(name).expect("has a default");
    let amount = Amount {
        links: number("links"),
        visits: number("visits"),
        days: u16::try_from(number("days")).expect("is in range"),
    };
    runtime()?.block_on(seed::run(&settings, amount))
}

fn bridge(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = ClientSettings::resolve(&sources_and_log(given)?)?;
    let token = settings.site_token.context(
        "SLUGLINE_SITE_TOKEN is not set: give the instance's token there, or its file in \
         SLUGLINE_SITE_TOKEN_FILE",
    )?;
    let url = given.get_one::<String>("url").expect("has a default");
    let upstream = Upstream::new(url, &token)?;
    if !given.get_flag(grammar::PLAIN_HTTP) {
        upstream.refuse_plain_http()?;
    }
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("the runtime cannot be started")?;
    runtime.block_on(mcp_bridge::run(upstream))
}

/// Nobody may be there to read it, which is no reason to stop.
fn greet(service: &Service) {
    let _ = writeln!(io::stdout(), "{}", welcome::text(service));
}
