//! `slugline restore`: puts a backup into the data folder, completely or not at all, and says which
//! tokens are in force then.

use std::{
    io::{self, Write},
    path::Path,
};

use anyhow::{Context, bail};
use clap::Args;

use super::{
    Draft, beside, create_private, folder_of,
    journal::{self, Move},
    parts::BackupPart,
    sync_folder,
    verify::{self, unpack},
};
use crate::{
    data_folder::{self, NewFolder},
    instance_lock::{FilesAlone, InstanceLock},
    settings::Settings,
    site_token,
};

/// The options of `slugline restore`.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Wishes {
    /// Delete the links and visits that are there now
    #[arg(long)]
    replace: bool,
    /// Take over the site token of the backup, too; whoever wrote it knows it
    #[arg(long = "with-site-token")]
    site_token: bool,
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
        tokens_after(settings, carried, named),
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
        verify::examine(*part, &exchange.from)?;
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
    let found = verify::tokens_and_limits(links)?;
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

/// The site token of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Carried {
    /// The backup has none.
    None,
    /// The backup has one, and the restore left it there.
    LeftOut,
    /// The restore took it over.
    TakenOver,
}

/// A line about the site token, and one about named tokens if there are any. The service may get
/// other settings than this command.
pub(super) fn tokens_after(settings: &Settings, carried: Carried, named: u64) -> String {
    let file = site_token::file_in(&settings.data_dir);
    let shown = file.display();
    let unless = "unless SLUGLINE_SITE_TOKEN gives another";
    let mut text = if settings.site_token.is_some() {
        "site token: SLUGLINE_SITE_TOKEN gives it, as before".to_owned()
    } else if carried == Carried::TakenOver {
        format!("site token: the backup's, now in {shown}, {unless}")
    } else if file.exists() {
        format!("site token: the one in {shown} stays, {unless}")
    } else {
        format!("site token: none in {shown}; the next start makes a new one, {unless}")
    };
    if carried == Carried::LeftOut {
        text.push_str("; the backup's own was left out, and --with-site-token takes it over");
    }
    if named > 0 {
        let list = "also those that were revoked since; `slugline token list` shows them";
        text = format!("{text}\nnamed tokens: {named} came with the links, {list}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_site_token_in_force_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_str().unwrap();
        let given = ("SLUGLINE_SITE_TOKEN", "correct-horse-battery");
        let said = |carried, more: &[_]| {
            let pairs = [("SLUGLINE_DATA_DIR", path)].into_iter();
            let pairs = pairs.chain(more.iter().copied());
            tokens_after(&Settings::from_pairs(pairs).unwrap(), carried, 0)
        };
        assert!(said(Carried::None, &[]).contains("the next start makes a new one"));
        let left = said(Carried::LeftOut, &[]);
        assert!(left.contains("--with-site-token takes it over"), "{left}");
        fs::write(site_token::file_in(folder.path()), "kept-in-the-folder").unwrap();
        assert!(said(Carried::None, &[]).contains("stays"));
        assert!(said(Carried::TakenOver, &[]).contains("the backup's, now in"));
        let said = said(Carried::TakenOver, &[given]);
        assert!(said.contains("SLUGLINE_SITE_TOKEN gives it"), "{said}");
        assert!(!said.contains(given.1));
    }
}
