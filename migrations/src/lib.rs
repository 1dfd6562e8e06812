//! Schema steps of the links database.
//!
//! Only this crate changes the schema; `storage` decides when. This crate knows SQL but not the
//! meaning of links, and it never reads a row of theirs. Its `README.md` explains how to write a step.

mod schema_error;
mod step;

use sea_orm::{
    ConnectionTrait, DatabaseConnection, DbBackend, DbErr, QueryResult, Statement, TransactionTrait,
};

pub use self::{schema_error::SchemaError, step::Step};

/// All steps in order.
pub const STEPS: &[Step] = &[Step {
    name: "0.1.0",
    sqlite: include_str!("step_0_1_0/sqlite.sql"),
    postgres: include_str!("step_0_1_0/postgres.sql"),
}];

/// Takes the steps that the database lacks. Several nodes may call it at the same time: the first
/// takes a lock and does the work; the others wait and then find it done. All steps commit
/// together or not at all.
///
/// On SQLite the connection must be a single one, not a pool.
///
/// # Errors
/// The database refused a step or the lock, a later version took steps that are not among these,
/// or another build made the schema.
pub async fn run(database: &DatabaseConnection, steps: &[Step]) -> Result<(), SchemaError> {
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
    let outcome = async {
        take_missing(database, steps).await?;
        database.execute_unprepared("COMMIT").await?;
        Ok(())
    };
    let outcome = outcome.await;
    if outcome.is_err() {
        // SQLite may have rolled back already; the first error says why.
        let _ = database.execute_unprepared("ROLLBACK").await;
    }
    outcome
}

async fn run_on_postgres(database: &DatabaseConnection, steps: &[Step]) -> Result<(), SchemaError> {
    let transaction = database.begin().await?;
    // The commit releases the lock. The number is arbitrary: "slug" in ASCII.
    transaction
        .execute_unprepared("SELECT pg_advisory_xact_lock(1936487783)")
        .await?;
    take_missing(&transaction, steps).await?;
    Ok(transaction.commit().await?)
}

async fn take_missing(
    connection: &impl ConnectionTrait,
    steps: &[Step],
) -> Result<(), SchemaError> {
    let backend = connection.get_database_backend();
    let now = if backend == DbBackend::Sqlite {
        "unixepoch()"
    } else {
        "extract(epoch FROM now())::bigint"
    };
    for step in missing(connection, steps).await? {
        let statements = step.statements(backend);
        connection.execute_unprepared(&statements).await?;
        let (name, fingerprint) = (step.name, step.fingerprint(backend));
        let record =
            format!("INSERT INTO slugline_steps VALUES ('{name}', '{fingerprint}', {now})");
        connection.execute_unprepared(&record).await?;
    }
    Ok(())
}

/// The names of the steps that the database lacks, in order. Changes nothing.
///
/// # Errors
/// The database cannot be read, a later version took steps that are not among these, or another
/// build made the schema.
pub async fn pending(
    database: &DatabaseConnection,
    steps: &[Step],
) -> Result<Vec<&'static str>, SchemaError> {
    let missing = missing(database, steps).await?;
    Ok(missing.iter().map(|step| step.name).collect())
}

/// The statements of the steps that the database has. Changes nothing.
///
/// # Errors
/// As [`pending`].
pub async fn taken(
    database: &DatabaseConnection,
    steps: &[Step],
) -> Result<Vec<String>, SchemaError> {
    let backend = database.get_database_backend();
    let missing = missing(database, steps).await?;
    // Steps are taken in order.
    let taken = &steps[..steps.len() - missing.len()];
    Ok(taken.iter().map(|step| step.statements(backend)).collect())
}

/// The steps that the database lacks.
async fn missing<'s>(
    connection: &impl ConnectionTrait,
    steps: &'s [Step],
) -> Result<Vec<&'s Step>, SchemaError> {
    let backend = connection.get_database_backend();
    let mut later = Vec::new();
    let mut missing: Vec<&Step> = steps.iter().collect();
    for row in recorded(connection).await? {
        let (name, recorded): (String, String) =
            (row.try_get("", "name")?, row.try_get("", "fingerprint")?);
        let Some(step) = steps.iter().find(|step| step.name == name) else {
            later.push(name);
            continue;
        };
        let ours = step.fingerprint(backend);
        if recorded != ours {
            let shows = format!("its step {name} has the fingerprint {recorded}, ours has {ours}");
            return Err(SchemaError::OtherBuild(shows));
        }
        missing.retain(|step| step.name != name);
    }
    if later.is_empty() {
        Ok(missing)
    } else {
        Err(SchemaError::Later(later))
    }
}

/// The rows about steps in the database.
async fn recorded(connection: &impl ConnectionTrait) -> Result<Vec<QueryResult>, SchemaError> {
    /// The table of tags is in every database with links, also in those of builds before 0.1.0.
    const SQLITE: &str = "SELECT name AS found FROM sqlite_schema \
                          WHERE name IN ('slugline_steps', 'link_tags') ORDER BY 1 DESC";
    const POSTGRES: &str = "SELECT tablename::text AS found FROM pg_tables \
                            WHERE schemaname = current_schema() \
                            AND tablename IN ('slugline_steps', 'link_tags') ORDER BY 1 DESC";

    let backend = connection.get_database_backend();
    let ask = |question: &str| connection.query_all_raw(Statement::from_string(backend, question));
    let tables = if backend == DbBackend::Sqlite {
        ask(SQLITE)
    } else {
        ask(POSTGRES)
    };
    let tables = tables.await?;
    let tables: Result<Vec<String>, DbErr> =
        tables.iter().map(|row| row.try_get("", "found")).collect();
    match tables?.first().map(String::as_str) {
        None => Ok(Vec::new()),
        Some("slugline_steps") => {
            Ok(ask("SELECT name, fingerprint FROM slugline_steps ORDER BY name").await?)
        }
        Some(_) => Err(SchemaError::OtherBuild("one from before 0.1.0".into())),
    }
}
