//! Objects in our SQLite files that we do not make, such as a trigger that somebody added to a
//! backup.

use std::path::Path;

use anyhow::Context;
use slugline_storage::{SchemaConnection, SqliteObjects};

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
