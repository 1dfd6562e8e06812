//! Statistics for PostgreSQL's planner.

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use slugline_domain::ports::LinkStore;
use slugline_storage::SchemaConnection;
use slugline_testkit::{ALL, NOTE, link};

use crate::on_postgres;

#[tokio::test]
async fn postgres_gets_the_statistics_that_it_lacks() {
    let (store, schema) = on_postgres::store("statistics").await;
    store
        .insert(&ALL, &link("docs").build(), &NOTE)
        .await
        .expect("insert");
    for table in ["short_links", "link_tags"] {
        // The server would make them itself, sooner or later.
        let off = format!("ALTER TABLE {table} SET (autovacuum_enabled = off)");
        let connection = schema.connection();
        connection.execute_unprepared(&off).await.unwrap();
    }

    assert_eq!(columns_with_statistics(&schema).await, 0);
    schema.make_missing_statistics().await.unwrap();
    let columns = columns_with_statistics(&schema).await;
    assert!(columns > 0, "{columns}");
}

async fn columns_with_statistics(schema: &SchemaConnection) -> i64 {
    let count = Statement::from_string(
        DbBackend::Postgres,
        "SELECT count(*) FROM pg_stats WHERE tablename = 'short_links'",
    );
    let row = schema.connection().query_one_raw(count).await.unwrap();
    row.unwrap().try_get_by_index(0).unwrap()
}
