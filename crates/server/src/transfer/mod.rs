//! `slugline export` and `slugline import`: links to and from files, and the way back.
//!
//! Both use the database that the settings name, even while a server uses it, and hold only a
//! batch or two of links in memory.

pub(crate) mod arguments;
pub(crate) mod command;
pub(crate) mod export;
mod import;
mod report;
mod slug_map;
mod source;
mod tally;
mod undo;

use slugline_application::LinkWriter;
use tokio::runtime::Runtime;

use crate::{
    backup::journal, data_folder, instance_lock::FilesInUse, process, settings::Settings, wiring,
};

/// The import left some links of a file out and took all others, or took not all of them back.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("{0} links could not be {1}; the lines above say why")]
pub(crate) struct LinksLeft(usize, &'static str);

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
