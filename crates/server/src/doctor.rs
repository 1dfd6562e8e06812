//! `slugline doctor`: checks the databases and suggests repairs.

use std::{
    fmt::Display,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};
use slugline_analytics::{CountrySource, Examined, OpenError, Rebuilt};
use slugline_clickhouse::{examine_spool, rebuild_spool};
use slugline_domain::{UnixSeconds, ports::Clock};
use slugline_storage::{DatabaseUrl, SchemaConnection, SchemaError, Unlike};
use slugline_system::SystemClock;
use slugline_visitlog::{examine, rebuild};

use crate::{
    databases, public_address,
    risky_settings::advice,
    settings::{AccessLog, PlaceSource, Settings},
    site_token,
};

/// The name of a file of visits, and the functions that examine and rebuild it.
struct VisitFile {
    name: &'static str,
    path: PathBuf,
    refuse_foreign: fn(&Path) -> anyhow::Result<()>,
    examine: fn(&Path) -> Result<Vec<Examined>, OpenError>,
    rebuild: fn(&Path, UnixSeconds) -> Result<Rebuilt, OpenError>,
}

/// Prints a line for each check. It changes nothing, and the service may run meanwhile.
///
/// # Errors
/// Something is damaged or cannot be examined.
pub(crate) async fn examine_all(settings: &Settings) -> anyhow::Result<()> {
    let token = settings.site_token.clone();
    let token = token.or_else(|| site_token::read_in(&settings.data_dir));
    for sentence in advice(settings, token.as_ref()) {
        line("settings", "ADVICE", sentence)?;
    }
    if settings.places == PlaceSource::Table {
        let CountrySource {
            name,
            date,
            address,
            ..
        } = CountrySource::of_table();
        let made_of = format!("countries are those of {name}, {date}, {address}");
        line(
            "places",
            if is_old(date) { "ADVICE" } else { "ok" },
            made_of,
        )?;
    }
    if let Some(found) = public_address::look(settings).await {
        if found.is_empty() {
            line(
                "outside",
                "ok",
                "assistants find this instance at its public address",
            )?;
        }
        for finding in found {
            line("outside", "ADVICE", finding.message)?;
        }
    }
    let links_are_sound = links(settings).await?;
    if !(visit_file(settings).examine()? && links_are_sound) {
        bail!(
            "something is damaged. A damaged access log, or spool, is mended by `slugline doctor \
             --rebuild` while the service is stopped; a damaged links database by restoring a \
             backup"
        );
    }
    Ok(())
}

/// Replaces the access log, or the spool in front of ClickHouse, by the rows that are still
/// readable, and prints the losses.
pub(crate) fn rebuild_visits(settings: &Settings) -> anyhow::Result<()> {
    let VisitFile {
        name,
        path,
        rebuild,
        ..
    } = visit_file(settings);
    if !path.exists() {
        bail!("there is no {name} {}", path.display());
    }
    let rebuilt = rebuild(&path, SystemClock.now().second()).with_context(|| {
        format!(
            "nothing was rebuilt, the {name} is as it was; run this again when the cause is mended"
        )
    })?;
    line(name, "rebuilt", format_args!("{} rows", rebuilt.rows))?;
    for lost in &rebuilt.lost {
        line(name, "lost", lost)?;
    }
    if let Some(reason) = &rebuilt.salts_left {
        let advice = "delete it once nobody wants to look at it";
        line(
            name,
            "the old file still has the keys of visitor hashes",
            format_args!("{reason}; {advice}"),
        )?;
    }
    line(name, "the old file is", rebuilt.old.display())
}

async fn links(settings: &Settings) -> anyhow::Result<bool> {
    let name = "links";
    let url = &settings.links;
    if let DatabaseUrl::File(file) = url
        && let Some(sound) = nothing_there(name, file)?
    {
        return Ok(sound);
    }
    let database = match SchemaConnection::open_to_examine(url).await {
        Ok(database) => database,
        Err(error) => {
            line(name, "DAMAGED", error)?;
            return Ok(false);
        }
    };
    if let DatabaseUrl::File(file) = url {
        advise_on_foreign(name, databases::refuse_in_links(file, &database).await)?;
    }
    let pending = match database.pending().await {
        // Nothing is damaged; the error says what to do.
        Err(error @ (SchemaError::OtherBuild(_) | SchemaError::Later(_))) => {
            return Err(error).context(name);
        }
        pending => pending,
    };
    let damages = database.damages().await;
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
        Ok(steps) if steps.is_empty() => line(name, "ok", "the schema is up to date")?,
        Ok(steps) => line(
            name,
            "ok",
            format_args!(
                "the schema is {} steps behind; the next start takes them",
                steps.len()
            ),
        )?,
        Err(error) => {
            sound = false;
            line(name, "DAMAGED", format_args!("schema: {error}"))?;
        }
    }
    Ok(sound)
}

/// The data may be sound beside a foreign object, but a backup would not be restored.
fn advise_on_foreign(name: &str, checked: anyhow::Result<()>) -> anyhow::Result<()> {
    match checked {
        Err(error) if error.is::<Unlike>() => {
            let advice = "remove it if it is not yours: it may act on every change; backups are \
                          refused meanwhile";
            line(name, "ADVICE", format_args!("{error}; {advice}"))
        }
        // The checks that follow say what cannot be read.
        Ok(()) | Err(_) => Ok(()),
    }
}

impl VisitFile {
    fn examine(&self) -> anyhow::Result<bool> {
        let name = self.name;
        if let Some(sound) = nothing_there(name, &self.path)? {
            return Ok(sound);
        }
        advise_on_foreign(name, (self.refuse_foreign)(&self.path))?;
        let examined = match (self.examine)(&self.path).context("cannot be examined") {
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
}

/// The finding for a file with nothing to examine; an error if the file should have data.
fn nothing_there(name: &str, file: &Path) -> anyhow::Result<Option<bool>> {
    let shown = file.display();
    match fs::metadata(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            line(name, "ok", format_args!("there is no {shown} yet"))?;
            Ok(Some(true))
        }
        Ok(metadata) if metadata.len() == 0 => {
            let advice = "a service that starts fills it anew";
            line(name, "DAMAGED", format_args!("{shown} is empty; {advice}"))?;
            Ok(Some(false))
        }
        Ok(_) | Err(_) => Ok(None),
    }
}

/// After a year so many networks have moved that a newer release, or a file, is worth it.
fn is_old(date: &str) -> bool {
    const SECONDS_OF_A_MONTH: i64 = 2_629_746;
    let mut parts = date.split('-').filter_map(|part| part.parse::<i64>().ok());
    let (Some(year), Some(month)) = (parts.next(), parts.next()) else {
        return false;
    };
    let today = SystemClock.now().second().get() / SECONDS_OF_A_MONTH;
    today > (year - 1970) * 12 + month - 1 + 12
}

fn line(name: &str, verdict: &str, found: impl Display) -> anyhow::Result<()> {
    Ok(writeln!(io::stdout(), "{name}: {verdict}: {found}")?)
}

/// ClickHouse checks its own data; beside it, this is the spool.
fn visit_file(settings: &Settings) -> VisitFile {
    match &settings.access_log {
        AccessLog::ClickHouse(_) => VisitFile {
            name: "spool",
            path: settings.spool_file(),
            // No backup has it, so it comes from nowhere else.
            refuse_foreign: |_| Ok(()),
            examine: examine_spool,
            rebuild: rebuild_spool,
        },
        AccessLog::File(file) => VisitFile {
            name: "access log",
            path: file.clone(),
            refuse_foreign: databases::refuse_in_visits,
            examine,
            rebuild,
        },
    }
}
