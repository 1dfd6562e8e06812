//! `slugline doctor`: are the databases sound, and what can be done?

use std::{
    fmt::Display,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use slugline_analytics::{examine, rebuild};
use slugline_domain::ports::Clock;
use slugline_storage::Database;

use crate::{Settings, ambient::SystemClock, settings::AccessLog};

/// Prints a line for each thing it looks at. It changes nothing, and the
/// service may run meanwhile.
///
/// # Errors
/// Something is damaged or cannot be examined.
pub(crate) async fn examine_all(settings: &Settings) -> anyhow::Result<()> {
    let mut sound = links(settings).await?;
    match settings.access_log_file() {
        Some(file) => sound &= access_log(&file)?,
        None => line(
            "access log",
            "ok",
            "kept by ClickHouse, which looks after itself",
        )?,
    }
    if !sound {
        bail!(
            "something is damaged. A damaged access log is mended by `slugline doctor --rebuild` \
             while the service is stopped; a damaged links database by restoring a backup"
        );
    }
    Ok(())
}

/// Replaces the access log by what can be read of it, and says what was lost.
pub(crate) fn rebuild_access_log(settings: &Settings) -> anyhow::Result<()> {
    let Some(file) = settings.access_log_file() else {
        bail!("the access log is kept by ClickHouse; SLUGLINE_ANALYTICS_URL says so");
    };
    if !file.exists() {
        bail!("there is no access log {}", file.display());
    }
    let rebuilt = rebuild(&file, SystemClock.now().second()).context(
        "nothing was rebuilt, the access log is as it was; run this again when the cause is \
             mended",
    )?;
    line(
        "access log",
        "rebuilt",
        format_args!("{} rows", rebuilt.rows),
    )?;
    for lost in &rebuilt.lost {
        line("access log", "lost", lost)?;
    }
    line("access log", "the old file is", rebuilt.old.display())
}

async fn links(settings: &Settings) -> anyhow::Result<bool> {
    let name = "links";
    let database = if let Some(url) = &settings.database_url {
        Database::connect_to_examine(url).await
    } else {
        let file = settings.links_file();
        if !file.exists() {
            line(
                name,
                "ok",
                format_args!("there is no {} yet", file.display()),
            )?;
            return Ok(true);
        }
        Database::open_file_to_examine(&file).await
    };
    let database = match database {
        Ok(database) => database,
        Err(error) => {
            line(name, "DAMAGED", error)?;
            return Ok(false);
        }
    };
    let damages = database.damages().await;
    let pending = slugline_migrations::pending(database.writer()).await;
    let mut sound = true;
    match damages {
        Ok(damages) if damages.is_empty() => line(name, "ok", "pages are sound")?,
        Ok(damages) => {
            sound = false;
            line(name, "DAMAGED", damages.join("; "))?;
        }
        Err(error) => {
            sound = false;
            line(name, "DAMAGED", error)?;
        }
    }
    match pending {
        Ok(0) => line(name, "ok", "the schema is up to date")?,
        Ok(steps) => line(
            name,
            "ok",
            format_args!("the schema is {steps} steps behind; the next start takes them"),
        )?,
        Err(error) => {
            sound = false;
            line(name, "DAMAGED", format_args!("schema: {error}"))?;
        }
    }
    Ok(sound)
}

fn access_log(file: &Path) -> anyhow::Result<bool> {
    let name = "access log";
    if !file.exists() {
        line(
            name,
            "ok",
            format_args!("there is no {} yet", file.display()),
        )?;
        return Ok(true);
    }
    let examined = match examine(file).context("cannot be examined") {
        Ok(examined) => examined,
        Err(error) => {
            line(name, "DAMAGED", format_args!("{error:#}"))?;
            return Ok(false);
        }
    };
    for thing in &examined {
        let verdict = if thing.sound { "ok" } else { "DAMAGED" };
        line(
            name,
            verdict,
            format_args!("{}: {}", thing.what, thing.found),
        )?;
    }
    Ok(examined.iter().all(|thing| thing.sound))
}

fn line(name: &str, verdict: &str, found: impl Display) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout(), "{name}: {verdict}: {found}")?)
}

impl Settings {
    /// The file of the access log, unless ClickHouse keeps it.
    pub(crate) fn access_log_file(&self) -> Option<PathBuf> {
        match &self.access_log {
            Some(AccessLog::ClickHouse(_)) => None,
            Some(AccessLog::File(file)) => Some(file.clone()),
            None => Some(self.data_dir.join("analytics.db")),
        }
    }

    /// The file of the links database, unless a URL names another one.
    pub(crate) fn links_file(&self) -> PathBuf {
        self.data_dir.join("links.db")
    }
}
