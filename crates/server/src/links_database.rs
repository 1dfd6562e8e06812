//! The database of links.

use std::sync::Arc;

use anyhow::Context;
use slugline_storage::{Database, SchemaConnection, SqlLinkStore};

use crate::Settings;

/// Opens the database and brings its schema up to date.
pub(crate) async fn open(settings: &Settings) -> anyhow::Result<Arc<SqlLinkStore>> {
    let url = &settings.links;
    let schema = SchemaConnection::open(url).await;
    let schema = schema.context("SLUGLINE_DATABASE_URL")?;
    slugline_migrations::run(schema.connection())
        .await
        .context("SLUGLINE_DATABASE_URL: the schema cannot be brought up to date")?;
    let database = Database::open(url).await;
    let database = database.context("SLUGLINE_DATABASE_URL")?;
    Ok(Arc::new(SqlLinkStore::new(database)))
}
