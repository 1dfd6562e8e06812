//! `slugline restore`: puts a backup into the data folder, completely or not at all.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::{Context, bail};

use super::{
    Draft, beside, create_private, examine, folder_of,
    journal::{self, Move},
    parts::BackupPart,
    sync_folder,
    tokens_after::{self, Carried},
    verify::unpack,
};
use crate::{
    data_folder::{self, NewFolder},
    instance_lock::{FilesAlone, InstanceLock},
    settings::Settings,
};

/// The options of `slugline restore`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wishes {
    /// Take over the site token of the backup.
    pub(crate) site_token: bool,
    /// Replace the data that is there.
    pub(crate) replace: bool,
}

/// A part beside the file that it replaces.
struct Staged {
    part: BackupPart,
    draft: Draft,
    exchange: Move,
}

/// Restores a backup. The service must be stopped, and no command may use the data folder.
///
/// # Errors
/// The backup is damaged, foreign or of a newer version, the folder has data and `replace` is
/// false, or something cannot be written. The restore has changed nothing then.
pub(crate) fn run(settings: &Settings, file: &str, wishes: Wishes) -> anyhow::Result<()> {
    // Fails before this creates any file.
    BackupPart::Links.file(settings)?;
    let folder = &settings.data_dir;
    let made = data_folder::prepare(folder)?;
    let lock = InstanceLock::take(folder)?;
    let files = FilesAlone::take(folder, &lock)?;
    let new = NewFolder::new(made);
    journal::finish(folder, &files)?;
    let unchanged = || format!("{file} was not restored, and nothing was changed");
    let (staged, carried) = stage(settings, Path::new(file), wishes).with_context(unchanged)?;
    let (named, limited) = tokens_and_limits(&staged).with_context(unchanged)?;
    let moves: Vec<Move> = staged
        .iter()
        .map(|staged| staged.exchange.clone())
        .collect();
    journal::write(folder, &moves).with_context(unchanged)?;
    // From here on the restore completes: now, or at the next start.
    new.keep();
    let words: Vec<&str> = staged.iter().map(|staged| staged.part.word()).collect();
    for staged in staged {
        staged.draft.keep();
    }
    journal::finish(folder, &files)?;
    Ok(writeln!(
        io::stdout(),
        "restored {} from {file}\n{}{}",
        words.join(", "),
        tokens_after::text(settings, carried, named),
        limits_after(limited)
    )?)
}

/// Writes the parts to the disk beside the files they replace, and examines them.
fn stage(
    settings: &Settings,
    file: &Path,
    wishes: Wishes,
) -> anyhow::Result<(Vec<Staged>, Carried)> {
    let mut staged: Vec<Staged> = Vec::new();
    let mut carried = Carried::None;
    unpack(file, |part| {
        if part == BackupPart::SiteToken {
            // The writer of the backup knows the token, and it permits everything.
            if !wishes.site_token {
                carried = Carried::LeftOut;
                return Ok(None);
            }
            carried = Carried::TakenOver;
        }
        let Some(to) = part.file(settings)? else {
            bail!(
                "it has visits, but SLUGLINE_ANALYTICS_URL names ClickHouse: leave that setting \
                 out, or name a file in it"
            );
        };
        refuse_to_replace(&to, wishes.replace)?;
        let from = beside(&to, ".restoring");
        let draft = Draft::at(from.clone())
            .with_context(|| format!("{} cannot be written", from.display()))?;
        let made = create_private(&from)
            .with_context(|| format!("{} cannot be written", from.display()))?;
        let exchange = Move { from, to };
        staged.push(Staged {
            part,
            draft,
            exchange,
        });
        Ok(Some(made))
    })?;
    if !staged.iter().any(|staged| staged.part == BackupPart::Links) {
        bail!("it has no links");
    }
    if wishes.site_token && carried == Carried::None {
        bail!("it has no site token; leave out --with-site-token");
    }
    for Staged { part, exchange, .. } in &staged {
        examine::examine(*part, &exchange.from)?;
        remove_remains(&exchange.from)?;
    }
    Ok((staged, carried))
}

/// A line about links with a limit of visits, if there are any.
fn limits_after(limited: u64) -> String {
    if limited == 0 {
        return String::new();
    }
    format!(
        "\nlinks with maxVisits: {limited} have the counts of the backup again, so visits that were \
         used since can be used once more"
    )
}

fn tokens_and_limits(staged: &[Staged]) -> anyhow::Result<(u64, u64)> {
    let links = staged
        .iter()
        .find(|staged| staged.part == BackupPart::Links);
    let links = &links
        .expect("a restore without links is refused")
        .exchange
        .from;
    let found = examine::tokens_and_limits(links)?;
    remove_remains(links)?;
    Ok(found)
}

/// Removes the files that an examination left; it has only read.
fn remove_remains(examined: &Path) -> anyhow::Result<()> {
    for suffix in ["-wal", "-shm"] {
        super::remove(&beside(examined, suffix))?;
    }
    Ok(sync_folder(folder_of(examined))?)
}

fn refuse_to_replace(target: &Path, replace: bool) -> anyhow::Result<()> {
    if !replace && target.exists() {
        bail!(
            "{} is there already; name an empty folder in --data-dir, or let it be replaced with \
             --replace, which deletes what is there now",
            target.display()
        );
    }
    Ok(())
}
