//! What must survive a restart, and nodes that start together.

use slugline_domain::ports::LinkStore;
use slugline_storage::{ConnectError, Database, SqlLinkStore};
use slugline_testkit::{NOON, link};

#[tokio::test]
async fn links_survive_a_restart_and_migrating_again_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite://{}", folder.path().join("links.db").display());
    let made = link("docs").tags(&["a", "b"]).build();
    for round in 0..2 {
        let database = Database::connect(&url).await.unwrap();
        slugline_migrations::run(database.writer()).await.unwrap();
        let store = SqlLinkStore::new(database);
        if round == 0 {
            store.insert(&made, NOON).await.unwrap();
        }
        assert_eq!(store.find(&made.slug).await.unwrap().as_ref(), Some(&made));
    }
}

/// Several rounds, because only some of them make the nodes collide while they
/// turn the new file to WAL.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nodes_that_start_together_migrate_once() {
    for _ in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let sqlite = format!("sqlite://{}", folder.path().join("links.db").display());
        let mut nodes = Vec::new();
        for _ in 0..6 {
            let url = sqlite.clone();
            nodes.push(tokio::spawn(async move {
                let database = Database::connect(&url).await.unwrap();
                slugline_migrations::run(database.writer()).await
            }));
        }
        for node in nodes {
            node.await
                .unwrap()
                .expect("every node finds a migrated database");
        }
    }
}

#[tokio::test]
async fn an_unknown_kind_of_database_is_refused() {
    for url in ["mongodb://localhost/x", "nonsense", ""] {
        assert!(
            matches!(Database::connect(url).await, Err(ConnectError::UnknownKind)),
            "{url}"
        );
    }
    let missing_folder = "sqlite:///nonexistent-folder/links.db";
    assert!(matches!(
        Database::connect(missing_folder).await,
        Err(ConnectError::Refused { .. })
    ));
}
