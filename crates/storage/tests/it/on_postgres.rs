//! Databases of the PostgreSQL server that the test command starts.

use std::time::Duration;

use sea_orm::{ConnectionTrait, Statement};
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};

/// A database of a test's own.
pub(crate) struct Fresh {
    pub(crate) url: DatabaseUrl,
    pub(crate) name: String,
    /// The server's own database.
    pub(crate) admin: SchemaConnection,
}

/// Makes an empty database. Its name begins with the test's, and ends with this process's number.
#[expect(
    clippy::disallowed_methods,
    reason = "the test command hands the server over this way"
)]
pub(crate) async fn fresh(test: &str) -> Fresh {
    let server = std::env::var("SLUGLINE_TEST_POSTGRES_URL").expect(
        "SLUGLINE_TEST_POSTGRES_URL names a PostgreSQL server; `cargo xtask test` starts one",
    );
    let (base, _) = server.rsplit_once('/').expect("a database in the URL");
    let name = format!("{test}_{}", std::process::id());
    let admin = SchemaConnection::open(&server.parse().unwrap()).await;
    let admin = admin.unwrap();
    let make = format!("CREATE DATABASE {name}");
    admin.connection().execute_unprepared(&make).await.unwrap();
    let url = format!("{base}/{name}").parse().unwrap();
    Fresh { url, name, admin }
}

/// Makes a database with the schema, and opens it.
pub(crate) async fn store(test: &str) -> (SqlLinkStore, SchemaConnection) {
    let Fresh { url, .. } = fresh(test).await;
    let schema = SchemaConnection::open(&url).await.unwrap();
    schema.update().await.unwrap();
    let database = Database::open(&url).await.unwrap();
    (SqlLinkStore::new(database), schema)
}

impl Fresh {
    /// Cuts every connection to the database, and returns the number of them.
    pub(crate) async fn cut(&self) -> i64 {
        let cut = format!(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '{}'",
            self.name
        );
        number(self.admin.connection(), &cut).await
    }
}

/// The one number that answers a question in SQL.
pub(crate) async fn number(connection: &impl ConnectionTrait, question: &str) -> i64 {
    let question = Statement::from_string(connection.get_database_backend(), question);
    let row = connection.query_one_raw(question).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}

/// Waits until so many statements wait for a lock.
pub(crate) async fn until_waiting(schema: &SchemaConnection, statements: i64) {
    const WAITING: &str = "SELECT count(*) FROM pg_stat_activity \
                           WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while number(schema.connection(), WAITING).await < statements {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Names a host, so that links may belong to its domain.
pub(crate) async fn name(schema: &SchemaConnection, host: &str) {
    let name =
        format!("INSERT INTO domains (host, fall_through, created_at) VALUES ('{host}', false, 0)");
    schema.connection().execute_unprepared(&name).await.unwrap();
}
