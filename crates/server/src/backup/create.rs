//! Makes a backup while the service runs, and shows its progress on a terminal.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    ops::ControlFlow,
    path::Path,
};

use anyhow::{Context, bail};
use clap::Args;
use slugline_domain::ports::Clock;
use slugline_storage::{Copied, FileSnapshot};
use slugline_system::SystemClock;

use super::{
    Draft,
    archive::{About, ArchiveWriter},
    create_private, draft_of, journal,
    parts::BackupPart,
    refuse_to_replace, verify,
};
use crate::{VERSION, databases, progress, settings::Settings};

/// The options of `slugline backup`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Wishes {
    /// Replace a file of that name
    #[arg(long)]
    pub(crate) replace: bool,
    /// Put the site token of the data folder into it, too
    #[arg(long = "with-site-token")]
    pub(crate) site_token: bool,
}

/// Runs `slugline backup FILE`.
pub(crate) fn run(settings: &Settings, file: &str, wishes: Wishes) -> anyhow::Result<()> {
    let _in_use = journal::use_files(settings)?;
    if BackupPart::Visits.file(settings)?.is_none() {
        // Continue if standard error is closed.
        let _ = writeln!(
            io::stderr(),
            "warning: the visits are in ClickHouse and not in this backup; back them up with \
             ClickHouse's own BACKUP"
        );
    }
    let parts = write(settings, Path::new(file), wishes, &mut on_terminal())?;
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(part, bytes)| format!("{} ({bytes} bytes)", part.word()))
        .collect();
    Ok(writeln!(
        io::stdout(),
        "backed up {} to {file}",
        parts.join(", ")
    )?)
}

/// Writes a backup. The file gets its name only when it is complete and on the disk, and the
/// check of its databases has passed. Returns the parts with their bytes.
///
/// It copies one database at a time beside the file, so the disk needs room for the backup and
/// the larger database.
///
/// # Errors
/// A database is missing, damaged or cannot be read; the file is there already or cannot be
/// written; or `watch` stopped it. It leaves no file then.
pub(crate) fn write(
    settings: &Settings,
    to: &Path,
    wishes: Wishes,
    watch: &mut Watch<'_>,
) -> anyhow::Result<Vec<(BackupPart, u64)>> {
    refuse_to_replace(to, wishes.replace)?;
    databases::refuse_missing(settings)?;
    let made_at = SystemClock.now().second();
    // Copies both as they are now. The service stores a link before its visits, so the backup
    // copies the links second: every visit in the backup then has its link.
    let visits = snapshot(BackupPart::Visits, settings)?;
    let links = snapshot(BackupPart::Links, settings)?;
    let cannot = || format!("{} cannot be written", to.display());
    let draft = Draft::at(draft_of(to, ".partial")).with_context(cannot)?;
    let file = create_private(&draft.path).with_context(cannot)?;
    let about = About {
        version: VERSION.to_owned(),
        made_at,
    };
    let mut archive = ArchiveWriter::begin(BufWriter::new(file), &about).with_context(cannot)?;
    let mut parts = Vec::new();
    let databases = [(BackupPart::Visits, visits), (BackupPart::Links, links)];
    for (part, snapshot) in databases {
        let Some(snapshot) = snapshot else { continue };
        let copy = Draft::at(draft_of(to, ".copy")).with_context(cannot)?;
        let copied = snapshot.copy_to(&copy.path, |copied| watch(part, copied));
        // Releases the snapshot, so that writers can reuse their write-ahead log.
        drop(snapshot);
        copied.with_context(cannot)?;
        // A damaged database must not replace a good backup.
        verify::examine(part, &copy.path).context("nothing was backed up")?;
        let bytes = append(&mut archive, part, &copy.path).with_context(cannot)?;
        parts.push((part, bytes));
    }
    if wishes.site_token {
        let token = BackupPart::SiteToken.file(settings)?.unwrap_or_default();
        if settings.site_token.is_some() || !token.exists() {
            bail!(
                "the site token is not in the data folder, so it cannot be backed up: a setting \
                 gives it, or the instance was never started"
            );
        }
        let bytes = append(&mut archive, BackupPart::SiteToken, &token).with_context(cannot)?;
        parts.push((BackupPart::SiteToken, bytes));
    }
    let whole = || {
        let file = archive.end()?.into_inner().map_err(io::Error::from)?;
        draft.publish(file, to, wishes.replace)
    };
    whole().with_context(cannot)?;
    Ok(parts)
}

/// `None` if the part is not in a file, or the file does not exist yet.
fn snapshot(part: BackupPart, settings: &Settings) -> anyhow::Result<Option<FileSnapshot>> {
    match part.file(settings)? {
        Some(file) if file.exists() => Ok(Some(FileSnapshot::take(&file)?)),
        Some(_) | None => Ok(None),
    }
}

fn append(
    archive: &mut ArchiveWriter<BufWriter<File>>,
    part: BackupPart,
    copy: &Path,
) -> io::Result<u64> {
    let copy = File::open(copy)?;
    let bytes = copy.metadata()?.len();
    archive.append(part, bytes, copy)?;
    Ok(bytes)
}

/// Receives progress, and may stop the work.
pub(crate) type Watch<'w> = dyn FnMut(BackupPart, Copied) -> ControlFlow<()> + 'w;

/// Shows progress on standard error if that is a terminal: one line that each update
/// overwrites, and that goes when this is dropped.
pub(crate) fn on_terminal() -> impl FnMut(BackupPart, Copied) -> ControlFlow<()> {
    let line = progress::line("", Some(0));
    move |part, copied| {
        line.set_prefix(part.word());
        line.set_length(copied.of);
        line.set_position(copied.pages);
        ControlFlow::Continue(())
    }
}
