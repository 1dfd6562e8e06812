//! `slugline domains`: its arguments.

use clap::{
    ArgMatches, Args, Subcommand,
    builder::{PossibleValuesParser, StringValueParser, TypedValueParser},
};
use serde_json::{Map, Value};

use super::arguments::{settings, these};
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

#[derive(Debug, Subcommand)]
pub(super) enum DomainCommand {
    /// Print a line for each domain
    #[command(args = these(&[SETTINGS]))]
    List,
    /// Give a host links of its own, also while the service runs
    #[command(args = these(&[SETTINGS]))]
    Add {
        /// The host, such as go.example.com
        host: String,
        #[command(flatten)]
        record: Record,
    },
    /// Change what was decided about a domain
    #[command(
        args = these(&[SETTINGS]),
        after_help = "What no flag names stays. An empty value leaves it to the instance again."
    )]
    Edit {
        /// The host, such as go.example.com
        host: String,
        #[command(flatten)]
        record: Record,
    },
    /// Make a host the default domain again
    #[command(args = these(&[SETTINGS]))]
    Remove {
        /// The host, such as go.example.com
        host: String,
        /// Move its links to this domain; an empty value means the default one
        #[arg(long, value_name = "HOST")]
        move_to: Option<String>,
        /// Delete its links
        #[arg(long, conflicts_with = "move_to")]
        delete_links: bool,
    },
}

/// The members of a domain that flags name, as the API takes them. An empty value stands for null.
#[derive(Debug, Args)]
pub(super) struct Record {
    /// The address for visitors of the bare host
    #[arg(long, value_name = "URL", value_parser = address())]
    home_url: Option<Value>,
    /// The address for visitors of an unknown slug
    #[arg(long, value_name = "URL", value_parser = address())]
    not_found_url: Option<Value>,
    /// The address for visitors of a link that is over
    #[arg(long, value_name = "URL", value_parser = address())]
    expired_url: Option<Value>,
    /// Whether Docs and docs are two slugs
    #[arg(long, value_name = "true|false", value_parser = switch(), hide_possible_values = true)]
    case_sensitive: Option<Value>,
    /// Whether a slug that the domain does not have is looked up in the default one
    #[arg(long, value_name = "true|false", value_parser = switch(), hide_possible_values = true)]
    fall_through: Option<Value>,
}

impl Record {
    fn members(self) -> Map<String, Value> {
        let members = [
            ("homeUrl", self.home_url),
            ("notFoundUrl", self.not_found_url),
            ("expiredUrl", self.expired_url),
            ("caseSensitive", self.case_sensitive),
            ("fallThrough", self.fall_through),
        ];
        let given = members.into_iter();
        let given = given.filter_map(|(name, value)| Some((name.to_owned(), value?)));
        given.collect()
    }
}

fn address() -> impl TypedValueParser<Value = Value> {
    StringValueParser::new().map(|url| Some(url).filter(|url| !url.is_empty()).into())
}

fn switch() -> impl TypedValueParser<Value = Value> {
    PossibleValuesParser::new(["true", "false", ""]).map(|text| text.parse::<bool>().ok().into())
}

pub(super) fn obey(command: DomainCommand, given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings(given)?;
    match command {
        DomainCommand::List => domain_commands::list(&settings),
        DomainCommand::Add { host, record } => {
            domain_commands::add(&settings, &host, record.members())
        }
        DomainCommand::Edit { host, record } => {
            domain_commands::edit(&settings, &host, record.members())
        }
        DomainCommand::Remove {
            host,
            move_to,
            delete_links,
        } => {
            let fate = match &move_to {
                Some(target) => Some(("move", target.as_str())),
                None => delete_links.then_some(("delete", "")),
            };
            domain_commands::remove(&settings, &host, fate)
        }
    }
}
