//! Scheduled backups and their rotation.

use std::{
    fs, io,
    num::NonZeroUsize,
    ops::ControlFlow,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

use anyhow::Context;
use slugline_domain::ports::Clock;
use slugline_system::SystemClock;

use super::create::{self, Wishes};
use crate::{
    process::WorkThread,
    settings::{BackupSchedule, Settings},
};

/// All our backups have this prefix and this suffix; between them is the Unix second in ten
/// digits or more. The rotation ignores other files in the folder.
const PREFIX: &str = "slugline-";
const SUFFIX: &str = ".backup";

/// The time until the next attempt after one that failed.
const RETRY: Duration = Duration::from_mins(10);

/// The clock may be set meanwhile, so the thread reads it this often.
const LOOK: Duration = Duration::from_mins(1);

/// The outcomes of scheduled backups since the start.
#[derive(Debug, Default)]
pub(crate) struct BackupCounts {
    pub(crate) made: AtomicU64,
    pub(crate) failed: AtomicU64,
    /// The Unix second of the newest backup, also from an earlier start; 0 for none.
    pub(crate) newest: AtomicI64,
}

/// Starts the thread that makes backups, if the settings ask for them. Dropping it abandons a
/// backup under way.
pub(crate) fn start(
    settings: &Settings,
    counts: Arc<BackupCounts>,
) -> anyhow::Result<Option<WorkThread>> {
    let Some(schedule) = settings.backups.clone() else {
        return Ok(None);
    };
    let settings = settings.clone();
    let work = move |stop: Arc<AtomicBool>| work(&settings, &schedule, &counts, &stop);
    WorkThread::start("backups", work).map(Some)
}

fn work(settings: &Settings, schedule: &BackupSchedule, counts: &BackupCounts, stop: &AtomicBool) {
    let stopping = || stop.load(Ordering::Relaxed);
    let mut not_before = None;
    while !stopping() {
        let now = SystemClock.now().second().get();
        let newest = kept_in(&schedule.folder)
            .ok()
            .and_then(|kept| kept.last().copied());
        counts.newest.store(newest.unwrap_or(0), Ordering::Relaxed);
        if !stopping() && is_due(newest, not_before, now, schedule.every) {
            match make(settings, schedule, now, stop) {
                Ok(()) => {
                    not_before = None;
                    counts.made.fetch_add(1, Ordering::Relaxed);
                    counts.newest.store(now, Ordering::Relaxed);
                }
                Err(_) if stopping() => return,
                Err(error) => {
                    counts.failed.fetch_add(1, Ordering::Relaxed);
                    let retry = RETRY.min(schedule.every);
                    not_before = Some(later(now, retry));
                    tracing::error!(
                        "no backup was made: {error:#}; earlier ones stay, and the next attempt \
                         is in {} minutes",
                        retry.as_secs() / 60
                    );
                }
            }
        }
        thread::park_timeout(LOOK);
    }
}

/// Moments are Unix seconds. A newest backup in the future comes from a wrong clock, and does
/// not delay the next one.
fn is_due(newest: Option<i64>, not_before: Option<i64>, now: i64, every: Duration) -> bool {
    let waits = not_before.is_some_and(|moment| now < moment && later(now, RETRY) >= moment);
    let fresh = newest.is_some_and(|newest| newest <= now && now < later(newest, every));
    !waits && !fresh
}

fn later(second: i64, by: Duration) -> i64 {
    second.saturating_add(i64::try_from(by.as_secs()).unwrap_or(i64::MAX))
}

fn make(
    settings: &Settings,
    schedule: &BackupSchedule,
    now: i64,
    stop: &AtomicBool,
) -> anyhow::Result<()> {
    let folder = &schedule.folder;
    let cannot = || format!("SLUGLINE_BACKUP_DIR: {}", folder.display());
    fs::create_dir_all(folder).with_context(cannot)?;
    remove_unfinished(folder).with_context(cannot)?;
    let file = folder.join(name_of(now));
    let wishes = Wishes {
        site_token: false,
        // A backup of the same second exists if the clock was set back.
        replace: true,
    };
    let mut watch = |_, _| {
        if stop.load(Ordering::Relaxed) {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let parts = create::write(settings, &file, wishes, &mut watch)?;
    let bytes: u64 = parts.iter().map(|(_, bytes)| bytes).sum();
    let removed = rotate(folder, now, schedule.keep).with_context(cannot)?;
    tracing::info!(file = %file.display(), bytes, removed, "a backup was made");
    Ok(())
}

/// Removes all but the newest backups. It always keeps the one just made, even if the clock
/// dated others later.
fn rotate(folder: &Path, made: i64, keep: NonZeroUsize) -> io::Result<usize> {
    let mut others = kept_in(folder)?;
    others.retain(|other| *other != made);
    let excess = (others.len() + 1).saturating_sub(keep.get());
    for old in &others[..excess] {
        fs::remove_file(folder.join(name_of(*old)))?;
    }
    Ok(excess)
}

fn name_of(moment: i64) -> String {
    format!("{PREFIX}{moment:010}{SUFFIX}")
}

/// The moments of the backups in a folder, the oldest first.
fn kept_in(folder: &Path) -> io::Result<Vec<i64>> {
    let mut kept = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        let moment = name.to_str().and_then(|name| {
            let digits = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
            let moment = digits.parse().ok()?;
            (name_of(moment) == name).then_some(moment)
        });
        kept.extend(moment);
    }
    kept.sort_unstable();
    Ok(kept)
}

/// Removes unfinished backups of processes that were killed.
fn remove_unfinished(folder: &Path) -> io::Result<()> {
    let beginning = format!(".{PREFIX}");
    let parts = [".partial", ".copy", "-wal", "-shm"];
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let unfinished = name.starts_with(&beginning)
            && name.contains(SUFFIX)
            && parts.iter().any(|part| name.ends_with(part));
        if unfinished {
            super::remove(&entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backup_is_due_when_the_newest_is_old_enough() {
        const NOW: i64 = 1_800_000_000;
        let hour = Duration::from_hours(1);
        let due = |newest, not_before| is_due(newest, not_before, NOW, hour);
        assert!(due(None, None), "there is none");
        assert!(!due(Some(NOW - 3599), None));
        assert!(due(Some(NOW - 3600), None));
        assert!(
            due(Some(NOW + 86_400), None),
            "a wrong clock made the newest"
        );
        assert!(!due(None, Some(NOW + 1)), "the last attempt failed");
        assert!(due(None, Some(NOW)));
        assert!(due(None, Some(NOW + 86_400)), "the clock was set back");
    }

    #[test]
    fn rotation_keeps_the_newest_and_what_is_not_ours() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        let others = ["notes.txt", "slugline-old.backup", "slugline-5.backup"];
        let ours = [1_700_000_001, 1_700_000_002, 1_700_000_003, 1_900_000_000];
        for name in others {
            fs::write(folder.join(name), "").unwrap();
        }
        for moment in ours {
            fs::write(folder.join(name_of(moment)), "").unwrap();
        }
        let removed = rotate(folder, 1_700_000_003, NonZeroUsize::new(2).unwrap()).unwrap();
        assert_eq!(removed, 2);
        // The backup in the future counts, and the rotation keeps the one just made beside it.
        assert_eq!(kept_in(folder).unwrap(), [1_700_000_003, 1_900_000_000]);
        for name in others {
            assert!(folder.join(name).exists(), "{name}");
        }
        let one = NonZeroUsize::MIN;
        rotate(folder, 1_700_000_003, one).unwrap();
        assert_eq!(kept_in(folder).unwrap(), [1_700_000_003]);
    }
}
