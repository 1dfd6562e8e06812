//! `slugline export` and `slugline import`: links to and from files.
//!
//! Both use the database that the settings name, even while a server uses it, and hold only a
//! batch or two of links in memory.

pub(crate) mod export;
pub(crate) mod import;

use std::path::Path;

pub(crate) use import::LinksLeft;
use slugline_application::LinkWriter;
use slugline_contract::TransferFormat;
use tokio::runtime::Runtime;

use crate::{
    backup::journal, data_folder, instance_lock::FilesInUse, process, settings::Settings, wiring,
};

/// The use cases of links, in the name of the operator, and their runtime.
struct Links {
    service: LinkWriter,
    runtime: Runtime,
    // Dropped last: a restore may begin only when the database is closed.
    _in_use: FilesInUse,
}

/// Opens the database, or creates it if there is none.
fn open(settings: &Settings) -> anyhow::Result<Links> {
    data_folder::prepare(&settings.data_dir)?;
    let in_use = journal::use_files(settings)?;
    let runtime = process::runtime()?;
    let service = runtime.block_on(wiring::links_of_operator(settings))?;
    Ok(Links {
        service,
        runtime,
        _in_use: in_use,
    })
}

/// The argument that means standard input or output instead of a file.
const STANDARD: &str = "-";

/// The format that the file's extension names.
fn format_by_name(file: &str) -> Option<TransferFormat> {
    let extension = Path::new(file).extension()?;
    let is = |name: &str| extension.eq_ignore_ascii_case(name);
    if is("csv") {
        Some(TransferFormat::Csv)
    } else if is("json") {
        Some(TransferFormat::Json)
    } else {
        None
    }
}
