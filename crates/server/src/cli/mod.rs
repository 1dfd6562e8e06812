//! The command line.

use std::{
    ffi::OsString,
    io::{self, Write},
};

use anyhow::{Context, bail};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use slugline_contract::TransferFormat;
use slugline_rest::ApiOptions;

use crate::{
    Service, Settings, VERSION, data_folder, doctor, logging,
    mcp_bridge::{self, Upstream},
    old_store, open_files,
    seed::{self, Amount},
    service,
    settings::{CATALOGUE, ClientSettings, Setting, Sources, unknown_names},
    site_token,
    stop_request::StopRequest,
    transfer, welcome, wiring,
};

/// Runs the command that the arguments name; `serve` when they name none.
///
/// # Errors
/// What went wrong, in one line with its causes.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> anyhow::Result<()> {
    let matches = command().get_matches_from(arguments);
    data_folder::keep_new_files_private();
    match matches.subcommand() {
        Some(("openapi", given)) => print_document(&settings(given)?),
        Some(("migrate", given)) => migrate(&settings(given)?, given.get_flag("force")),
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
        Some(("token", given)) => match given.subcommand() {
            Some(("show", given)) => show_token(&settings(given)?),
            _ => unreachable!("clap asks for a subcommand"),
        },
        _ => serve(&matches),
    }
}

fn command() -> Command {
    let serve = Command::new("serve").about("Serve redirects, the API and MCP (the default)");
    let openapi = Command::new("openapi").about("Print the OpenAPI document");
    let url = Arg::new("url")
        .long("url")
        .value_name("URL")
        .default_value("http://127.0.0.1:8080")
        .help("Where the instance runs");
    let plain_http = Arg::new(PLAIN_HTTP)
        .long(PLAIN_HTTP)
        .action(ArgAction::SetTrue)
        .help("Send the token unencrypted to another machine, over http");
    let mcp = Command::new("mcp")
        .about("Speak MCP over standard input and output, for a running instance")
        .arg(url)
        .arg(plain_http);
    let format = Arg::new("format")
        .long("format")
        .value_parser(["json", "csv"])
        .help("Form of the file [default: by its name, else json]");
    let file = Arg::new("file").value_name("FILE");
    let export = Command::new("export")
        .about("Write all links, with their stored passwords, to a file")
        .arg(
            file.clone()
                .default_value("-")
                .help("Where to, - for standard output"),
        )
        .arg(format.clone());
    let import = Command::new("import")
        .about("Take over the links of an export, also of Sink's; active slugs are skipped")
        .arg(file.required(true).help("Where from, - for standard input"))
        .arg(format);
    let migrate = Command::new("migrate")
        .about("Move links here from an older instance's key-value store")
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Look at every entry again; links that are here stay as they are"),
        );
    let rebuild = Arg::new("rebuild")
        .long("rebuild")
        .action(ArgAction::SetTrue)
        .help("Replace a damaged access log, or spool, by what can be read of it; the old file is kept");
    let doctor = Command::new("doctor")
        .about("Say whether the databases are sound, one line for each thing looked at")
        .arg(rebuild);
    let amount = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NUMBER")
            .value_parser(value_parser!(u32).range(1..=10_000_000))
            .default_value(default)
            .help(help)
    };
    let show = Command::new("show").about(
        "Print the address that signs in to the dashboard, with the token of the data folder",
    );
    let token = Command::new("token")
        .about("The site token")
        .subcommand_required(true)
        .subcommand(with_settings(show));
    let seed = Command::new("seed")
        .about("Fill an instance that has no links with believable ones, to look at")
        .arg(amount("links", "200", "Links to make"))
        .arg(amount("visits", "50000", "Visits to make"))
        .arg(
            amount("days", "90", "Days that the visits are spread over")
                .value_parser(value_parser!(u32).range(1..=3_650)),
        );
    with_settings(Command::new("slugline"))
        .version(VERSION)
        .about("A link shortener with analytics, a REST API and an MCP endpoint")
        .after_help(
            "Every setting is also an environment variable: --data-dir is SLUGLINE_DATA_DIR. \
             Everybody on a machine sees the flags of its programs: give secrets by variables, or \
             in files, which --…-file and SLUGLINE_…_FILE name.",
        )
        .args_conflicts_with_subcommands(true)
        .subcommand(with_settings(serve))
        .subcommand(with_settings(migrate))
        .subcommand(with_settings(openapi))
        .subcommand(with_settings(export))
        .subcommand(with_settings(import))
        .subcommand(with_settings(doctor))
        .subcommand(with_settings(seed))
        .subcommand(token)
        .subcommand(with_these(mcp, |setting| {
            ClientSettings::NAMES.contains(&setting.name)
        }))
}

fn with_settings(command: Command) -> Command {
    with_these(command, |_| true)
}

fn with_these(command: Command, wanted: impl Fn(&Setting) -> bool) -> Command {
    command.args(
        CATALOGUE
            .iter()
            .filter(|setting| wanted(setting))
            .flat_map(|setting| {
                let default = match setting.default {
                    "" => String::new(),
                    default => format!(" [default: {default}]"),
                };
                let value = Arg::new(setting.flag())
                    .long(setting.flag())
                    .value_name("VALUE")
                    .help(format!("{}{default}", setting.meaning));
                let file = Arg::new(setting.file_flag())
                    .long(setting.file_flag())
                    .value_name("FILE")
                    .help("File that holds it, out of sight of others");
                [Some(value), setting.secret.then_some(file)]
            })
            .flatten(),
    )
}

/// The flag of `slugline mcp` that lets a token travel in clear.
const PLAIN_HTTP: &str = "allow-plain-http";

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
    for warning in unknown_names(environment_names()) {
        // A closed standard error is no reason to stop.
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    Ok(Settings::resolve(&sources(given)?)?)
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings are read from the environment here only"
)]
fn sources(given: &ArgMatches) -> anyhow::Result<Sources> {
    // A command without the flag leaves the setting to the environment.
    let flag = |name: &str| given.try_get_one::<String>(name).ok()?.cloned();
    for setting in CATALOGUE.iter().filter(|setting| setting.secret) {
        if flag(&setting.flag()).is_some_and(|value| is_confidential(&value)) {
            // Nothing is logged yet, and nobody may be there to read it.
            let _ = writeln!(
                io::stderr(),
                "warning: everybody on this machine can read the flag --{}; set {} or {} instead",
                setting.flag(),
                setting.name,
                setting.file_variable()
            );
        }
    }
    let variable = |name: &str| std::env::var(name).ok();
    Ok(Sources::from_flags_and_environment(flag, variable)?)
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
fn migrate(settings: &Settings, force: bool) -> anyhow::Result<()> {
    logging::start(&settings.log)?;
    let (report, failed) = runtime()?.block_on(old_store::migrate(settings, force))?;
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
    let settings = Settings::resolve(&sources(given)?)?;
    logging::start(&settings.log)?;
    for warning in unknown_names(environment_names()) {
        tracing::warn!("{warning}");
    }
    open_files::raise_limit();
    runtime()?.block_on(async {
        // Whoever reads the greeting may ask to stop at once.
        let stop = StopRequest::listen()?;
        let service = Service::start(&settings).await?;
        greet(&service);
        stop.received().await;
        tracing::info!("stopping: finishing requests and writing visits");
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

/// The token of the settings is not kept in clear, so it cannot be shown.
fn show_token(settings: &Settings) -> anyhow::Result<()> {
    if settings.site_token.is_some() {
        bail!("the token is set by SLUGLINE_SITE_TOKEN or its file: look there");
    }
    let token = site_token::read_kept(&settings.data_dir)?;
    let origin = service::origin(settings, settings.listen);
    let address = site_token::sign_in_address(&origin, &token);
    Ok(writeln!(io::stdout(), "{address}")?)
}

fn bridge(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = ClientSettings::resolve(&sources(given)?)?;
    logging::start(&settings.log)?;
    let token = settings.site_token.context(
        "SLUGLINE_SITE_TOKEN is not set: give the instance's token there, or its file in \
         SLUGLINE_SITE_TOKEN_FILE",
    )?;
    let url = given.get_one::<String>("url").expect("has a default");
    let upstream = Upstream::new(url, &token)?;
    if !given.get_flag(PLAIN_HTTP) {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }
}
