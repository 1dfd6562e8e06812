//! The database of links.

use std::{path::Path, sync::Arc};

use anyhow::{Context, bail};
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};
use tracing::warn;

use crate::settings::Settings;

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

/// Opens the database and brings its schema up to date.
pub(crate) async fn open(settings: &Settings) -> anyhow::Result<Arc<SqlLinkStore>> {
    let url = &settings.links;
    let schema = SchemaConnection::open(url).await;
    let schema = schema.context("SLUGLINE_DATABASE_URL")?;
    slugline_migrations::run(schema.connection())
        .await
        .context("SLUGLINE_DATABASE_URL: the schema cannot be brought up to date")?;
    if let Err(error) = schema.make_missing_statistics().await {
        warn!(%error, "PostgreSQL has no statistics of the links, so lists and searches may be slow");
    }
    let database = Database::open(url).await;
    let database = database.context("SLUGLINE_DATABASE_URL")?;
    Ok(Arc::new(SqlLinkStore::new(database)))
}
