//! `slugline visits`: visits to files, from files, and from the embedded log to ClickHouse.
//!
//! All work on the files of the data folder, or on ClickHouse, that the settings name, also while
//! a service uses them; only a move needs the embedded log alone.

pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod moving;

use std::{
    io::{self, Write},
    path::PathBuf,
    sync::Arc,
};

use anyhow::{Context, bail};
use clap::{
    Args,
    builder::{PossibleValuesParser, TypedValueParser},
};
use slugline_analytics::QueryLimits;
use slugline_clickhouse::{ClickHouseLog, ClickHouseOptions, ClickHouseTarget};
use slugline_contract::{VisitFile, VisitFormat};
use slugline_domain::ports::VisitLog;
use slugline_visitlog::EmbeddedLog;

use crate::{
    clickhouse_wire::OutboundWire,
    settings::{AccessLog, Settings},
};

/// The argument that means standard output instead of a file.
const STANDARD: &str = "-";

/// The form that a command line asks for.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Form {
    /// Form of the file [default: by its name; of standard output, ndjson]
    #[arg(long, value_parser = format())]
    format: Option<VisitFormat>,
    /// The file is packed with gzip [default: by its name]
    #[arg(long)]
    gzip: bool,
}

impl Form {
    /// The form that was asked for, else the one that the file's name says.
    fn of(self, file: &str) -> anyhow::Result<VisitFile> {
        let named = VisitFile::of_name(file);
        let format = self.format.or(named.map(|named| named.format));
        let format = match format {
            Some(format) => format,
            None if file == STANDARD => VisitFormat::default(),
            None => bail!(
                "the name {file:?} does not say what is in the file; let it end with .csv, \
                 .ndjson, .csv.gz or .ndjson.gz, or say --format"
            ),
        };
        Ok(VisitFile {
            format,
            gzip: self.gzip || named.is_some_and(|named| named.gzip),
        })
    }
}

fn format() -> impl TypedValueParser<Value = VisitFormat> {
    PossibleValuesParser::new(["csv", "ndjson"]).try_map(|name| serde_json::from_value(name.into()))
}

/// The log that the settings name, for questions.
fn open_log(settings: &Settings) -> anyhow::Result<Arc<dyn VisitLog>> {
    if let Some(target) = clickhouse(settings) {
        let wire = Arc::new(OutboundWire::new());
        return Ok(Arc::new(ClickHouseLog::open(target.clone(), wire)));
    }
    let file = existing(settings.embedded_log())?;
    let log = EmbeddedLog::open(&file, QueryLimits::default());
    Ok(Arc::new(log.context("SLUGLINE_ANALYTICS_URL")?))
}

/// The ClickHouse that the settings name, if they name one.
fn clickhouse(settings: &Settings) -> Option<&ClickHouseTarget> {
    match &settings.access_log {
        AccessLog::ClickHouse(target) => Some(target),
        AccessLog::File(_) => None,
    }
}

/// ClickHouse, and the spool of the data folder.
fn through_spool(settings: &Settings, target: &ClickHouseTarget) -> ClickHouseOptions {
    let wire = Arc::new(OutboundWire::new());
    ClickHouseOptions::new(target.clone(), wire, settings.spool_file())
}

fn existing(file: PathBuf) -> anyhow::Result<PathBuf> {
    if !file.exists() {
        bail!(
            "there is no access log {}; name the folder of an instance in --data-dir, or its \
             access log in --analytics-url",
            file.display()
        );
    }
    Ok(file)
}

/// Prints a message; continues if standard error is closed.
fn tell(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}
