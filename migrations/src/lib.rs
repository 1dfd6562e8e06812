//! Schema steps of the links database.
//!
//! Only this crate changes the schema; `storage` decides when. This crate knows SQL but not the
//! meaning of links, and it never reads a row. Its `README.md` explains how to write a step.

mod alone;
mod m0001_links;
mod m0002_search;
mod m0003_link_migration;
mod m0004_search_queue;
mod m0005_revisions;
mod m0006_announcements;
mod m0007_outbox;
mod m0008_tokens;
mod m0009_audit;
mod m0010_tags_in_rows;
mod m0011_token_bindings;
mod m0012_oldest_first;
mod m0013_assistants;
mod m0014_domains;
mod m0015_rules;
mod m0016_life;
mod m0017_history;
mod m0018_idempotency;
mod m0019_watch;
mod m0020_conditional_watch;
mod m0021_searched_destinations;
mod schema_error;
mod step;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, DbErr, Statement, TransactionTrait};

use self::step::Step;
pub use self::{alone::SESSION, schema_error::SchemaError};

/// Lists steps under the names of their modules, which databases record.
macro_rules! steps {
    ($($step:ident),+ $(,)?) => {
        &[$(Step { name: stringify!($step), statements: $step::statements }),+]
    };
}

/// All steps in order.
const STEPS: &[Step] = steps![
    m0001_links,
    m0002_search,
    m0003_link_migration,
    m0004_search_queue,
    m0005_revisions,
    m0006_announcements,
    m0007_outbox,
    m0008_tokens,
    m0009_audit,
    m0010_tags_in_rows,
    m0011_token_bindings,
    m0012_oldest_first,
    m0013_assistants,
    m0014_domains,
    m0015_rules,
    m0016_life,
    m0017_history,
    m0018_idempotency,
    m0019_watch,
    m0020_conditional_watch,
    m0021_searched_destinations,
];

/// Brings the schema up to date. Several nodes may call it at the same time:
/// the first takes a lock and does the work; the others wait and then find it
/// done. All steps commit together or not at all.
///
/// On SQLite the connection must be a single one, not a pool. On PostgreSQL its sessions must have
/// the name [`SESSION`].
///
/// # Errors
/// The database refused a step or the lock, a later version applied steps that this one does
/// not know, or another process uses a database whose links an earlier version can read.
pub async fn run(database: &DatabaseConnection) -> Result<(), SchemaError> {
    take(database, STEPS).await
}

/// Takes the steps up to this one, as an earlier version does: for tests of upgrades.
///
/// # Errors
/// As [`run`].
///
/// # Panics
/// There is no such step.
pub async fn run_until(database: &DatabaseConnection, last: &str) -> Result<(), SchemaError> {
    let steps = STEPS.iter().position(|step| step.name == last);
    take(database, &STEPS[..=steps.expect("a step has the name")]).await
}

async fn take(database: &DatabaseConnection, steps: &[Step]) -> Result<(), SchemaError> {
    if database.get_database_backend() == DbBackend::Sqlite {
        run_on_sqlite(database, steps).await
    } else {
        run_on_postgres(database, steps).await
    }
}

/// Runs `BEGIN` and `COMMIT` as plain statements. The adapter behind the
/// connection can report a failed statement, but not a failed commit of
/// sea-orm's.
async fn run_on_sqlite(database: &DatabaseConnection, steps: &[Step]) -> Result<(), SchemaError> {
    // SQLite's single write lock serves as our lock.
    database.execute_unprepared("BEGIN IMMEDIATE").await?;
    let must_be_alone = must_be_alone(database, steps).await;
    if !matches!(must_be_alone, Ok(true)) {
        return finish_on_sqlite(database, must_be_alone.map(drop), steps).await;
    }
    database.execute_unprepared("ROLLBACK").await?;
    let begun = alone::begin_on_sqlite(database).await;
    let done = match begun {
        Ok(()) => finish_on_sqlite(database, Ok(()), steps).await,
        Err(error) => Err(error),
    };
    alone::end_on_sqlite(database).await?;
    done
}

/// Takes the steps in the transaction that has begun, unless something failed before, and ends it.
async fn finish_on_sqlite(
    database: &DatabaseConnection,
    before: Result<(), SchemaError>,
    steps: &[Step],
) -> Result<(), SchemaError> {
    let outcome = async {
        before?;
        apply_pending(database, steps).await?;
        database.execute_unprepared("COMMIT").await?;
        Ok::<(), SchemaError>(())
    };
    match outcome.await {
        Ok(()) => Ok(()),
        Err(error) => {
            // SQLite may have rolled back already; the first error says why.
            let _ = database.execute_unprepared("ROLLBACK").await;
            Err(error)
        }
    }
}

async fn run_on_postgres(database: &DatabaseConnection, steps: &[Step]) -> Result<(), SchemaError> {
    let transaction = database.begin().await?;
    // The commit releases the lock. The number is arbitrary: "slug" in ASCII.
    transaction
        .execute_unprepared("SELECT pg_advisory_xact_lock(1936487783)")
        .await?;
    if must_be_alone(&transaction, steps).await? {
        alone::check_on_postgres(&transaction).await?;
    }
    apply_pending(&transaction, steps).await?;
    Ok(transaction.commit().await?)
}

/// Returns whether a step that is to be taken needs a database that no other process uses.
async fn must_be_alone(
    connection: &impl ConnectionTrait,
    steps: &[Step],
) -> Result<bool, SchemaError> {
    if !has_begun(connection).await? {
        return Ok(false);
    }
    let applied = applied(connection).await?;
    // A later version's steps are refused before anything else is.
    unapplied(&applied)?;
    Ok(alone::is_needed(&applied, steps))
}

/// The names of the steps that the schema is behind, in order. Changes nothing.
///
/// # Errors
/// The database cannot be read, or a later version applied steps that this one does not know.
pub async fn pending(database: &DatabaseConnection) -> Result<Vec<&'static str>, SchemaError> {
    // A database without any step has no table of them.
    let applied = if has_begun(database).await? {
        applied(database).await?
    } else {
        Vec::new()
    };
    Ok(unapplied(&applied)?.iter().map(|step| step.name).collect())
}

/// The statements that made the schema of an SQLite database, by the steps that it has.
#[derive(Clone, Debug)]
pub struct Making {
    /// The statements, in order.
    pub statements: Vec<String>,
    /// Statements for tables that may be there in place of those of the same names.
    pub otherwise: &'static [&'static str],
}

/// The statements that made the schema of an SQLite database. Changes nothing.
///
/// # Errors
/// The database cannot be read, or a later version applied steps that this one does not know.
pub async fn making_of(database: &DatabaseConnection) -> Result<Making, SchemaError> {
    let mut statements = Vec::new();
    if has_begun(database).await? {
        let applied = applied(database).await?;
        unapplied(&applied)?;
        statements.push(APPLIED.to_owned());
        let has = |step: &&Step| applied.iter().any(|name| name == step.name);
        for step in STEPS.iter().filter(has) {
            statements.extend((step.statements)(DbBackend::Sqlite));
        }
    }
    Ok(Making {
        statements,
        otherwise: &[FORMERLY_APPLIED],
    })
}

async fn apply_pending(
    connection: &impl ConnectionTrait,
    steps: &[Step],
) -> Result<(), SchemaError> {
    connection.execute_unprepared(APPLIED).await?;
    let backend = connection.get_database_backend();
    let pending = unapplied(&applied(connection).await?)?;
    for step in pending {
        if !steps.iter().any(|wanted| wanted.name == step.name) {
            continue;
        }
        for statement in (step.statements)(backend) {
            connection.execute_unprepared(&statement).await?;
        }
        let now = if backend == DbBackend::Sqlite {
            "unixepoch()"
        } else {
            "extract(epoch FROM now())::bigint"
        };
        let name = step.name;
        let record =
            format!("INSERT INTO seaql_migrations (version, applied_at) VALUES ('{name}', {now})");
        connection.execute_unprepared(&record).await?;
    }
    Ok(())
}

/// The names of applied steps. The table has the name and the form of sea-orm-migration's, which
/// made it in older databases.
const APPLIED: &str = "
CREATE TABLE IF NOT EXISTS seaql_migrations (
    version varchar NOT NULL PRIMARY KEY,
    applied_at bigint NOT NULL
)";

/// The same as sea-orm-migration made it in SQLite.
const FORMERLY_APPLIED: &str = "
CREATE TABLE seaql_migrations (
    version varchar NOT NULL PRIMARY KEY,
    applied_at integer NOT NULL
)";

async fn applied(connection: &impl ConnectionTrait) -> Result<Vec<String>, DbErr> {
    let names = Statement::from_string(
        connection.get_database_backend(),
        "SELECT version FROM seaql_migrations ORDER BY version",
    );
    let rows = connection.query_all_raw(names).await?;
    rows.iter().map(|row| row.try_get("", "version")).collect()
}

/// The steps that a database with these ones lacks.
fn unapplied(applied: &[String]) -> Result<Vec<&'static Step>, SchemaError> {
    let is_known = |name: &&String| STEPS.iter().any(|step| step.name == **name);
    let later: Vec<String> = applied
        .iter()
        .filter(|name| !is_known(name))
        .cloned()
        .collect();
    if !later.is_empty() {
        return Err(SchemaError::Later(later));
    }
    let lacks = |step: &&Step| applied.iter().all(|name| name != step.name);
    Ok(STEPS.iter().filter(lacks).collect())
}

/// Returns whether any step was ever applied.
async fn has_begun(database: &impl ConnectionTrait) -> Result<bool, DbErr> {
    let backend = database.get_database_backend();
    let table = if backend == DbBackend::Sqlite {
        "SELECT name FROM sqlite_schema WHERE name = 'seaql_migrations'"
    } else {
        "SELECT tablename::text FROM pg_tables \
         WHERE schemaname = current_schema() AND tablename = 'seaql_migrations'"
    };
    let found = database
        .query_one_raw(Statement::from_string(backend, table))
        .await?;
    Ok(found.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_database_with_links_of_an_earlier_version_is_upgraded_alone() {
        let first = |count: usize| -> Vec<String> {
            let names = STEPS[..count].iter().map(|step| step.name.to_owned());
            names.collect()
        };
        let before = STEPS.iter().position(|step| step.name == "m0014_domains");
        let before = before.expect("it is a step");
        assert!(!alone::is_needed(&[], STEPS), "new");
        assert!(alone::is_needed(&first(1), STEPS));
        assert!(alone::is_needed(&first(before), STEPS));
        assert!(!alone::is_needed(&first(before), &STEPS[..before]));
        assert!(!alone::is_needed(&first(before + 1), STEPS));
    }
}
