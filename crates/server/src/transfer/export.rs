//! Exports all links to a file.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use slugline_application::PreviewMode;
use slugline_contract::{ExportText, TransferFormat};
use slugline_domain::PageSize;

use super::{Links, STANDARD, format_by_name, missing_file, open};
use crate::Settings;

/// Writes all links to the file, which appears when it is complete. Only its owner can read it,
/// since it contains stored passwords.
pub(crate) fn run(
    settings: &Settings,
    file: &str,
    format: Option<TransferFormat>,
) -> anyhow::Result<()> {
    if let Some(file) = missing_file(settings) {
        bail!(
            "there is no database {}; name the folder of an instance in --data-dir, or its \
             database in --database-url",
            file.display()
        );
    }
    // Preview mode forbids this to callers of the API. The operator of this command can read
    // the database anyway.
    let own = Settings {
        preview: PreviewMode::Off,
        ..settings.clone()
    };
    let links = open(&own)?;
    let format = format.or_else(|| format_by_name(file));
    let format = format.unwrap_or(TransferFormat::Json);
    if file == STANDARD {
        write(&links, format, io::stdout().lock())?;
        return Ok(());
    }
    let path = Path::new(file);
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let whole = || {
        let written = write(&links, format, create_private(&partial)?)?;
        fs::rename(&partial, path)?;
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
    let export = |after| links.runtime.block_on(links.service.export(size, after));
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

#[cfg(unix)]
fn create_private(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

#[cfg(not(unix))]
fn create_private(path: &Path) -> io::Result<File> {
    File::create(path)
}
