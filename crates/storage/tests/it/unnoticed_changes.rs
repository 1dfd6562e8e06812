//! The store counts changes that it does not report to its callers.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Waker},
    time::{Duration, Instant},
};

use slugline_domain::ports::LinkStore;
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};
use slugline_testkit::{ALL, NOTE, link};

#[tokio::test]
async fn a_store_notices_changes_by_others_and_not_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let schema = SchemaConnection::open(&url).await.unwrap();
    schema.update().await.unwrap();
    let open = async || SqlLinkStore::new(Database::open(&url).await.unwrap());
    let (mine, theirs) = (open().await, open().await);

    let at_first = mine.hearing();
    mine.insert(&ALL, &link("mine").build(), &NOTE)
        .await
        .unwrap();
    // Longer than the interval between two checks.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(mine.hearing(), at_first);

    theirs
        .insert(&ALL, &link("theirs").build(), &NOTE)
        .await
        .unwrap();
    let asked = Instant::now();
    while mine.hearing() == at_first {
        assert!(asked.elapsed() < Duration::from_mins(5), "never noticed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_change_whose_author_hung_up_counts_once_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let schema = SchemaConnection::open(&url).await.unwrap();
    schema.update().await.unwrap();
    let store = SqlLinkStore::new(Database::open(&url).await.unwrap());
    let before = store.hearing();
    let made = link("made").build();
    {
        let mut insert = pin!(store.insert(&ALL, &made, &NOTE));
        let mut context = Context::from_waker(Waker::noop());
        // The writer has the change, and its caller does not wait.
        assert!(insert.as_mut().poll(&mut context).is_pending());
    }
    let asked = Instant::now();
    while store.hearing() == before {
        assert!(asked.elapsed() < Duration::from_mins(5), "never counted");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(store.find(&made.key).await.unwrap(), Some(made));
}
