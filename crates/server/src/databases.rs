//! The database of links, opened for the service and for commands; and the refusal of objects in our
//! SQLite files that we do not make, such as a trigger that a person added to a backup.

use std::{path::Path, sync::Arc};

use anyhow::{Context, bail};
use slugline_domain::ports::DiskWatch;
use slugline_storage::{DatabaseUrl, OpenError, SchemaConnection, SqlLinkStore, SqliteObjects};

use crate::{data_folder::FolderDisk, settings::Settings};

/// The file of the links, if it does not exist yet. `None` for a database server.
pub(crate) fn missing_file(settings: &Settings) -> Option<&Path> {
    match &settings.links {
        DatabaseUrl::File(file) if !file.exists() => Some(file),
        DatabaseUrl::File(_) | DatabaseUrl::Postgres(_) => None,
    }
}

/// For commands about an instance that is there: they would make a new one in a mistyped folder.
///
/// # Errors
/// There is no file of links.
pub(crate) fn refuse_missing(settings: &Settings) -> anyhow::Result<()> {
    if let Some(file) = missing_file(settings) {
        bail!(
            "there is no database {}; name the folder of an instance in --data-dir, or its \
             database in --database-url",
            file.display()
        );
    }
    Ok(())
}

/// Opens the database for a command, which may run beside the service. It makes a database that is
/// not there, but takes no step of the schema that another process may not be ready for.
pub(crate) async fn open_beside(settings: &Settings) -> anyhow::Result<Arc<SqlLinkStore>> {
    if missing_file(settings).is_some() {
        return open(settings).await;
    }
    let behind = match SqlLinkStore::open_current(&settings.links).await {
        Err(OpenError::Behind(lacks)) if lacks.first() == Some(&FIRST_STEP) => {
            return open(settings).await;
        }
        Err(error @ OpenError::Behind(_)) => error,
        other => return keeping(settings, other),
    };
    Err(behind).context("stop every older node, and start the service first")
}

/// The step that every database with links has.
const FIRST_STEP: &str = "0.1.0";

/// Opens the database and brings its schema up to date.
pub(crate) async fn open(settings: &Settings) -> anyhow::Result<Arc<SqlLinkStore>> {
    keeping(settings, SqlLinkStore::open(&settings.links).await)
}

fn keeping(
    settings: &Settings,
    opened: Result<SqlLinkStore, OpenError>,
) -> anyhow::Result<Arc<SqlLinkStore>> {
    let store = opened.with_context(|| named(settings))?;
    Ok(Arc::new(store.keeping(settings.keeping)))
}

/// Begins every error about the database of links.
pub(crate) const CONTEXT: &str = "the links database";

/// The setting of a server, or the file and the trouble of its disk.
fn named(settings: &Settings) -> String {
    let DatabaseUrl::File(file) = &settings.links else {
        return "SLUGLINE_DATABASE_URL".to_owned();
    };
    let folder = settings.data_dir.clone();
    let trouble = FolderDisk { folder }.trouble();
    let trouble = trouble.map_or_else(String::new, |trouble| format!(" ({trouble})"));
    format!("{CONTEXT} {}{trouble}", file.display())
}

/// Refuses a links database whose schema differs from what its steps make. One of an earlier version
/// has fewer steps.
///
/// # Errors
/// The error names the first object that differs; or the file cannot be read.
pub(crate) async fn refuse_in_links(
    file: &Path,
    database: &SchemaConnection,
) -> anyhow::Result<()> {
    let making = database.making().await?;
    refuse(file, &making, &[])
}

/// Refuses an access log whose schema differs from what its version makes.
///
/// # Errors
/// The error names the first object that differs; or the file cannot be read.
pub(crate) fn refuse_in_visits(file: &Path) -> anyhow::Result<()> {
    let making = slugline_visitlog::making_of(file)?;
    refuse(file, making.statements, making.further)
}

fn refuse<S: AsRef<str>>(file: &Path, ours: &[S], also: &[&str]) -> anyhow::Result<()> {
    let found = SqliteObjects::of_file(file)?;
    let context = "the schema of this version cannot be made";
    let expected = SqliteObjects::made_by(ours).context(context)?;
    let allowed = SqliteObjects::made_by(also).context(context)?;
    Ok(found.compare(&expected, &allowed)?)
}
