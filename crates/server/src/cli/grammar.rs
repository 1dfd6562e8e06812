//! The commands, their arguments and their help.

use clap::{
    Parser, Subcommand,
    builder::{PossibleValuesParser, TypedValueParser},
};
use slugline_contract::TransferFormat;

use super::{
    arguments::{LINKS, LOGGED, every, these},
    domains::DomainCommand,
    tokens::TokenCommand,
    visits::VisitCommand,
};
use crate::{
    VERSION,
    backup::{create, restore},
    seed::Amount,
    settings::{ClientSettings, LISTEN},
    transfer::arguments,
};

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

const AFTER_HELP: &str = "These commands run an instance. Links are made over the API, in the \
     dashboard or over MCP. `slugline --help` shows all settings.";

const AFTER_LONG_HELP: &str = "These commands run an instance. Links are made over the API, in \
     the dashboard or over MCP.\n\n\
     There is no configuration file. Every setting is a flag and an environment variable: \
     --data-dir is SLUGLINE_DATA_DIR. All users of a machine see the flags of its programs: give \
     secrets by variables, or in files, which --…-file and SLUGLINE_…_FILE name.";

const BACKUP_CODES: &str = "Exit codes:\n  \
     0    done\n  \
     1    not done; the error says why\n  \
     2    the command line is wrong";

const IMPORT_CODES: &str = "Exit codes:\n  \
     0    every link came, or was here already\n  \
     1    not done; the error says why\n  \
     2    the command line is wrong\n  \
     3    some links stay behind, and all others came";

const DOCTOR_CODES: &str = "Exit codes:\n  \
     0    everything is sound, or was rebuilt\n  \
     1    something is damaged or cannot be examined, or nothing was rebuilt\n  \
     2    the command line is wrong\n  \
     141  the reader of the output closed it before the end, as head does; the other things were \
     not looked at";

const HEALTH_CODES: &str = "It asks /_health/ready at SLUGLINE_LISTEN and prints the answer.\n\n\
     Exit codes:\n  \
     0    the answer is 200\n  \
     1    the answer has another status, or there is none within 5 seconds\n  \
     2    the command line is wrong";

/// A link shortener with analytics, a REST API and an MCP endpoint
#[derive(Debug, Parser)]
#[command(
    name = "slugline",
    version = VERSION,
    args = every(),
    after_help = AFTER_HELP,
    after_long_help = AFTER_LONG_HELP,
    args_conflicts_with_subcommands = true
)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve redirects, the API and MCP (the default)
    #[command(args = every(), after_help = "`slugline serve --help` shows all settings.", aliases = ["start", "run", "up"])]
    Serve,
    /// Move links here from an older instance's key-value store
    #[command(args = these(&[LINKS, LOGGED]))]
    Migrate {
        /// Look at every entry again; links that are here stay as they are
        #[arg(long)]
        force: bool,
    },
    /// Print the OpenAPI document
    #[command(args = these(&[DOCUMENTED]))]
    Openapi,
    /// Write all links, with their stored passwords, to a file
    #[command(args = these(&[LINKS]))]
    Export {
        /// Where to, - for standard output
        #[arg(default_value = "-")]
        file: String,
        /// Form of the file [default: by its name; without an ending, json]
        #[arg(long, value_parser = transfer_format())]
        format: Option<TransferFormat>,
        /// Replace a file of that name
        #[arg(long)]
        replace: bool,
    },
    /// Take over links of an export, of Sink's, and of other shorteners; active slugs are skipped
    #[command(args = these(&[LINKS, IMPORTED]), after_long_help = IMPORT_CODES)]
    Import(Box<arguments::Wishes>),
    /// Export, import and move visits
    #[command(subcommand, arg_required_else_help = false)]
    Visits(VisitCommand),
    /// Write links, visits and the keys of visitor hashes to one file, also while the service
    /// runs; the links and visits of SQLite files only
    #[command(
        args = these(&[BACKED_UP]),
        after_help = BACKUP_CODES,
        subcommand_negates_reqs = true,
        args_conflicts_with_subcommands = true
    )]
    Backup {
        #[command(subcommand)]
        command: Option<BackupCommand>,
        /// Where to; it appears when it is complete, readable by its owner only
        #[arg(required = true)]
        file: Option<String>,
        #[command(flatten)]
        wishes: create::Wishes,
    },
    /// Put a backup into the data folder of a stopped service, wholly or not at all
    #[command(args = these(&[BACKED_UP]), after_help = BACKUP_CODES)]
    Restore {
        /// The backup
        file: String,
        #[command(flatten)]
        wishes: restore::Wishes,
    },
    /// Say whether the databases are sound, one line for each thing looked at
    #[command(args = these(&[EXAMINED]), after_help = DOCTOR_CODES, aliases = ["check", "fsck"])]
    Doctor {
        /// Replace a damaged access log, or spool, by what can be read of it; the old file is
        /// kept; the service must be stopped
        #[arg(long)]
        rebuild: bool,
    },
    /// Ask the service on this machine whether it is ready, for container engines
    #[command(args = these(&[&[LISTEN]]), after_help = HEALTH_CODES, aliases = ["status", "health", "ping"])]
    Healthcheck,
    /// Fill an instance that has no links with believable ones, to look at
    #[command(args = every())]
    Seed(Amount),
    /// Look at the settings
    #[command(subcommand, arg_required_else_help = false)]
    Config(ConfigCommand),
    /// Look at the site token, and make, list and revoke named tokens
    #[command(subcommand, arg_required_else_help = false, alias = "tokens")]
    Token(TokenCommand),
    /// Speak MCP over standard input and output, for a running instance
    #[command(
        args = these(&[&ClientSettings::NAMES]),
        mut_arg("site-token", |token| token.help("Site token of that instance, or a named one"))
    )]
    Mcp {
        /// Where the instance runs
        #[arg(long, default_value = "http://127.0.0.1:8080")]
        url: String,
        /// Send the token unencrypted to another machine, over http
        #[arg(long)]
        allow_plain_http: bool,
    },
    /// Print the licences of others' work in this program
    Licenses,
    /// List, add, edit and take away hosts with links of their own
    #[command(subcommand, arg_required_else_help = false, alias = "domain")]
    Domains(Box<DomainCommand>),
}

#[derive(Debug, Subcommand)]
pub(super) enum BackupCommand {
    /// Say whether a backup can be restored, one line for each thing looked at
    #[command(after_help = BACKUP_CODES)]
    Verify {
        /// The backup
        file: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Print every setting with its value and its origin; secrets stay hidden
    #[command(args = every())]
    Show,
}

fn transfer_format() -> impl TypedValueParser<Value = TransferFormat> {
    PossibleValuesParser::new(["json", "csv"]).try_map(|name| serde_json::from_value(name.into()))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent_and_every_setting_of_a_command_is_one() {
        CommandLine::command().debug_assert();
    }
}
