//! The schema of a database: a connection for its steps and for its examination.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr};
use slugline_migrations::{STEPS, SchemaError};

#[cfg(feature = "postgres")]
use crate::postgres::Postgres;
#[cfg(feature = "sqlite")]
use crate::sqlite::{SchemaStatements, SqliteFile};
use crate::{
    database_url::DatabaseUrl,
    opening::{ConnectError, refused},
};

/// The use of a connection.
#[derive(Clone, Copy)]
enum Purpose {
    Change,
    Examine,
}

/// A database as a connection of sea-orm, which schema steps need.
#[derive(Debug)]
pub struct SchemaConnection {
    connection: DatabaseConnection,
    #[cfg(feature = "sqlite")]
    file: Option<SchemaStatements>,
}

impl SchemaConnection {
    /// Opens a connection that may change the schema, and creates a missing
    /// file.
    ///
    /// # Errors
    /// The database refused.
    pub async fn open(url: &DatabaseUrl) -> Result<Self, ConnectError> {
        Self::connect(url, Purpose::Change).await
    }

    /// Opens a connection that changes nothing in the file.
    ///
    /// # Errors
    /// The database refused, or there is no such file.
    pub async fn open_to_examine(url: &DatabaseUrl) -> Result<Self, ConnectError> {
        Self::connect(url, Purpose::Examine).await
    }

    #[cfg_attr(
        not(feature = "sqlite"),
        expect(unused_variables, reason = "only a file is opened in two ways")
    )]
    #[cfg_attr(
        not(feature = "postgres"),
        expect(clippy::unused_async, reason = "PostgreSQL is waited for")
    )]
    async fn connect(url: &DatabaseUrl, purpose: Purpose) -> Result<Self, ConnectError> {
        match url {
            #[cfg(feature = "sqlite")]
            DatabaseUrl::File(path) => {
                let file = SqliteFile::new(path);
                let opened = match purpose {
                    Purpose::Change => file.open_for_schema(),
                    Purpose::Examine => file.open_to_examine(),
                };
                let opened = opened.map_err(|error| refused(&error))?;
                let file = SchemaStatements::new(opened);
                let connection = file.connection().map_err(|error| refused(&error))?;
                Ok(Self {
                    connection,
                    file: Some(file),
                })
            }
            #[cfg(feature = "postgres")]
            DatabaseUrl::Postgres(url) => {
                let server = Postgres::connect_for_schema(url).await;
                let server = server.map_err(|error| refused(&error))?;
                Ok(Self {
                    connection: server.pool().clone(),
                    #[cfg(feature = "sqlite")]
                    file: None,
                })
            }
            #[cfg(not(all(feature = "postgres", feature = "sqlite")))]
            other => Err(ConnectError::not_built(other)),
        }
    }

    /// Brings the schema up to date, as [`slugline_migrations::run`] says.
    ///
    /// # Errors
    /// The database refused a step, or a later version or another build has changed the schema.
    pub async fn update(&self) -> Result<(), SchemaError> {
        slugline_migrations::run(&self.connection, STEPS).await
    }

    /// The names of the steps that the schema is behind, in order. Changes nothing.
    ///
    /// # Errors
    /// The database cannot be read, or a later version or another build has changed the schema.
    pub async fn pending(&self) -> Result<Vec<&'static str>, SchemaError> {
        slugline_migrations::pending(&self.connection, STEPS).await
    }

    /// The statements that made the schema of a file. Changes nothing.
    ///
    /// # Errors
    /// The database cannot be read, or a later version or another build has changed the schema.
    pub async fn making(&self) -> Result<Vec<String>, SchemaError> {
        slugline_migrations::taken(&self.connection, STEPS).await
    }

    /// The connection.
    pub fn connection(&self) -> &DatabaseConnection {
        &self.connection
    }

    /// Makes the statistics of PostgreSQL's planner if there are none, such as after an import or
    /// an upgrade of the server: without them a search for a common word reads every link that
    /// holds it. PostgreSQL would make them within a minute of an import; SQLite needs none.
    ///
    /// # Errors
    /// The database refused.
    pub async fn make_missing_statistics(&self) -> Result<(), DbErr> {
        const MAKE: &str = "
            DO $$ BEGIN
                IF NOT EXISTS (
                    SELECT FROM pg_stats
                    WHERE schemaname = current_schema() AND tablename = 'short_links'
                ) THEN
                    ANALYZE short_links, link_tags;
                END IF;
            END $$";
        if self.connection.get_database_backend() == DbBackend::Postgres {
            self.connection.execute_unprepared(MAKE).await?;
        }
        Ok(())
    }

    /// The number of named tokens in a file, whose schema may be an older one; 0 for PostgreSQL,
    /// which is not asked.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn named_tokens(&self) -> Result<u64, DbErr> {
        #[cfg(feature = "sqlite")]
        if let Some(file) = &self.file {
            return file.values_of("tokens", "name");
        }
        Ok(0)
    }

    /// The number of links with a limit of visits in the file, whatever its schema; 0 for PostgreSQL.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn limited_links(&self) -> Result<u64, DbErr> {
        #[cfg(feature = "sqlite")]
        if let Some(file) = &self.file {
            return file.values_of("short_links", "max_visits");
        }
        Ok(0)
    }

    /// SQLite's reports of damage; empty if there is none. Always empty for PostgreSQL, which
    /// checks its own pages.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn damages(&self) -> Result<Vec<String>, DbErr> {
        #[cfg(feature = "sqlite")]
        if let Some(file) = &self.file {
            return file.damages();
        }
        self.connection.ping().await.map(|()| Vec::new())
    }
}
