//! An open database of either kind, and its schema.

use std::{future::Future, sync::Arc, time::Instant};

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr};
use slugline_domain::{
    FollowedLink,
    measure::{Histogram, TRACES, Timings},
    ports::{Hearing, Insertion, LinkObserver},
};
use thiserror::Error;
use tracing::{Instrument, Span, info_span};

use crate::{
    database_url::DatabaseUrl,
    failure::Failure,
    links::{find::FollowLink, insert::InsertLink},
    postgres::{Listening, Postgres},
    session::{Change, Read},
    sqlite::{SchemaStatements, Sqlite, SqliteFile},
};

/// An open database of links.
#[derive(Clone, Debug)]
pub struct Database {
    engine: Engine,
    clocked: Arc<Clocked>,
}

#[derive(Debug, Default)]
struct Clocked {
    finds: Histogram,
    reads: Histogram,
    changes: Histogram,
}

/// The time that the database took, failures included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreTimings {
    /// The time to find one link by its slug, or one token.
    pub finds: Timings,
    /// The time of every other read: lists, searches, counts.
    pub reads: Timings,
    /// The time to make a change durable, including its wait for the writer.
    pub changes: Timings,
}

#[derive(Clone, Debug)]
enum Engine {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// The database of links could not be opened.
#[derive(Debug, Error)]
#[error("the links database cannot be opened: {reason}")]
pub struct ConnectError {
    /// The message of the database, or of the system on the way to it.
    pub reason: String,
}

impl Database {
    /// Opens a database and creates a missing file. The schema may have to be
    /// updated before it can keep links.
    ///
    /// # Errors
    /// The database refused.
    pub async fn open(url: &DatabaseUrl) -> Result<Self, ConnectError> {
        let engine = match url {
            DatabaseUrl::File(path) => {
                let file = SqliteFile::new(path);
                // The first statements may wait for another process.
                let opening = tokio::task::spawn_blocking(|| Sqlite::open(file));
                let opened = opening.await.map_err(|error| refused(&error))?;
                Engine::Sqlite(opened.map_err(|error| refused(&error))?)
            }
            DatabaseUrl::Postgres(url) => {
                let opened = Postgres::connect(url).await;
                Engine::Postgres(opened.map_err(|error| refused(&error))?)
            }
        };
        Ok(Self {
            engine,
            clocked: Arc::default(),
        })
    }

    pub(crate) fn listen(&self, observer: Arc<dyn LinkObserver>) -> Option<Listening> {
        match &self.engine {
            Engine::Sqlite(_) => None,
            Engine::Postgres(server) => Some(server.listen(observer)),
        }
    }

    /// Inserts a link. On PostgreSQL it shares a statement with others, on SQLite a commit.
    pub(crate) async fn insert(&self, insert: InsertLink) -> Result<Insertion, Failure> {
        let span = info_span!(target: TRACES, "links: change", otel.kind = "client");
        let work = async {
            match &self.engine {
                Engine::Sqlite(file) => file.change(insert).await,
                Engine::Postgres(server) => server.insert(insert).await,
            }
        };
        observed(&self.clocked.changes, span, work).await
    }

    pub(crate) async fn change<C: Change>(&self, change: C) -> Result<C::Answer, Failure> {
        let span = info_span!(target: TRACES, "links: change", otel.kind = "client");
        let work = async {
            match &self.engine {
                Engine::Sqlite(file) => file.change(change).await,
                Engine::Postgres(server) => server.change(&change).await,
            }
        };
        observed(&self.clocked.changes, span, work).await
    }

    pub(crate) async fn read<R: Read>(&self, read: R) -> Result<R::Answer, Failure> {
        let span = info_span!(target: TRACES, "links: read", otel.kind = "client");
        let work = async {
            match &self.engine {
                Engine::Sqlite(file) => file.read(read).await,
                Engine::Postgres(server) => server.read(&read).await,
            }
        };
        observed(&self.clocked.reads, span, work).await
    }

    /// Reads like [`Database::read`], for a single statement that finds one row
    /// by an index.
    pub(crate) async fn read_at_once<R: Read>(&self, read: R) -> Result<R::Answer, Failure> {
        let span = info_span!(target: TRACES, "links: find", otel.kind = "client");
        let work = async {
            match &self.engine {
                Engine::Sqlite(file) => file.read_at_once(&read),
                Engine::Postgres(server) => server.read(&read).await,
            }
        };
        observed(&self.clocked.finds, span, work).await
    }

    /// Finds what a redirect needs of a link. On PostgreSQL it shares a statement with others.
    pub(crate) async fn follow(&self, follow: FollowLink) -> Result<Option<FollowedLink>, Failure> {
        let span = info_span!(target: TRACES, "links: find", otel.kind = "client");
        let work = async {
            match &self.engine {
                Engine::Sqlite(file) => file.read_at_once(&follow),
                Engine::Postgres(server) => server.follow(follow.slug).await,
            }
        };
        observed(&self.clocked.finds, span, work).await
    }

    pub(crate) fn timings(&self) -> StoreTimings {
        StoreTimings {
            finds: self.clocked.finds.get(),
            reads: self.clocked.reads.get(),
            changes: self.clocked.changes.get(),
        }
    }

    pub(crate) async fn ping(&self) -> Result<(), Failure> {
        match &self.engine {
            Engine::Sqlite(file) => file.ping(),
            Engine::Postgres(server) => server.ping().await,
        }
    }

    /// The way in which this process learns of revoked tokens. With SQLite it does not need
    /// to: finding one costs microseconds.
    pub(crate) fn hearing_of_tokens(&self) -> Hearing {
        match &self.engine {
            Engine::Sqlite(_) => Hearing::Deaf,
            Engine::Postgres(server) => server.hearing_of_tokens(),
        }
    }

    /// A token may have been revoked by this process.
    pub(crate) fn tokens_changed(&self) {
        match &self.engine {
            Engine::Sqlite(_) => {}
            Engine::Postgres(server) => server.tokens_changed(),
        }
    }

    pub(crate) fn hearing(&self) -> Hearing {
        match &self.engine {
            Engine::Sqlite(file) => Hearing::Counted(file.unnoticed_changes()),
            Engine::Postgres(server) => server.hearing(),
        }
    }
}

/// A database as a connection of sea-orm, which schema steps need.
#[derive(Debug)]
pub struct SchemaConnection {
    connection: DatabaseConnection,
    file: Option<SchemaStatements>,
}

impl SchemaConnection {
    /// Opens a connection that may change the schema, and creates a missing
    /// file.
    ///
    /// # Errors
    /// The database refused.
    pub async fn open(url: &DatabaseUrl) -> Result<Self, ConnectError> {
        Self::connect(url, SqliteFile::open_writer).await
    }

    /// Opens a connection that changes nothing in the file.
    ///
    /// # Errors
    /// The database refused, or there is no such file.
    pub async fn open_to_examine(url: &DatabaseUrl) -> Result<Self, ConnectError> {
        Self::connect(url, SqliteFile::open_to_examine).await
    }

    async fn connect(
        url: &DatabaseUrl,
        open: fn(&SqliteFile) -> Result<rusqlite::Connection, rusqlite::Error>,
    ) -> Result<Self, ConnectError> {
        match url {
            DatabaseUrl::File(path) => {
                let opened = open(&SqliteFile::new(path)).map_err(|error| refused(&error))?;
                let file = SchemaStatements::new(opened);
                let connection = file.connection().map_err(|error| refused(&error))?;
                Ok(Self {
                    connection,
                    file: Some(file),
                })
            }
            DatabaseUrl::Postgres(url) => {
                let server = Postgres::connect_for_schema(url).await;
                let server = server.map_err(|error| refused(&error))?;
                Ok(Self {
                    connection: server.pool().clone(),
                    file: None,
                })
            }
        }
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
                    WHERE schemaname = current_schema() AND tablename = 'links'
                ) THEN
                    ANALYZE links, link_tags;
                END IF;
            END $$";
        if self.file.is_none() {
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
        match &self.file {
            Some(file) => file.rows_of("tokens"),
            None => Ok(0),
        }
    }

    /// SQLite's reports of damage; empty if there is none. Always empty for PostgreSQL, which
    /// checks its own pages.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn damages(&self) -> Result<Vec<String>, DbErr> {
        match &self.file {
            Some(file) => file.damages(),
            None => self.connection.ping().await.map(|()| Vec::new()),
        }
    }
}

/// Does the work inside the span, and counts the time it took.
async fn observed<T>(took: &Histogram, span: Span, work: impl Future<Output = T>) -> T {
    let begun = Instant::now();
    let done = work.instrument(span).await;
    took.observe(begun.elapsed());
    done
}

fn refused(error: &(dyn std::error::Error + 'static)) -> ConnectError {
    ConnectError {
        reason: root_cause(error),
    }
}

/// The innermost error: the outer ones repeat it.
fn root_cause(error: &(dyn std::error::Error + 'static)) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}
