//! The parts of a backup, and the paths under which an instance keeps them.

use std::path::PathBuf;

use anyhow::bail;
use slugline_storage::DatabaseUrl;

use crate::{
    settings::{AccessLog, Settings},
    site_token,
};

/// A part of a backup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BackupPart {
    /// The links database.
    Links,
    /// The access log, with the keys of visitor hashes.
    Visits,
    /// The site token in the data folder.
    SiteToken,
}

impl BackupPart {
    /// The part's name in the format.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Visits => "visits",
            Self::SiteToken => "site-token",
        }
    }

    pub(crate) fn named(name: &str) -> Option<Self> {
        let all = [Self::Links, Self::Visits, Self::SiteToken];
        all.into_iter().find(|part| part.name() == name)
    }

    /// The part's name in messages.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Links => "links",
            Self::Visits => "access log",
            Self::SiteToken => "site token",
        }
    }

    /// The file in which an instance with these settings keeps the part. `None` for visits in
    /// ClickHouse.
    ///
    /// # Errors
    /// The links are in PostgreSQL.
    pub(crate) fn file(self, settings: &Settings) -> anyhow::Result<Option<PathBuf>> {
        Ok(match self {
            Self::Links => Some(links_file(settings)?),
            Self::Visits => match &settings.access_log {
                AccessLog::File(file) => Some(file.clone()),
                AccessLog::ClickHouse(_) => None,
            },
            Self::SiteToken => Some(site_token::file_in(&settings.data_dir)),
        })
    }
}

/// PostgreSQL has backup tools of its own, which are consistent and can restore any moment; a
/// backup of ours would do neither.
fn links_file(settings: &Settings) -> anyhow::Result<PathBuf> {
    match &settings.links {
        DatabaseUrl::File(file) => Ok(file.clone()),
        DatabaseUrl::Postgres(_) => bail!(
            "SLUGLINE_DATABASE_URL names PostgreSQL, and slugline backs up and restores SQLite \
             only: use pg_dump and pg_restore; `slugline export` writes the links alone"
        ),
    }
}
