//! `slugline backup verify`: checks a backup and changes nothing.

use std::{
    fs::{self, File},
    io::{self, BufReader, Write},
    path::Path,
};

use anyhow::Context;

use super::{
    Draft,
    archive::{About, ArchiveReader},
    create::draft_of,
    create_private, examine,
    parts::BackupPart,
};

/// Prints a line for each part of the backup. It unpacks the databases beside the backup during
/// the check.
///
/// # Errors
/// Something is damaged, missing, or of a newer version.
pub(crate) fn run(file: &str) -> anyhow::Result<()> {
    let path = Path::new(file);
    let context = || format!("{file} cannot be restored");
    let mut copies = Vec::new();
    let about = unpack(path, |part| {
        let copy = draft_of(path, &format!(".{}", part.name()));
        let cannot = || format!("{} cannot be written, to look at it", copy.display());
        let copy = Draft::at(copy.clone()).with_context(cannot)?;
        let made = create_private(&copy.path).with_context(cannot)?;
        copies.push((part, copy));
        Ok(Some(made))
    });
    let about = about.with_context(context)?;
    let mut output = io::stdout().lock();
    let (version, made_at) = (about.version, about.made_at.get());
    writeln!(output, "backup: ok: complete, digest matches")?;
    writeln!(
        output,
        "backup: ok: by version {version}, at Unix second {made_at}"
    )?;
    for (part, copy) in copies {
        for found in examine::examine(part, &copy.path).with_context(context)? {
            writeln!(output, "{}: ok: {found}", part.word())?;
        }
    }
    Ok(())
}

/// Reads a backup to its end and writes each part into the file that `open` returns for it, if
/// any.
///
/// # Errors
/// The backup is damaged, or a file cannot be written.
pub(super) fn unpack(
    file: &Path,
    mut open: impl FnMut(BackupPart) -> anyhow::Result<Option<File>>,
) -> anyhow::Result<About> {
    let read = || -> anyhow::Result<ArchiveReader<BufReader<File>>> {
        if fs::metadata(file)?.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory).into());
        }
        Ok(ArchiveReader::begin(BufReader::new(File::open(file)?))?)
    };
    let mut archive = read()?;
    while let Some((part, bytes)) = archive.next()? {
        match open(part)? {
            Some(copy) => {
                archive.copy(bytes, &copy)?;
                copy.sync_all()?;
            }
            None => archive.copy(bytes, io::sink())?,
        }
    }
    Ok(archive.about().clone())
}
