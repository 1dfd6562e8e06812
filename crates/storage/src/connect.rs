//! Opening the database a URL names.

use std::{path::Path, time::Duration};

use sea_orm::{
    ConnectOptions, ConnectionTrait, DatabaseConnection, DbBackend, DbErr, RuntimeErr, Statement,
};
use sqlx::{
    Connection, PgConnection,
    error::DatabaseError,
    sqlite::{SqliteJournalMode, SqliteSynchronous},
};
use thiserror::Error;

/// Connections to the links database.
#[derive(Clone, Debug)]
pub struct Database {
    reader: DatabaseConnection,
    writer: DatabaseConnection,
}

/// A database could not be opened.
#[derive(Debug, Error)]
pub enum ConnectError {
    /// The URL names a kind of database that is not supported.
    #[error("database URLs start with sqlite: or postgres:")]
    UnknownKind,
    /// The database refused.
    #[error("the links database cannot be opened: {reason}")]
    Refused {
        /// What the database, or the system on the way to it, said.
        reason: String,
    },
}

/// How an SQLite file is opened.
#[derive(Clone, Copy, Debug)]
enum Opening {
    /// Created when missing.
    Create,
    Existing,
    /// Left exactly as it is.
    Examine,
}

impl Database {
    /// Opens `sqlite://<path>` (created when missing) or `postgres://…`.
    ///
    /// # Errors
    /// The URL names no supported database, or the database refused.
    pub async fn connect(url: &str) -> Result<Self, ConnectError> {
        match Kind::of(url)? {
            Kind::Sqlite => open_sqlite(url, None).await,
            Kind::Postgres => open_postgres(url).await,
        }
        .map_err(refused)
    }

    /// Opens an SQLite file (created when missing) by its path, which may hold
    /// characters that a URL could not.
    ///
    /// # Errors
    /// The database refused.
    pub async fn open_file(path: &Path) -> Result<Self, ConnectError> {
        // The file named here replaces the one in the URL.
        let opened = open_sqlite("sqlite://", Some(path)).await;
        opened.map_err(refused)
    }

    /// As [`Database::connect`], but nothing is created or changed in a file.
    ///
    /// # Errors
    /// The URL names no supported database, or the database refused.
    pub async fn connect_to_examine(url: &str) -> Result<Self, ConnectError> {
        match Kind::of(url)? {
            Kind::Sqlite => examine_sqlite(url, None).await,
            Kind::Postgres => open_postgres(url).await,
        }
        .map_err(refused)
    }

    /// As [`Database::open_file`], but nothing is created or changed.
    ///
    /// # Errors
    /// The database refused.
    pub async fn open_file_to_examine(path: &Path) -> Result<Self, ConnectError> {
        let opened = examine_sqlite("sqlite://", Some(path)).await;
        opened.map_err(refused)
    }

    /// What SQLite finds damaged, in its words; nothing when all is sound.
    /// PostgreSQL looks after its own pages.
    ///
    /// # Errors
    /// The database cannot be read.
    pub async fn damages(&self) -> Result<Vec<String>, DbErr> {
        if self.reader.get_database_backend() != DbBackend::Sqlite {
            return self.reader.ping().await.map(|()| Vec::new());
        }
        let check = Statement::from_string(DbBackend::Sqlite, "PRAGMA integrity_check");
        let lines = self.reader.query_all_raw(check).await?;
        let lines: Vec<String> = lines
            .iter()
            .map(|line| line.try_get_by_index(0))
            .collect::<Result<_, _>>()?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }

    /// Where statements that change something go.
    pub fn writer(&self) -> &DatabaseConnection {
        &self.writer
    }

    pub(crate) fn reader(&self) -> &DatabaseConnection {
        &self.reader
    }
}

/// The databases that are supported.
enum Kind {
    Sqlite,
    Postgres,
}

impl Kind {
    fn of(url: &str) -> Result<Self, ConnectError> {
        match url.split_once(':') {
            Some(("sqlite", _)) => Ok(Self::Sqlite),
            Some(("postgres" | "postgresql", _)) => Ok(Self::Postgres),
            Some(_) | None => Err(ConnectError::UnknownKind),
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature of `map_err`")]
fn refused(error: DbErr) -> ConnectError {
    ConnectError::Refused {
        reason: root_cause(&error),
    }
}

/// SQLite has one writer at a time; giving it one connection makes writers wait
/// in our queue instead of polling the file's lock. Readers never wait in WAL
/// mode. `synchronous=FULL` keeps every acknowledged link through power loss.
async fn open_sqlite(url: &str, file: Option<&Path>) -> Result<Database, DbErr> {
    let writer = connect_sqlite(url, file, 1, Opening::Create).await?;
    let reader = connect_sqlite(url, file, 4, Opening::Existing).await?;
    Ok(Database { reader, writer })
}

async fn examine_sqlite(url: &str, file: Option<&Path>) -> Result<Database, DbErr> {
    let reader = connect_sqlite(url, file, 1, Opening::Examine).await?;
    let writer = reader.clone();
    Ok(Database { reader, writer })
}

/// Connects, trying again while others are at it: of several processes that
/// turn a new file to WAL at the same moment, SQLite tells all but one that it
/// is locked, at once and without regard to the busy timeout.
async fn connect_sqlite(
    url: &str,
    file: Option<&Path>,
    connections: u32,
    opening: Opening,
) -> Result<DatabaseConnection, DbErr> {
    const ATTEMPTS: usize = 50;
    const PAUSE: Duration = Duration::from_millis(100);

    let mut attempt = 1;
    loop {
        let options = sqlite_options(url, file, connections, opening);
        match sea_orm::Database::connect(options).await {
            Err(error) if is_locked(&error) && attempt < ATTEMPTS => attempt += 1,
            outcome => return outcome,
        }
        tokio::time::sleep(PAUSE).await;
    }
}

/// SQLite's result code 5, `SQLITE_BUSY`.
fn is_locked(error: &DbErr) -> bool {
    let DbErr::Conn(RuntimeErr::SqlxError(error)) = error else {
        return false;
    };
    let code = error.as_database_error().and_then(DatabaseError::code);
    code.is_some_and(|code| code == "5")
}

fn sqlite_options(
    url: &str,
    file: Option<&Path>,
    connections: u32,
    opening: Opening,
) -> ConnectOptions {
    let file = file.map(Path::to_owned);
    let mut options = pool_options(url, connections);
    options.map_sqlx_sqlite_opts(move |sqlite| {
        let sqlite = match &file {
            Some(path) => sqlite.filename(path),
            None => sqlite,
        };
        let sqlite = match opening {
            Opening::Create => sqlite
                .create_if_missing(true)
                .journal_mode(SqliteJournalMode::Wal),
            Opening::Existing => sqlite.journal_mode(SqliteJournalMode::Wal),
            Opening::Examine => sqlite.read_only(true),
        };
        sqlite
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(5))
            .foreign_keys(true)
            .statement_cache_capacity(256)
    });
    options
}

async fn open_postgres(url: &str) -> Result<Database, DbErr> {
    // The pool keeps trying a server that is not there and then reports only
    // that time ran out; a single connection says why.
    let attempt = PgConnection::connect(url).await;
    attempt
        .map_err(|error| DbErr::Conn(RuntimeErr::SqlxError(error.into())))?
        .close()
        .await
        .ok();
    let pool = sea_orm::Database::connect(pool_options(url, 10)).await?;
    Ok(Database {
        reader: pool.clone(),
        writer: pool,
    })
}

/// The innermost error: those around it repeat it.
fn root_cause(error: &dyn std::error::Error) -> String {
    error.source().map_or_else(|| error.to_string(), root_cause)
}

fn pool_options(url: &str, connections: u32) -> ConnectOptions {
    let mut options = ConnectOptions::new(url);
    options
        .max_connections(connections)
        .acquire_timeout(Duration::from_secs(10))
        .connect_timeout(Duration::from_secs(10))
        // A ping before every use doubles the round trips; a connection that
        // died shows itself in the statement's own error.
        .test_before_acquire(false)
        .sqlx_logging(false);
    options
}
