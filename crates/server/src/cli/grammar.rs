//! The commands, their arguments and their help.

use clap::{Arg, ArgAction, Command, value_parser};
use slugline_domain::{Host, Scope};

use super::arguments::{these, with};
use crate::{
    VERSION,
    settings::{CATALOGUE, ClientSettings, LISTEN},
};

/// The flag of `slugline mcp` that allows it to send a token unencrypted.
pub(super) const PLAIN_HTTP: &str = "allow-plain-http";

/// The flag of `slugline backup` that adds the site token, and of `restore` that takes it over.
pub(super) const WITH_TOKEN: &str = "with-site-token";

/// The flag of commands that write a file, or replace data by one.
pub(super) const REPLACE: &str = "replace";

/// The flag of `slugline token show` and `rotate` that omits the address.
pub(super) const BARE: &str = "bare";

/// The flags of `slugline visits export` for a span of time.
pub(super) const START_AT: &str = "start-at";
pub(super) const END_AT: &str = "end-at";

/// The database of links, which every command about links needs.
const LINKS: &[&str] = &[
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_LEGACY_KV_URL",
];

/// The database of named tokens, which is that of links.
const NAMED_TOKENS: &[&str] = &[
    "SLUGLINE_BASE_URL",
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_CASE_SENSITIVE",
];

/// The rules for imported links.
const IMPORTED: &[&str] = &[
    "SLUGLINE_CASE_SENSITIVE",
    "SLUGLINE_PUBLIC_MAX_URL_LENGTH",
    "SLUGLINE_ALLOWED_SCHEMES",
    "SLUGLINE_PUBLIC_PREVIEW_MODE",
    "SLUGLINE_SAFE_BROWSING_DOH",
];

/// Limits that the API document states.
const DOCUMENTED: &[&str] = &[
    "SLUGLINE_PUBLIC_MAX_URL_LENGTH",
    "SLUGLINE_ALLOWED_SCHEMES",
    "SLUGLINE_LIST_QUERY_LIMIT",
];

/// The settings that `slugline doctor` examines or advises on.
const EXAMINED: &[&str] = &[
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_ANALYTICS_URL",
    "SLUGLINE_SITE_TOKEN",
    "SLUGLINE_BASE_URL",
    "SLUGLINE_ADMIN_HOST",
    "SLUGLINE_OAUTH",
    "SLUGLINE_PUBLIC_PREVIEW_MODE",
    "SLUGLINE_TRUSTED_PROXIES",
];

/// The settings that locate the data to back up and restore.
const BACKED_UP: &[&str] = &[
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_DATABASE_URL",
    "SLUGLINE_ANALYTICS_URL",
];

/// The access log.
const VISITS: &[&str] = &["SLUGLINE_DATA_DIR", "SLUGLINE_ANALYTICS_URL"];

const LOGGED: &[&str] = &["SLUGLINE_LOG", "SLUGLINE_LOG_FORMAT"];

const TOKEN: &[&str] = &[
    "SLUGLINE_ADMIN_HOST",
    "SLUGLINE_LISTEN",
    "SLUGLINE_DATA_DIR",
    "SLUGLINE_SITE_TOKEN",
    "SLUGLINE_BASE_URL",
];

/// The setting that says where the service is.
const ASKED: &[&str] = &[LISTEN];

/// The whole command line.
pub(super) fn command() -> Command {
    let every = || CATALOGUE.iter();
    let config_show = Command::new("show")
        .about("Print every setting with its value and its origin; secrets stay hidden");
    let config = Command::new("config")
        .about("Look at the settings")
        .subcommand_required(true)
        .subcommand(with(config_show, every()));
    with(Command::new("slugline"), every())
        .version(VERSION)
        .about("A link shortener with analytics, a REST API and an MCP endpoint")
        .after_help(
            "These commands run an instance. Links are made over the API, in the dashboard or over \
             MCP. `slugline --help` shows all settings.",
        )
        .after_long_help(
            "These commands run an instance. Links are made over the API, in the dashboard or over \
             MCP.\n\n\
             There is no configuration file. Every setting is a flag and an environment variable: \
             --data-dir is SLUGLINE_DATA_DIR. All users of a machine see the flags of its programs: give secrets by variables, or \
             in files, which --…-file and SLUGLINE_…_FILE name.",
        )
        .args_conflicts_with_subcommands(true)
        .subcommand(with(
            Command::new("serve")
                .about("Serve redirects, the API and MCP (the default)")
                .after_help("`slugline serve --help` shows all settings."),
            every(),
        ))
        .subcommand(with(migrate(), these(&[LINKS, LOGGED])))
        .subcommand(with(
            Command::new("openapi").about("Print the OpenAPI document"),
            these(&[DOCUMENTED]),
        ))
        .subcommand(with(export(), these(&[LINKS])))
        .subcommand(with(import(), these(&[LINKS, IMPORTED])))
        .subcommand(visits())
        .subcommand(with(backup(), these(&[BACKED_UP])))
        .subcommand(with(restore(), these(&[BACKED_UP])))
        .subcommand(with(doctor(), these(&[EXAMINED])))
        .subcommand(with(healthcheck(), these(&[ASKED])))
        .subcommand(with(seed(), every()))
        .subcommand(config)
        .subcommand(token())
        .subcommand(mcp())
}

fn migrate() -> Command {
    Command::new("migrate")
        .about("Move links here from an older instance's key-value store")
        .arg(
            Arg::new("force")
                .long("force")
                .action(ArgAction::SetTrue)
                .help("Look at every entry again; links that are here stay as they are"),
        )
}

fn export() -> Command {
    let file = Arg::new("file").value_name("FILE");
    Command::new("export")
        .about("Write all links, with their stored passwords, to a file")
        .arg(
            file.default_value("-")
                .help("Where to, - for standard output"),
        )
        .arg(format().help("Form of the file [default: by its name; without an ending, json]"))
        .arg(replace("Replace a file of that name"))
}

fn replace(help: &'static str) -> Arg {
    Arg::new(REPLACE)
        .long(REPLACE)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn import() -> Command {
    let file = Arg::new("file").value_name("FILE");
    Command::new("import")
        .about("Take over the links of an export, also of Sink's; active slugs are skipped")
        .arg(file.required(true).help("Where from, - for standard input"))
        .arg(format().help("Form of the file [default: by its name, else by its first character]"))
        .arg(
            Arg::new("domain")
                .long("domain")
                .value_name("HOST")
                .value_parser(Host::parse)
                .help("Domain of links that name none [default: the default domain]"),
        )
        .arg(
            Arg::new("dry-run")
                .long("dry-run")
                .action(ArgAction::SetTrue)
                .help("Change nothing, and tell what the import would do"),
        )
}

fn format() -> Arg {
    Arg::new("format")
        .long("format")
        .value_parser(["json", "csv"])
}

fn visits() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true);
    let format = Arg::new("format")
        .long("format")
        .value_parser(["csv", "ndjson"])
        .help("Form of the file [default: by its name; of standard output, ndjson]");
    let gzip = Arg::new("gzip")
        .long("gzip")
        .action(ArgAction::SetTrue)
        .help("The file is packed with gzip [default: by its name]");
    let moment = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("SECONDS").help(help)
    };
    let export = Command::new("export")
        .about("Write visits as they are stored to a file, also while the service runs")
        .arg(
            file.clone()
                .help("Where to, such as visits.ndjson.gz or visits.csv; - for standard output"),
        )
        .args([format.clone(), gzip.clone()])
        .arg(replace("Replace a file of that name"))
        .arg(moment(START_AT, "From this Unix second on, inclusive"))
        .arg(moment(END_AT, "Until this Unix second, inclusive"))
        .arg(
            Arg::new("filter")
                .long("filter")
                .value_name("NAME=VALUE")
                .action(ArgAction::Append)
                .help("A filter of questions about visits, such as country=DE,FR; once or more"),
        );
    let import = Command::new("import")
        .about("Take over the visits of an export, each once, also while the service runs")
        .arg(file.help("Where from"))
        .args([format, gzip])
        .arg(
            Arg::new("again")
                .long("again")
                .action(ArgAction::SetTrue)
                .help("Take them over although this data folder has had the file before"),
        );
    let move_here = Command::new("move")
        .about("Move the visits of the embedded access log to ClickHouse, each once")
        .arg(
            Arg::new("from")
                .value_name("FILE")
                .help("The embedded access log [default: analytics.db in the data folder]"),
        );
    Command::new("visits")
        .about("Export, import and move visits")
        .subcommand_required(true)
        .subcommand(with(export, these(&[LINKS, VISITS, LOGGED])))
        .subcommand(with(import, these(&[VISITS, LOGGED])))
        .subcommand(with(move_here, these(&[VISITS, LOGGED])))
}

const BACKUP_CODES: &str = "Exit codes:\n  \
     0    done\n  \
     1    not done; the error says why\n  \
     2    the command line is wrong";

fn backup() -> Command {
    let file = Arg::new("file").value_name("FILE").required(true);
    let verify = Command::new("verify")
        .about("Say whether a backup can be restored, one line for each thing looked at")
        .arg(file.clone().help("The backup"))
        .after_help(BACKUP_CODES);
    Command::new("backup")
        .about(
            "Write links, visits and the keys of visitor hashes to one file, also while the \
             service runs; the links and visits of SQLite files only",
        )
        .subcommand_negates_reqs(true)
        .args_conflicts_with_subcommands(true)
        .subcommand(verify)
        .arg(file.help("Where to; it appears when it is complete, readable by its owner only"))
        .arg(replace("Replace a file of that name"))
        .arg(
            Arg::new(WITH_TOKEN)
                .long(WITH_TOKEN)
                .action(ArgAction::SetTrue)
                .help("Put the site token of the data folder into it, too"),
        )
        .after_help(BACKUP_CODES)
}

fn restore() -> Command {
    Command::new("restore")
        .about("Put a backup into the data folder of a stopped service, wholly or not at all")
        .arg(
            Arg::new("file")
                .value_name("FILE")
                .required(true)
                .help("The backup"),
        )
        .arg(replace("Delete the links and visits that are there now"))
        .arg(
            Arg::new(WITH_TOKEN)
                .long(WITH_TOKEN)
                .action(ArgAction::SetTrue)
                .help("Take over the site token of the backup, too; whoever wrote it knows it"),
        )
        .after_help(BACKUP_CODES)
}

fn doctor() -> Command {
    Command::new("doctor")
        .about("Say whether the databases are sound, one line for each thing looked at")
        .arg(Arg::new("rebuild").long("rebuild").action(ArgAction::SetTrue).help(
            "Replace a damaged access log, or spool, by what can be read of it; the old file is \
             kept; the service must be stopped",
        ))
        .after_help(
            "Exit codes:\n  \
             0    everything is sound, or was rebuilt\n  \
             1    something is damaged or cannot be examined, or nothing was rebuilt\n  \
             2    the command line is wrong\n  \
             141  the reader of the output closed it before the end, as head does; the other \
             things were not looked at",
        )
}

fn healthcheck() -> Command {
    Command::new("healthcheck")
        .about("Ask the service on this machine whether it is ready, for container engines")
        .after_help(
            "It asks /_health/ready at SLUGLINE_LISTEN and prints the answer.\n\n\
             Exit codes:\n  \
             0    the answer is 200\n  \
             1    the answer has another status, or there is none within 5 seconds\n  \
             2    the command line is wrong",
        )
}

fn seed() -> Command {
    let amount = |name: &'static str, default: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("NUMBER")
            .value_parser(value_parser!(u32).range(1..=10_000_000))
            .default_value(default)
            .help(help)
    };
    Command::new("seed")
        .about("Fill an instance that has no links with believable ones, to look at")
        .arg(amount("links", "200", "Links to make"))
        .arg(amount("visits", "50000", "Visits to make"))
        .arg(
            amount("days", "90", "Days that the visits are spread over")
                .value_parser(value_parser!(u32).range(1..=3_650)),
        )
}

fn token() -> Command {
    let bare = Arg::new(BARE)
        .long(BARE)
        .action(ArgAction::SetTrue)
        .help("Print the token alone, for other commands");
    let show = Command::new("show")
        .about(
            "Print an address that signs in to the dashboard once, within ten minutes, with the \
             site token of the data folder",
        )
        .arg(bare.clone());
    let rotate = Command::new("rotate")
        .about(
            "Replace the site token of the data folder, also while the service runs, and print \
             an address that signs in with it once",
        )
        .arg(bare);
    let name = Arg::new("name").value_name("NAME").required(true);
    let add = Command::new("add")
        .about("Make a token with a name and scopes, and print it, the one time it can be read")
        .arg(name.clone().help("A name that no other token has"))
        .arg(
            Arg::new("scope")
                .long("scope")
                .value_name("SCOPE")
                .required(true)
                .action(ArgAction::Append)
                .value_delimiter(',')
                .value_parser(Scope::ALL.map(Scope::as_str))
                .help("What it permits, once or more; admin permits everything"),
        )
        .arg(
            Arg::new("slug")
                .long("slug")
                .value_name("SLUG")
                .action(ArgAction::Append)
                .help("Bind it to the link with this slug, once or more [default: all links]"),
        )
        .arg(
            Arg::new("tag")
                .long("tag")
                .value_name("TAG")
                .action(ArgAction::Append)
                .help("Bind it to the links with this tag, once or more [default: all links]"),
        )
        .arg(
            Arg::new("domain")
                .long("domain")
                .value_name("HOST")
                .action(ArgAction::Append)
                .help("Bind it to links of this domain, once or more [default: all domains]"),
        )
        .arg(
            Arg::new("expires")
                .long("expires")
                .value_name("WHEN")
                .help("Its end, such as 2027-01-01 or Unix seconds [default: none]"),
        );
    let list = Command::new("list").about("Print a line for each named token");
    let revoke = Command::new("revoke")
        .about("End a named token for good, on every node, at once")
        .arg(name.help("Its name"));
    Command::new("token")
        .about("Look at the site token, and make, list and revoke named tokens")
        .subcommand_required(true)
        .subcommand(with(show, these(&[TOKEN])))
        .subcommand(with(rotate, these(&[TOKEN])))
        .subcommand(with(add, these(&[NAMED_TOKENS])))
        .subcommand(with(list, these(&[NAMED_TOKENS])))
        .subcommand(with(revoke, these(&[NAMED_TOKENS])))
}

fn mcp() -> Command {
    let url = Arg::new("url")
        .long("url")
        .value_name("URL")
        .default_value("http://127.0.0.1:8080")
        .help("Where the instance runs");
    let plain_http = Arg::new(PLAIN_HTTP)
        .long(PLAIN_HTTP)
        .action(ArgAction::SetTrue)
        .help("Send the token unencrypted to another machine, over http");
    let command = Command::new("mcp")
        .about("Speak MCP over standard input and output, for a running instance")
        .arg(url)
        .arg(plain_http);
    with(command, these(&[&ClientSettings::NAMES])).mut_arg("site-token", |token| {
        token.help("Site token of that instance, or a named one")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn every_setting_that_a_command_uses_is_one() {
        for names in [
            LINKS,
            IMPORTED,
            DOCUMENTED,
            EXAMINED,
            BACKED_UP,
            VISITS,
            LOGGED,
            TOKEN,
            NAMED_TOKENS,
            ASKED,
        ] {
            assert_eq!(these(&[names]).count(), names.len(), "{names:?}");
        }
    }
}
