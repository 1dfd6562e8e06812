//! Data survives a restart, and nodes can start together.

use slugline_domain::ports::LinkStore;
use slugline_storage::{
    ConnectError, Database, DatabaseUrl, OpenError, SchemaConnection, SqlLinkStore,
};
use slugline_testkit::{ALL, NOTE, assert_matches, link};

use crate::on_sqlite;

async fn migrate(url: &DatabaseUrl) {
    let schema = SchemaConnection::open(url).await.unwrap();
    let migrated = schema.update().await;
    migrated.expect("every node finds a migrated database");
}

#[tokio::test]
async fn links_survive_a_restart_and_migrating_again_changes_nothing() {
    let (_folder, url) = on_sqlite::file();
    let made = link("docs").tags(&["a", "b"]).build();
    for round in 0..2 {
        let store = SqlLinkStore::open(&url).await.unwrap();
        if round == 0 {
            store.insert(&ALL, &made, &NOTE).await.unwrap();
        }
        assert_eq!(store.find(&made.key).await.unwrap().as_ref(), Some(&made));
    }
    let store = SqlLinkStore::open_current(&url).await.unwrap();
    assert_eq!(store.find(&made.key).await.unwrap(), Some(made));
}

#[tokio::test]
async fn a_schema_that_is_behind_is_refused_with_its_missing_steps() {
    let (folder, url) = on_sqlite::file();
    let file = folder.path().join("links.db");
    let no_file = SqlLinkStore::open_current(&url).await.unwrap_err();
    assert_matches!(no_file, OpenError::Connect(_));
    assert!(!file.exists());

    std::fs::write(&file, "").unwrap();
    let behind = SqlLinkStore::open_current(&url).await.unwrap_err();
    let missing = "the schema lacks 0.1.0; ";
    assert!(behind.to_string().starts_with(missing), "{behind}");
}

/// Several rounds, because the nodes collide only in some of them while they
/// switch the new file to WAL.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_once() {
    for _ in 0..10 {
        let (_folder, url) = on_sqlite::file();
        let mut nodes = Vec::new();
        for _ in 0..6 {
            let url = url.clone();
            nodes.push(tokio::spawn(async move { migrate(&url).await }));
        }
        for node in nodes {
            node.await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_file_in_a_folder_that_is_not_there_is_refused_with_the_reason() {
    let missing_folder = DatabaseUrl::File("/nonexistent-folder/links.db".into());
    let ConnectError { reason } = Database::open(&missing_folder).await.unwrap_err();
    assert!(reason.contains("unable to open"), "{reason}");
    assert!(SchemaConnection::open(&missing_folder).await.is_err());
}
