//! The arguments of `slugline visits`.

use anyhow::bail;
use clap::ArgMatches;
use serde_json::{Map, Value};
use slugline_contract::VisitFormat;

use super::{
    arguments::settings_and_log,
    grammar::{END_AT, REPLACE, START_AT},
};
use crate::{
    process::runtime,
    visit_files::{Form, export, import, moving},
};

pub(super) fn obey(asked: &ArgMatches) -> anyhow::Result<()> {
    let (command, given) = asked.subcommand().expect("it is required");
    let settings = settings_and_log(given)?;
    let file = |name| given.get_one::<String>(name).map(String::as_str);
    let runtime = runtime()?;
    match command {
        "export" => {
            let filters = filters(given)?;
            let to = file("file").expect("it is required");
            let replace = given.get_flag(REPLACE);
            runtime.block_on(export::run(&settings, to, form(given), filters, replace))
        }
        "import" => {
            let again = given.get_flag("again");
            let from = file("file").expect("it is required");
            runtime.block_on(import::run(&settings, from, form(given), again))
        }
        _ => runtime.block_on(moving::run(&settings, file("from"))),
    }
}

fn form(given: &ArgMatches) -> Form {
    let format = given.get_one::<String>("format");
    Form {
        format: format.map(|format| match format.as_str() {
            "csv" => VisitFormat::Csv,
            _ => VisitFormat::Ndjson,
        }),
        gzip: given.get_flag("gzip"),
    }
}

/// The filters, under the names that the API has for them.
fn filters(given: &ArgMatches) -> anyhow::Result<Map<String, Value>> {
    let mut filters = Map::new();
    for filter in given.get_many::<String>("filter").unwrap_or_default() {
        let Some((name, value)) = filter.split_once('=') else {
            bail!("--filter {filter:?} has no value; write it as country=DE");
        };
        if filters.insert(name.into(), value.into()).is_some() {
            bail!("--filter {name} is there twice; write the values as one list, such as DE,FR");
        }
    }
    for (flag, name) in [(START_AT, "startAt"), (END_AT, "endAt")] {
        if let Some(moment) = given.get_one::<String>(flag)
            && filters
                .insert(name.into(), moment.as_str().into())
                .is_some()
        {
            bail!("--{flag} and --filter {name} say the same; leave one out");
        }
    }
    Ok(filters)
}
