//! Settings as flags of commands, and the settings that flags and environment give.

use std::{
    io::{self, Write},
    net::SocketAddr,
};

use clap::{Arg, ArgMatches};

use crate::{
    logging, service,
    settings::{self, CATALOGUE, Group, Log, Setting, Settings, Sources, unknown_names},
};

/// The settings of a command without log output.
pub(super) fn settings(given: &ArgMatches) -> anyhow::Result<Settings> {
    Ok(Settings::resolve(&sources(given))?)
}

/// The address on which the service listens. Other settings are not read, so none of them can
/// make this fail, and no secret is opened.
pub(super) fn listen(given: &ArgMatches) -> anyhow::Result<SocketAddr> {
    let sources = read(given, |setting| setting.name == settings::LISTEN);
    Ok(settings::listen(&sources)?)
}

/// The address of the service, as far as the environment or the data folder says; else the default
/// one.
pub(super) fn origin() -> String {
    let wanted = [settings::LISTEN, "SLUGLINE_BASE_URL", "SLUGLINE_DATA_DIR"];
    let sources = read(&ArgMatches::default(), |setting| {
        wanted.contains(&setting.name)
    });
    let settings = Settings::resolve(&sources)
        .or_else(|_| Settings::from_pairs([]))
        .expect("the defaults are right");
    let known = service::known_origin(&settings);
    known.unwrap_or_else(|| service::local_origin(settings.listen))
}

/// The sources of a command without log output. Warnings go to standard error.
pub(super) fn sources(given: &ArgMatches) -> Sources {
    for warning in warnings(given) {
        // Continue if standard error is closed.
        let _ = writeln!(io::stderr(), "warning: {warning}");
    }
    read(given, |_| true)
}

/// Reads the sources of a command that logs, and starts its log output. All later output has the
/// form that the settings ask for.
pub(super) fn sources_and_log(given: &ArgMatches) -> anyhow::Result<Sources> {
    let log = Log::resolve(&read(given, |setting| setting.group == Group::Log))?;
    logging::start(&log)?;
    for warning in warnings(given) {
        tracing::warn!("{warning}");
    }
    Ok(read(given, |_| true))
}

/// The settings of a command that logs, and its log output. Whichever of them are wrong, the error
/// names all.
pub(super) fn settings_and_log(given: &ArgMatches) -> anyhow::Result<Settings> {
    match sources_and_log(given) {
        Ok(sources) => Ok(Settings::resolve(&sources)?),
        Err(error) => {
            Settings::resolve(&read(given, |_| true))?;
            Err(error)
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "settings are read from the environment here only"
)]
fn read(given: &ArgMatches, wanted: impl Fn(&Setting) -> bool) -> Sources {
    let variable = |name: &str| std::env::var(name).ok();
    let settings = CATALOGUE.iter().filter(|setting| wanted(setting));
    Sources::of(settings, |name| flag(given, name), variable)
}

/// A command without the flag leaves the setting to the environment.
fn flag(given: &ArgMatches, name: &str) -> Option<String> {
    given.try_get_one::<String>(name).ok()?.cloned()
}

/// Warnings about secrets in flags, and about variables that are not settings.
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

/// Databases and stores may be files, whose names are not secret.
fn is_confidential(value: &str) -> bool {
    !["sqlite:", "file:"]
        .iter()
        .any(|scheme| value.starts_with(scheme))
}

fn environment_names() -> impl Iterator<Item = String> {
    std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())
}

/// The database of links, which every command about links needs.
pub(super) const LINKS: &[&str] = &[
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_LEGACY_KV_URL",
];

/// The settings of a command that logs.
pub(super) const LOGGED: &[&str] = &["SLUGLINE_LOG", "SLUGLINE_LOG_FORMAT"];

/// Flags for every setting.
pub(super) fn every() -> Vec<Arg> {
    flags(CATALOGUE.iter().collect())
}

/// Flags for the settings of these names, in the order of the catalogue.
pub(super) fn these(sets: &[&[&str]]) -> Vec<Arg> {
    let names = sets.concat();
    let setting = |name: &&str| CATALOGUE.iter().any(|setting| setting.name == *name);
    debug_assert!(names.iter().all(setting), "{names:?}");
    let is_wanted = |setting: &&Setting| names.contains(&setting.name);
    flags(CATALOGUE.iter().filter(is_wanted).collect())
}

/// If the settings need more than one screen, the short help shows only the first group.
fn flags(settings: Vec<&'static Setting>) -> Vec<Arg> {
    /// Settings that fit on a screen.
    const SCREEN: usize = 12;

    let crowded = settings.len() > SCREEN;
    let flags = settings.into_iter().flat_map(|setting| {
        let shortened = crowded && setting.group != Group::Basics;
        let default = match setting.default {
            "" => String::new(),
            default => format!(" [default: {default}]"),
        };
        let value = Arg::new(setting.flag())
            .long(setting.flag())
            .value_name("VALUE")
            .help_heading(setting.group.heading())
            .hide_short_help(shortened)
            .help(format!("{}{default}", setting.meaning));
        let file = Arg::new(setting.file_flag())
            .long(setting.file_flag())
            .value_name("FILE")
            .help_heading(setting.group.heading())
            .hide_short_help(crowded)
            .help("File that holds it, out of sight of others");
        [Some(value), setting.secret.then_some(file)]
    });
    flags.flatten().collect()
}
