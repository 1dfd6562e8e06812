//! Changes that another process makes are noticed.

use std::time::{Duration, Instant};

use slugline_domain::ports::LinkStore;
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};
use slugline_testkit::{NOON, link};

#[tokio::test]
async fn a_store_notices_changes_by_others_and_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let schema = SchemaConnection::open(&url).await.unwrap();
    slugline_migrations::run(schema.connection()).await.unwrap();
    let open = async || SqlLinkStore::new(Database::open(&url).await.unwrap());
    let (mine, theirs) = (open().await, open().await);

    let at_first = mine.foreign_changes().expect("SQLite is watched");
    mine.insert(&link("mine").build(), NOON).await.unwrap();
    // Longer than between two looks.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(mine.foreign_changes(), Some(at_first));

    theirs.insert(&link("theirs").build(), NOON).await.unwrap();
    let asked = Instant::now();
    while mine.foreign_changes() == Some(at_first) {
        assert!(asked.elapsed() < Duration::from_secs(30), "never noticed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}
