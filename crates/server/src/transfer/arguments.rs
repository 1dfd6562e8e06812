//! The arguments of `slugline import`.

use std::path::PathBuf;

use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use jiff::tz::TimeZone;
use slugline_contract::LinkFile;
use slugline_domain::{DomainName, HostError};

/// The arguments of `slugline import`.
#[derive(Debug, Args)]
pub(crate) struct Wishes {
    /// Where from, - for standard input; SQLite files of Chhoto, Kutt and Shlink, too
    #[arg(required_unless_present_any = ["sql", "undo"], conflicts_with_all = ["sql", "undo"])]
    pub(super) file: Option<String>,
    /// Form of the file [default: by its first characters]
    #[arg(long, value_parser = PossibleValuesParser::new(["json", "csv"])
        .map(|name| if name == "csv" { LinkFile::Table } else { LinkFile::Documents }))]
    pub(super) format: Option<LinkFile>,
    /// Domain of links that name none, or OLD=NEW for links of a host; an empty NEW is the default domain
    #[arg(long, value_name = "HOST|OLD=NEW", value_parser = domain)]
    pub(super) domain: Vec<(String, DomainName)>,
    /// Zone of moments that name none [default: UTC]
    #[arg(long, value_parser = TimeZone::get)]
    pub(super) zone: Option<TimeZone>,
    /// Lines of OLD,NEW: slugs in place of others; --dry-run makes the file, with proposals
    #[arg(long, value_name = "FILE")]
    pub(super) map: Option<PathBuf>,
    /// Write what becomes of each link, for --undo, to the end of this file
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Change nothing, and tell what the import would do
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Print the SQL text that a database's own client runs, such as --sql shlink mysql
    #[arg(long, num_args = 2, value_names = ["PRODUCT", "DIALECT"], conflicts_with = "undo")]
    pub(super) sql: Option<Vec<String>>,
    /// Remove what the imports of a report made and nobody changed since
    #[arg(long, value_name = "REPORT")]
    pub(super) undo: Option<PathBuf>,
}

/// Reads the host of links, which is empty for those that name none, and the domain that they come into.
fn domain(text: &str) -> Result<(String, DomainName), HostError> {
    let (old, new) = text.split_once('=').unwrap_or(("", text));
    Ok((old.to_lowercase(), DomainName::parse(new)?))
}
