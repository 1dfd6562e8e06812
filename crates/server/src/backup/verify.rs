//! Examines the parts of a backup, and whole backups.

use std::{
    fs::{self, File},
    io::{self, BufReader, Write},
    path::Path,
};

use anyhow::{Context, bail};
use slugline_application::SiteToken;
use slugline_storage::{DatabaseUrl, SchemaConnection};

use super::{
    Draft,
    archive::{About, ArchiveReader},
    create_private, draft_of,
    parts::BackupPart,
};
use crate::{databases, secret_file::read_secret};

/// Examines a copy of a part and returns its findings, one line each. SQLite may leave files
/// beside the copy.
///
/// # Errors
/// The copy is damaged, of a newer version, or something else, or has a foreign object.
pub(super) fn examine(part: BackupPart, copy: &Path) -> anyhow::Result<Vec<String>> {
    let examined = || match part {
        BackupPart::Links => links(copy),
        BackupPart::Visits => visits(copy),
        BackupPart::SiteToken => site_token(copy),
    };
    examined().with_context(|| format!("the {} cannot be used", part.word()))
}

fn links(copy: &Path) -> anyhow::Result<Vec<String>> {
    let url = DatabaseUrl::File(copy.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    runtime.block_on(async {
        let database = SchemaConnection::open_to_examine(&url).await?;
        // Before the check of pages, which evaluates expressions of the schema.
        databases::refuse_in_links(copy, &database).await?;
        let damages = database.damages().await?;
        if !damages.is_empty() {
            bail!("damaged: {}", damages.join("; "));
        }
        let schema = match database.pending().await?.len() {
            0 => "the schema is up to date".to_owned(),
            steps => format!("the schema is {steps} steps behind; the next start takes them"),
        };
        let mut found = vec!["pages are sound".to_owned(), schema];
        let named = database.named_tokens()?;
        if named > 0 {
            found.push(format!("named tokens: {named}"));
        }
        Ok(found)
    })
}

/// The numbers of named tokens and of links with a limit of visits in a copy of the links.
pub(super) fn tokens_and_limits(copy: &Path) -> anyhow::Result<(u64, u64)> {
    let url = DatabaseUrl::File(copy.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    let database = runtime.block_on(SchemaConnection::open_to_examine(&url))?;
    Ok((database.named_tokens()?, database.limited_links()?))
}

fn visits(copy: &Path) -> anyhow::Result<Vec<String>> {
    databases::refuse_in_visits(copy)?;
    let examined = slugline_visitlog::examine(copy)?;
    let told = |sound: bool| {
        let things = examined.iter().filter(move |thing| thing.sound == sound);
        things.map(|thing| format!("{}: {}", thing.what, thing.found))
    };
    let damages: Vec<String> = told(false).collect();
    if !damages.is_empty() {
        bail!("damaged: {}", damages.join("; "));
    }
    Ok(told(true).collect())
}

fn site_token(copy: &Path) -> anyhow::Result<Vec<String>> {
    SiteToken::new(&read_secret(copy)?)?;
    Ok(vec!["it is there".to_owned()])
}

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
        for found in examine(part, &copy.path).with_context(context)? {
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
