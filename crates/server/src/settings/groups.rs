//! Settings that belong together: scheduled backups, limits of connections.

use std::{num::NonZeroUsize, path::PathBuf, time::Duration};

use slugline_storage::DatabaseUrl;

use super::{
    parse,
    source::{SettingError, Sources, number},
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

const MOST_BACKUPS: NonZeroUsize = NonZeroUsize::new(10_000).expect("more than none");

/// The schedule of backups, if a folder for them is given. Wrong numbers are errors even
/// without a folder, so that the operator learns of them early.
pub(super) fn schedule(
    sources: &Sources,
    links: &DatabaseUrl,
) -> Result<Option<BackupSchedule>, SettingError> {
    let hours = sources.number("SLUGLINE_BACKUP_EVERY", 1..=8_760)?;
    let keep = sources.number("SLUGLINE_BACKUP_KEEP", NonZeroUsize::MIN..=MOST_BACKUPS)?;
    let Some(folder) = sources.optional("SLUGLINE_BACKUP_DIR", parse::path)? else {
        return Ok(None);
    };
    match links {
        DatabaseUrl::File(_) => Ok(Some(BackupSchedule {
            folder,
            every: Duration::from_hours(hours),
            keep,
        })),
        DatabaseUrl::Postgres(_) => Err(sources.wrong(
            "SLUGLINE_BACKUP_DIR",
            "slugline backs up SQLite only: leave it out and back PostgreSQL up with pg_dump",
        )),
    }
}

/// The number of connections, and the timeouts for slow clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// The time for the head of a request.
    pub head_timeout: Duration,
    /// The time for the body of a request; arriving bytes give time back.
    pub body_timeout: Duration,
    /// The time to take an answer; bytes taken give time back.
    pub answer_timeout: Duration,
    /// The most connections of one client.
    pub per_client: usize,
    /// The most connections of all clients; by default, as many as the open files allow.
    pub in_all: Option<usize>,
}

impl ConnectionLimits {
    pub(super) fn resolve(sources: &Sources) -> Result<Self, SettingError> {
        let seconds = |name| sources.number(name, 1..=3600).map(Duration::from_secs);
        let connections = 1..=1_000_000;
        Ok(Self {
            head_timeout: seconds("SLUGLINE_HEAD_TIMEOUT")?,
            body_timeout: seconds("SLUGLINE_BODY_TIMEOUT")?,
            answer_timeout: seconds("SLUGLINE_ANSWER_TIMEOUT")?,
            per_client: sources.number("SLUGLINE_CONNECTIONS_PER_CLIENT", connections.clone())?,
            in_all: sources.optional("SLUGLINE_CONNECTIONS", number(connections))?,
        })
    }
}
