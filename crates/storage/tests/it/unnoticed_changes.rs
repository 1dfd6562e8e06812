//! The store counts changes that it does not report to its callers.

use std::{
    future::Future,
    pin::pin,
    task::{Context, Waker},
    time::{Duration, Instant},
};

use slugline_domain::ports::LinkStore;
use slugline_storage::SqlLinkStore;
use slugline_testkit::{ALL, NOTE, link};

use crate::on_sqlite;

#[tokio::test]
async fn a_store_notices_changes_by_others_and_not_its_own() {
    let (_folder, url) = on_sqlite::file();
    let open = async || SqlLinkStore::open(&url).await.unwrap();
    let (mine, theirs) = (open().await, open().await);

    let at_first = mine.hearing();
    let made = link("mine").build();
    mine.insert(&ALL, &made, &NOTE).await.unwrap();
    // Longer than the interval between two checks.
    tokio::time::sleep(Duration::from_millis(2_500)).await;
    assert_eq!(mine.hearing(), at_first);

    let made = link("theirs").build();
    theirs.insert(&ALL, &made, &NOTE).await.unwrap();
    let asked = Instant::now();
    while mine.hearing() == at_first {
        assert!(asked.elapsed() < Duration::from_mins(5), "never noticed");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn a_change_whose_author_hung_up_counts_once_it_is_made() {
    let (_folder, store) = on_sqlite::store().await;
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
