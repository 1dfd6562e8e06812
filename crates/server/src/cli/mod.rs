//! The command line.

mod arguments;
mod domains;
mod grammar;
mod show;
mod unknown_command;
mod visits;

use std::{
    ffi::OsString,
    io::{self, Write},
    process::ExitCode,
};

use anyhow::{Context, bail};
use arguments::{listen, settings, settings_and_log, sources_and_log};
use clap::ArgMatches;
use slugline_contract::TransferFormat;
use slugline_domain::{DomainName, Host};

use crate::{
    api_routes,
    backup::{self, create::Wishes, journal},
    data_folder, databases, doctor, healthcheck, logging,
    mcp_bridge::{self, Upstream},
    old_store, process,
    process::{StopRequest, one_thread, runtime},
    seed::{self, Amount},
    service::Service,
    settings::{ClientSettings, Settings},
    token_commands::{self, BoundTo},
    traces,
    transfer::{self, LinksLeft},
    welcome,
};

/// The exit code of a command that stops because its output was closed, as shells report it for
/// programs that SIGPIPE kills.
const BROKEN_PIPE: u8 = 141;

/// The exit code of an import that skipped some links and took all others.
const LINKS_LEFT: u8 = 3;

/// Runs the command that the arguments name; `serve` when they name none. It prints an error in
/// one line with its causes, on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let command = grammar::command().subcommand(domains::grammar());
    let matches = match command.try_get_matches_from(&arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let first = arguments.get(1).and_then(|first| first.to_str());
            unknown_command::explained(error, first, &arguments::origin()).exit()
        }
    };
    data_folder::keep_new_files_private();
    let obeyed = obey(&matches);
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

fn obey(matches: &ArgMatches) -> anyhow::Result<()> {
    match matches.subcommand() {
        Some(("openapi", given)) => print_document(&settings(given)?),
        Some(("migrate", given)) => migrate(given),
        Some(("serve", given)) => serve(given),
        Some(("mcp", given)) => bridge(given),
        Some(("export", given)) => {
            let (file, format) = file_and_format(given);
            let replace = given.get_flag(grammar::REPLACE);
            transfer::export::run(&settings(given)?, file, format, replace)
        }
        Some(("import", given)) => {
            let (file, format) = file_and_format(given);
            let dry_run = given.get_flag("dry-run");
            let host = given.get_one::<Host>("domain").cloned();
            let domain = host.map_or(DomainName::DEFAULT, DomainName::named);
            transfer::import::run(&settings(given)?, file, format, &domain, dry_run)
        }
        Some(("visits", asked)) => visits::obey(asked),
        Some(("backup", given)) => back_up(given),
        Some(("restore", given)) => {
            let file = given.get_one::<String>("file").expect("it is required");
            let wishes = backup::restore::Wishes {
                site_token: given.get_flag(grammar::WITH_TOKEN),
                replace: given.get_flag(grammar::REPLACE),
            };
            backup::restore::run(&settings(given)?, file, wishes)
        }
        Some(("doctor", given)) => look_after(given),
        Some(("healthcheck", given)) => check_health(given),
        Some(("seed", given)) => seed(given),
        Some(("config", asked)) => show::config(asked_for(asked)),
        Some(("domains", asked)) => domains::obey(asked),
        Some(("token", asked)) => look_at_tokens(asked),
        _ => serve(matches),
    }
}

fn look_at_tokens(asked: &ArgMatches) -> anyhow::Result<()> {
    let (command, given) = asked.subcommand().expect("it is required");
    let name = || given.get_one::<String>("name").expect("it is required");
    match command {
        "show" => show::token(given),
        "rotate" => show::rotated_token(given),
        "add" => {
            let scopes = given.get_many::<String>("scope").expect("it is required");
            let scopes: Vec<String> = scopes.cloned().collect();
            let expires = given.get_one::<String>("expires").map(String::as_str);
            let given_list = |id| {
                given
                    .get_many::<String>(id)
                    .map(|all| all.cloned().collect())
            };
            let [slugs, tags, domains]: [Option<Vec<String>>; 3] =
                ["slug", "tag", "domain"].map(given_list);
            let bound_to = BoundTo {
                slugs: slugs.as_deref(),
                tags: tags.as_deref(),
                domains: domains.as_deref(),
            };
            token_commands::add(&settings(given)?, name(), &scopes, bound_to, expires)
        }
        "list" => token_commands::list(&settings(given)?),
        _ => token_commands::revoke(&settings(given)?, name()),
    }
}

/// `config` has one command.
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

fn print_document(settings: &Settings) -> anyhow::Result<()> {
    let routes = api_routes::routes(&settings.bounds, Vec::new())?;
    let document = serde_json::to_string_pretty(routes.document().as_ref())?;
    Ok(writeln!(io::stdout(), "{document}")?)
}

/// Moves every entry it can, then fails if it could not move one.
fn migrate(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings_and_log(given)?;
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

fn back_up(given: &ArgMatches) -> anyhow::Result<()> {
    let file = |given: &ArgMatches| given.get_one::<String>("file").cloned();
    if let Some(("verify", given)) = given.subcommand() {
        return backup::verify::run(&file(given).expect("it is required"));
    }
    let wishes = Wishes {
        site_token: given.get_flag(grammar::WITH_TOKEN),
        replace: given.get_flag(grammar::REPLACE),
    };
    backup::create::run(
        &settings(given)?,
        &file(given).expect("it is required"),
        wishes,
    )
}

fn look_after(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings(given)?;
    let _in_use = journal::use_files(&settings)?;
    if given.get_flag("rebuild") {
        return doctor::rebuild_visits(&settings);
    }
    databases::refuse_missing(&settings)?;
    one_thread()?.block_on(doctor::examine_all(&settings))
}

fn check_health(given: &ArgMatches) -> anyhow::Result<()> {
    let said = one_thread()?.block_on(healthcheck::run(listen(given)?))?;
    Ok(writeln!(io::stdout(), "{said}")?)
}

fn seed(given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings_and_log(given)?;
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
    one_thread()?.block_on(mcp_bridge::run(upstream))
}
