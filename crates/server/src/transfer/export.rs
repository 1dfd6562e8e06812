//! Exports all links to a file.

use std::{
    io::{self, BufWriter, Write},
    path::Path,
};

use anyhow::{Context, ensure};
use slugline_application::PreviewMode;
use slugline_contract::{ExportText, TransferFormat};
use slugline_domain::PageSize;

use super::{Links, STANDARD, open};
use crate::{
    backup::{Draft, create_private, partial, refuse_to_replace},
    databases,
    settings::Settings,
};

/// Writes all links to the file, which appears when it is complete and on the disk. Only its
/// owner can read it, since it contains stored passwords.
///
/// # Errors
/// There is no instance, the file's name says no format, the file is there already and `replace`
/// is false, or it cannot be written. It leaves no file then.
pub(crate) fn run(
    settings: &Settings,
    file: &str,
    format: Option<TransferFormat>,
    replace: bool,
) -> anyhow::Result<()> {
    let format = format.map_or_else(|| format_of(file), Ok)?;
    let path = Path::new(file);
    if file != STANDARD {
        refuse_to_replace(path, replace)?;
    }
    databases::refuse_missing(settings)?;
    // Preview mode forbids this to callers of the API. The operator of this command can read
    // the database anyway.
    let own = Settings {
        preview: PreviewMode::Off,
        ..settings.clone()
    };
    let links = open(&own)?;
    if file == STANDARD {
        write(&links, format, io::stdout().lock())?;
        return Ok(());
    }
    let whole = || {
        let draft = Draft::at(partial(path))?;
        let output = create_private(&draft.path)?;
        let written = write(&links, format, &output)?;
        draft.publish(output, path, replace)?;
        anyhow::Ok(written)
    };
    let written = whole().with_context(|| format!("{file} cannot be written"))?;
    Ok(writeln!(
        io::stderr(),
        "exported {written} links to {file}"
    )?)
}

fn write(links: &Links, format: TransferFormat, file: impl Write) -> anyhow::Result<usize> {
    let size = PageSize::new(PageSize::MAX.into()).expect("the largest page is a page");
    let mut file = BufWriter::new(file);
    let mut text = ExportText::new(format);
    let export = |after| {
        links
            .runtime
            .block_on(links.service.export(None, size, after))
    };
    let first = export(None)?;
    file.write_all(&text.start(first.exported_at))?;
    let mut page = first.page;
    loop {
        file.write_all(&text.page(&page.links))?;
        match page.next {
            Some(next) => page = export(Some(next))?.page,
            None => break,
        }
    }
    let written = text.written();
    file.write_all(&text.end())?;
    file.flush()?;
    Ok(written)
}

/// The format that the name says; JSON for a name without an ending. A table in a file that says
/// JSON, or a workbook, would be noticed only when a person needs it.
fn format_of(file: &str) -> anyhow::Result<TransferFormat> {
    let Some(extension) = Path::new(file).extension() else {
        return Ok(TransferFormat::Json);
    };
    let is = |name: &str| extension.eq_ignore_ascii_case(name);
    ensure!(
        is("csv") || is("json"),
        "the name {file:?} ends with none of the formats; let it end with .json or .csv, or say \
         --format"
    );
    Ok(if is("csv") {
        TransferFormat::Csv
    } else {
        TransferFormat::Json
    })
}
