//! `slugline domains`: its arguments.

use clap::{Arg, ArgAction, ArgMatches, Command, builder::PossibleValuesParser};
use serde_json::{Map, Value};

use super::arguments::{settings, these, with};
use crate::domain_commands;

/// The database of domains, which is that of links; the rules for addresses; and the hosts that are
/// the instance's own.
const SETTINGS: &[&str] = &[
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_BASE_URL",
    "SLUGLINE_ADMIN_HOST",
    "SLUGLINE_PUBLIC_MAX_URL_LENGTH",
    "SLUGLINE_ALLOWED_SCHEMES",
];

/// The flags with an address, and their names in the API.
const ADDRESSES: [(&str, &str, &str); 3] = [
    (
        "home-url",
        "homeUrl",
        "The address for visitors of the bare host",
    ),
    (
        "not-found-url",
        "notFoundUrl",
        "The address for visitors of an unknown slug",
    ),
    (
        "expired-url",
        "expiredUrl",
        "The address for visitors of a link that is over",
    ),
];

/// The flags of yes or no.
const SWITCHES: [(&str, &str, &str); 2] = [
    (
        "case-sensitive",
        "caseSensitive",
        "Whether Docs and docs are two slugs",
    ),
    (
        "fall-through",
        "fallThrough",
        "Whether a slug that the domain does not have is looked up in the default one",
    ),
];

pub(super) fn grammar() -> Command {
    let host = || {
        let host = Arg::new("host").value_name("HOST").required(true);
        host.help("The host, such as go.example.com")
    };
    let list = Command::new("list").about("Print a line for each domain");
    let add = recorded(Command::new("add").arg(host()))
        .about("Give a host links of its own, also while the service runs");
    let edit = recorded(Command::new("edit").arg(host()))
        .about("Change what was decided about a domain")
        .after_help("What no flag names stays. An empty value leaves it to the instance again.");
    let remove = Command::new("remove")
        .about("Make a host the default domain again")
        .arg(host())
        .arg(
            Arg::new("move-to")
                .long("move-to")
                .value_name("HOST")
                .help("Move its links to this domain; an empty value means the default one"),
        )
        .arg(
            Arg::new("delete-links")
                .long("delete-links")
                .action(ArgAction::SetTrue)
                .conflicts_with("move-to")
                .help("Delete its links"),
        );
    let domains = Command::new("domains")
        .about("List, add, edit and take away hosts with links of their own")
        .subcommand_required(true);
    [list, add, edit, remove]
        .into_iter()
        .fold(domains, |domains, command| {
            domains.subcommand(with(command, these(&[SETTINGS])))
        })
}

/// Adds the flags of a domain's record.
fn recorded(command: Command) -> Command {
    let addresses = ADDRESSES.map(|(flag, _, help)| Arg::new(flag).value_name("URL").help(help));
    let switches = SWITCHES.map(|(flag, _, help)| {
        let either = PossibleValuesParser::new(["true", "false", ""]);
        Arg::new(flag)
            .value_name("true|false")
            .value_parser(either)
            .hide_possible_values(true)
            .help(help)
    });
    let flags = addresses.into_iter().chain(switches);
    command.args(flags.map(|flag| {
        let name = flag.get_id().to_string();
        flag.long(name)
    }))
}

pub(super) fn obey(asked: &ArgMatches) -> anyhow::Result<()> {
    let (command, given) = asked.subcommand().expect("it is required");
    let settings = settings(given)?;
    let host = || given.get_one::<String>("host").expect("it is required");
    match command {
        "list" => domain_commands::list(&settings),
        "add" => domain_commands::add(&settings, host(), record(given)),
        "edit" => domain_commands::edit(&settings, host(), record(given)),
        _ => {
            let target = given.get_one::<String>("move-to").map(String::as_str);
            let fate = match target {
                Some(target) => Some(("move", target)),
                None => given.get_flag("delete-links").then_some(("delete", "")),
            };
            domain_commands::remove(&settings, host(), fate)
        }
    }
}

/// The members that flags name, as the API takes them. An empty value stands for none.
fn record(given: &ArgMatches) -> Map<String, Value> {
    let value = |flag: &str| given.get_one::<String>(flag);
    let mut record = Map::new();
    for (flag, member, _) in ADDRESSES {
        if let Some(url) = value(flag) {
            let url = Some(url.as_str()).filter(|url| !url.is_empty());
            record.insert(member.into(), url.into());
        }
    }
    for (flag, member, _) in SWITCHES {
        if let Some(text) = value(flag) {
            record.insert(member.into(), text.parse::<bool>().ok().into());
        }
    }
    record
}
