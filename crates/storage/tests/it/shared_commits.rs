//! Changes that come at the same time share a commit, and none suffers from
//! another.

use std::sync::Arc;

use slugline_domain::{
    Link,
    ports::{Insertion, LinkStore},
};
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};
use slugline_testkit::{NOTE, link, slug};
use tokio::task::JoinSet;

async fn store(folder: &tempfile::TempDir) -> Arc<SqlLinkStore> {
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let schema = SchemaConnection::open(&url).await.unwrap();
    slugline_migrations::run(schema.connection()).await.unwrap();
    Arc::new(SqlLinkStore::new(Database::open(&url).await.unwrap()))
}

/// Inserts all links at the same time, and returns the result of each by slug.
async fn insert_together(
    store: &Arc<SqlLinkStore>,
    links: Vec<Link>,
) -> Vec<(String, Result<Insertion, String>)> {
    let mut inserts = JoinSet::new();
    for link in links {
        let store = Arc::clone(store);
        inserts.spawn(async move {
            let inserted = store.insert(&link, &NOTE).await;
            let inserted = inserted.map_err(|error| format!("{error:?}"));
            (link.slug.to_string(), inserted)
        });
    }
    let mut outcomes = inserts.join_all().await;
    outcomes.sort_by(|a, b| a.0.cmp(&b.0));
    outcomes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_that_is_undone_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    for round in 0..20 {
        let owner = link(&format!("owner-{round}"))
            .id(&format!("id-{round}"))
            .build();
        let past = link(&format!("past-{round}"))
            .tags(&["old"])
            .expires(-1)
            .build();
        store.insert(&owner, &NOTE).await.unwrap();
        store.insert(&past, &NOTE).await.unwrap();
        let mut links: Vec<Link> = (0..30)
            .map(|i| link(&format!("many-{round}-{i:02}")).tags(&["new"]).build())
            .collect();
        // It deletes the expired link, and must restore it when it finds that
        // its own identifier is in use.
        links.push(link(past.slug.as_str()).id(owner.id.as_str()).build());
        let outcomes = insert_together(&store, links).await;
        for (inserted, outcome) in outcomes {
            if inserted == past.slug.as_str() {
                assert_eq!(outcome, Ok(Insertion::IdTaken));
                assert_eq!(store.find(&past.slug).await.unwrap(), Some(past.clone()));
            } else {
                assert_eq!(outcome, Ok(Insertion::Stored), "{inserted}");
                let found = store.find(&slug(&inserted)).await.unwrap();
                assert_eq!(found.unwrap().content.tags.iter().count(), 1);
            }
        }
    }
}

/// A trigger stands for a fault that only one of the changes meets.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_that_fails_takes_no_other_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(&folder).await;
    let file = rusqlite::Connection::open(folder.path().join("links.db")).unwrap();
    for (round, fault) in ["ABORT", "FAIL", "ROLLBACK"].into_iter().enumerate() {
        let trigger = format!(
            "CREATE TRIGGER fault_{round} BEFORE INSERT ON link_tags
             WHEN new.tag = 'fault-{round}' BEGIN SELECT RAISE({fault}, 'broken'); END"
        );
        file.execute_batch(&trigger).unwrap();
        let mut links: Vec<Link> = (0..30)
            .map(|i| {
                link(&format!("good-{round}-{i:02}"))
                    .tags(&["good"])
                    .build()
            })
            .collect();
        let bad = format!("bad-{round}");
        links.push(link(&bad).tags(&["a", &format!("fault-{round}")]).build());
        for (inserted, outcome) in insert_together(&store, links).await {
            let found = store.find(&slug(&inserted)).await.unwrap();
            if inserted == bad {
                assert!(outcome.unwrap_err().contains("broken"), "{fault}");
                assert_eq!(found, None, "{fault}");
            } else {
                assert_eq!(outcome, Ok(Insertion::Stored), "{fault}: {inserted}");
                assert_eq!(found.unwrap().content.tags.iter().count(), 1, "{fault}");
            }
        }
        let after = link(&format!("after-{round}")).build();
        assert_eq!(
            store.insert(&after, &NOTE).await.unwrap(),
            Insertion::Stored,
            "{fault}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_that_were_handed_over_are_done_before_the_store_goes() {
    let folder = tempfile::tempdir().unwrap();
    let links = (0..200).map(|i| link(&format!("last-{i}")).build());
    {
        let store = store(&folder).await;
        insert_together(&store, links.clone().collect()).await;
    }
    let store = store(&folder).await;
    for link in links {
        assert_eq!(store.find(&link.slug).await.unwrap(), Some(link));
    }
}
