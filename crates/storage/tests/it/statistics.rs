//! Statistics for PostgreSQL's planner.

use sea_orm::ConnectionTrait;
use slugline_domain::ports::LinkStore;
use slugline_testkit::{ALL, NOTE, link};

use crate::on_postgres::{self, number};

#[tokio::test]
async fn postgres_gets_the_statistics_that_it_lacks() {
    let (store, schema) = on_postgres::store("statistics").await;
    let docs = link("docs").build();
    store.insert(&ALL, &docs, &NOTE).await.expect("insert");
    for table in ["short_links", "link_tags"] {
        // The server would make them itself, sooner or later.
        let off = format!("ALTER TABLE {table} SET (autovacuum_enabled = off)");
        let connection = schema.connection();
        connection.execute_unprepared(&off).await.unwrap();
    }

    let counted = "SELECT count(*) FROM pg_stats WHERE tablename = 'short_links'";
    let columns = async || number(schema.connection(), counted).await;
    assert_eq!(columns().await, 0);
    schema.make_missing_statistics().await.unwrap();
    assert!(columns().await > 0);
}
