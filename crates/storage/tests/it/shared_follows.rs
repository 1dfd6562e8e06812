//! On PostgreSQL, slugs that visitors follow at the same time share a statement.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use sea_orm::{ConnectionTrait, TransactionTrait};
use slugline_domain::{
    FollowedLink, LinkKey,
    ports::{LinkStore, TokenStore},
};
use slugline_storage::SqlLinkStore;
use slugline_testkit::{ALL, NOTE, key, link};
use tokio::task::JoinSet;

use crate::on_postgres::{self, number};

/// Follows all slugs at the same time, and returns the answer to each.
async fn follow_together(
    store: &Arc<SqlLinkStore>,
    slugs: impl IntoIterator<Item = LinkKey>,
) -> Vec<(LinkKey, Result<Option<FollowedLink>, String>)> {
    let mut follows = JoinSet::new();
    for slug in slugs {
        let store = Arc::clone(store);
        follows.spawn(async move {
            let found = store.follow(&slug).await;
            (slug, found.map_err(|error| format!("{error:?}")))
        });
    }
    follows.join_all().await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_slug_gets_its_own_answer() {
    let (store, schema) = on_postgres::store("follows").await;
    let store = Arc::new(store);
    for n in 0..100 {
        let made = link(&format!("known-{n}")).build();
        store.insert(&ALL, &made, &NOTE).await.unwrap();
    }
    let bad = "UPDATE short_links SET destination = 'no URL' WHERE slug = 'known-7'";
    schema.connection().execute_unprepared(bad).await.unwrap();
    let known = (0..100).map(|n| format!("known-{n}"));
    let slugs = known.chain((0..400).map(|n| format!("unknown-{n}")));
    let slugs: Vec<LinkKey> = slugs.map(|text| key(&text)).collect();
    for (asked, answer) in follow_together(&store, slugs).await {
        match asked.slug.as_str() {
            "known-7" => assert!(answer.unwrap_err().contains("destination")),
            text if text.starts_with("known") => {
                let expected = store.find(&asked).await.unwrap().map(FollowedLink::from);
                assert_eq!(answer, Ok(expected));
            }
            _ => assert_eq!(answer, Ok(None), "{asked}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_flood_of_unknown_slugs_takes_two_connections() {
    let (store, schema) = on_postgres::store("flood").await;
    let store = Arc::new(store);
    // The lock keeps every other session from reading links.
    let lock = schema.connection().begin().await.unwrap();
    let table = "LOCK TABLE short_links IN ACCESS EXCLUSIVE MODE";
    lock.execute_unprepared(table).await.unwrap();
    let flood = {
        let store = Arc::clone(&store);
        let slugs = (0..1_000).map(|n| key(&format!("guess-{n}")));
        tokio::spawn(async move { follow_together(&store, slugs).await })
    };
    tokio::time::sleep(Duration::from_secs(1)).await;
    let waiting = "SELECT count(*) FROM pg_stat_activity \
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    assert_eq!(number(&lock, waiting).await, 2);
    // A request that reads no link has a connection.
    assert_eq!(store.tokens().list().await.unwrap().len(), 0);
    lock.rollback().await.unwrap();
    let answers = flood.await.unwrap();
    assert_eq!(answers.len(), 1_000);
    assert!(answers.into_iter().all(|(_, answer)| answer == Ok(None)));
}

/// Each connection is cut in the middle of its work, again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cut_connections_give_no_wrong_answer() {
    let fresh = on_postgres::fresh("cut_follows").await;
    let store = Arc::new(SqlLinkStore::open(&fresh.url).await.unwrap());
    for n in 0..50 {
        let made = link(&format!("known-{n}")).build();
        store.insert(&ALL, &made, &NOTE).await.unwrap();
    }
    let cut = Arc::new(AtomicI64::new(0));
    let cutting = tokio::spawn({
        let cut = Arc::clone(&cut);
        async move {
            loop {
                cut.fetch_add(fresh.cut().await, Ordering::Relaxed);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        }
    });
    let mut answered = 0;
    while answered < 1_000 || cut.load(Ordering::Relaxed) < 40 {
        let slugs = (0..100).map(|n| key(&format!("{}-{n}", ["known", "other"][n / 50])));
        for (asked, answer) in follow_together(&store, slugs).await {
            if let Ok(found) = answer {
                let is_known = asked.slug.as_str().starts_with("known");
                assert_eq!(found.is_some(), is_known, "{asked}");
                answered += 1;
            }
        }
    }
    assert!(!cutting.is_finished(), "connections were cut all the time");
    cutting.abort();
}
