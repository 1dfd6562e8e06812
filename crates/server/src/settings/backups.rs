//! Scheduled backups.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use slugline_storage::DatabaseUrl;

use super::{
    parse,
    source::{SettingError, Sources},
};

/// The interval, folder and number of backups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupSchedule {
    /// The folder; the service creates it if it is missing.
    pub folder: PathBuf,
    /// The time from one backup to the next.
    pub every: Duration,
    /// The number of backups to keep; the rotation removes older ones.
    pub keep: NonZeroUsize,
}

/// The schedule of backups, if a folder for them is given. Wrong numbers are errors even
/// without a folder, so that the operator learns of them early.
pub(super) fn schedule(
    sources: &Sources,
    links: &DatabaseUrl,
) -> Result<Option<BackupSchedule>, SettingError> {
    let hours = sources.number("SLUGLINE_BACKUP_EVERY", 1..=8_760)?;
    let keep = parse::size(sources.number("SLUGLINE_BACKUP_KEEP", 1..=10_000)?);
    let Some(folder) = sources.optional("SLUGLINE_BACKUP_DIR", parse::path)? else {
        return Ok(None);
    };
    match links {
        DatabaseUrl::File(_) => Ok(Some(BackupSchedule {
            folder,
            every: Duration::from_hours(hours),
            keep: NonZeroUsize::new(keep).unwrap_or(NonZeroUsize::MIN),
        })),
        DatabaseUrl::Postgres(_) => Err(sources.wrong(
            "SLUGLINE_BACKUP_DIR",
            "slugline backs up SQLite only: leave it out and back PostgreSQL up with pg_dump",
        )),
    }
}
