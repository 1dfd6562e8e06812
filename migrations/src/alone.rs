//! Steps after which an earlier version must not go on: no other process may use the database.
//!
//! A service of an earlier version whose statements fail still answers from its memory, for up to
//! a day. And it may have read a link just before the step that this version changes just after.

use sea_orm::{ConnectionTrait, DatabaseConnection, DbErr, Statement};

use crate::{schema_error::SchemaError, step::Step};

/// The name of sessions on PostgreSQL that do nothing but take steps (`application_name`). Such
/// sessions wait for each other.
pub const SESSION: &str = "slugline schema";

/// The first step whose result an earlier version must not meet.
const STEP: &str = "m0014_domains";

/// Returns whether these steps need a database that no other process uses, after those that it
/// has. A new database has no links that anybody could have read.
pub(crate) fn is_needed(applied: &[String], steps: &[Step]) -> bool {
    !applied.is_empty()
        && !applied.iter().any(|name| name == STEP)
        && steps.iter().any(|step| step.name == STEP)
}

/// Begins a transaction that nobody else is beside. Every open connection to a file in WAL mode
/// holds a shared lock of it, however idle (<https://www.sqlite.org/wal.html>); in this mode the
/// beginning of a change takes the exclusive one. It waits as long as for any other lock.
pub(crate) async fn begin_on_sqlite(database: &DatabaseConnection) -> Result<(), SchemaError> {
    database
        .execute_unprepared("PRAGMA locking_mode = EXCLUSIVE")
        .await?;
    match database.execute_unprepared("BEGIN IMMEDIATE").await {
        Ok(_) => Ok(()),
        // The adapter behind the connection passes on the words alone.
        Err(error) if error.to_string().contains("database is locked") => {
            Err(SchemaError::InUse(String::new()))
        }
        Err(error) => Err(error.into()),
    }
}

/// Lets others use the file again. The lock goes with the end of the next read.
pub(crate) async fn end_on_sqlite(database: &DatabaseConnection) -> Result<(), DbErr> {
    const END: &str = "PRAGMA locking_mode = NORMAL; SELECT count(*) FROM sqlite_schema;";
    database.execute_unprepared(END).await.map(drop)
}

/// Checks that no session but those that take steps may read the links. Sessions that are about
/// to end have five seconds.
pub(crate) async fn check_on_postgres(
    transaction: &impl ConnectionTrait,
) -> Result<(), SchemaError> {
    /// Monitoring has sessions, too, but usually no right to read links. Sessions of other roles
    /// may hide what they are.
    const OTHERS: &str = "
        SELECT string_agg(
            'process ' || pid || ' of ' || usename
            || coalesce(' from ' || host(client_addr), '')
            || CASE application_name WHEN '' THEN '' ELSE ' (' || application_name || ')' END,
            ', ' ORDER BY pid
        )
        FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()
        AND coalesce(backend_type, 'client backend') = 'client backend'
        AND application_name <> $1 AND has_table_privilege(usesysid, 'links', 'SELECT')";
    const ATTEMPTS: u32 = 20;

    let mut attempt = 1;
    loop {
        let backend = transaction.get_database_backend();
        let others = Statement::from_sql_and_values(backend, OTHERS, [SESSION.into()]);
        let row = transaction.query_one_raw(others).await?;
        let others: Option<String> = match row {
            Some(row) => row.try_get_by_index(0)?,
            None => None,
        };
        match others {
            None => return Ok(()),
            Some(others) if attempt == ATTEMPTS => {
                return Err(SchemaError::InUse(format!(": {others}")));
            }
            Some(_) => attempt += 1,
        }
        // A transaction sees the sessions of its first look otherwise.
        let again = "SELECT pg_stat_clear_snapshot(), pg_sleep(0.25)";
        transaction.execute_unprepared(again).await?;
    }
}
