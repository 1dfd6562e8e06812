//! `slugline visits`: its arguments.

use anyhow::bail;
use clap::{ArgMatches, Args, Subcommand};
use serde_json::{Map, Value};

use super::arguments::{LINKS, LOGGED, settings_and_log, these};
use crate::{
    process::runtime,
    visit_files::{Form, export, import, moving},
};

/// The access log.
const VISITS: &[&str] = &["SLUGLINE_DATA_DIR", "SLUGLINE_ANALYTICS_URL"];

#[derive(Debug, Subcommand)]
pub(super) enum VisitCommand {
    /// Write visits as they are stored to a file, also while the service runs
    #[command(args = these(&[LINKS, VISITS, LOGGED]))]
    Export {
        /// Where to, such as visits.ndjson.gz or visits.csv; - for standard output
        file: String,
        #[command(flatten)]
        form: Form,
        /// Replace a file of that name
        #[arg(long)]
        replace: bool,
        #[command(flatten)]
        asked: Asked,
    },
    /// Take over the visits of an export, each once, also while the service runs
    #[command(args = these(&[VISITS, LOGGED]))]
    Import {
        /// Where from
        file: String,
        #[command(flatten)]
        form: Form,
        /// Take them over although this data folder has had the file before
        #[arg(long)]
        again: bool,
    },
    /// Move the visits of the embedded access log to ClickHouse, each once
    #[command(args = these(&[VISITS, LOGGED]))]
    Move {
        /// The embedded access log [default: analytics.db in the data folder]
        #[arg(value_name = "FILE")]
        from: Option<String>,
    },
}

/// The visits that an export has.
#[derive(Debug, Args)]
pub(super) struct Asked {
    /// From this Unix second on, inclusive
    #[arg(long, value_name = "SECONDS")]
    start_at: Option<String>,
    /// Until this Unix second, inclusive
    #[arg(long, value_name = "SECONDS")]
    end_at: Option<String>,
    /// A filter of questions about visits, such as country=DE,FR; once or more
    #[arg(long = "filter", value_name = "NAME=VALUE")]
    filters: Vec<String>,
}

impl Asked {
    /// The filters, under the names that the API has for them.
    fn members(self) -> anyhow::Result<Map<String, Value>> {
        let mut members = Map::new();
        for filter in self.filters {
            let Some((name, value)) = filter.split_once('=') else {
                bail!("--filter {filter:?} has no value; write it as country=DE");
            };
            if members.insert(name.into(), value.into()).is_some() {
                bail!(
                    "--filter {name} is there twice; write the values as one list, such as DE,FR"
                );
            }
        }
        for (flag, name, moment) in [
            ("start-at", "startAt", self.start_at),
            ("end-at", "endAt", self.end_at),
        ] {
            if let Some(moment) = moment
                && members.insert(name.into(), moment.into()).is_some()
            {
                bail!("--{flag} and --filter {name} say the same; leave one out");
            }
        }
        Ok(members)
    }
}

pub(super) fn obey(command: VisitCommand, given: &ArgMatches) -> anyhow::Result<()> {
    let settings = settings_and_log(given)?;
    let runtime = runtime()?;
    match command {
        VisitCommand::Export {
            file,
            form,
            replace,
            asked,
        } => runtime.block_on(export::run(
            &settings,
            &file,
            form,
            asked.members()?,
            replace,
        )),
        VisitCommand::Import { file, form, again } => {
            runtime.block_on(import::run(&settings, &file, form, again))
        }
        VisitCommand::Move { from } => runtime.block_on(moving::run(&settings, from.as_deref())),
    }
}
