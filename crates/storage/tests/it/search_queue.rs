//! Searches find texts before and after they are indexed.

use slugline_domain::{
    Link, LinkFilter, SearchText, StatusFilter,
    ports::{LinkStore, Update, Version},
};
use slugline_storage::{Database, SchemaConnection, SqlLinkStore};
use slugline_testkit::{ALL, NOON, NOTE, link};

use crate::{on_postgres, on_sqlite};

#[tokio::test]
async fn texts_are_found_whether_they_wait_or_are_indexed() {
    let (_folder, url) = on_sqlite::file();
    let schema = SchemaConnection::open(&url).await.unwrap();
    schema.update().await.unwrap();
    let store = SqlLinkStore::new(Database::open(&url).await.unwrap());

    let mut waiting = Vec::new();
    for number in 0..300 {
        let made = link(&format!("link-{number:03}"))
            .comment(&format!("before {number:03}"))
            .build();
        store.insert(&ALL, &made, &NOTE).await.unwrap();
        assert_eq!(found(&store, &format!("link-{number:03}")).await, 1);

        let known = Version::of(&made);
        let edited = Link {
            revision: made.revision.next(),
            content: link("edited")
                .comment(&format!("after {number:03}"))
                .build()
                .content,
            ..made
        };
        let updated = store.update(&edited, &known, &NOTE).await;
        assert_eq!(updated.unwrap(), Update::Stored);
        assert_eq!(found(&store, &format!("before {number:03}")).await, 0);
        assert_eq!(found(&store, &format!("after {number:03}")).await, 1);
        let texts = "SELECT count(*) FROM link_search_queue";
        waiting.push(on_postgres::number(schema.connection(), texts).await);
    }
    assert_eq!(found(&store, "after").await, 300);
    let indexed = waiting.windows(2).filter(|pair| pair[1] < pair[0]).count();
    assert!((1..=3).contains(&indexed), "{waiting:?}");
    assert!(waiting.iter().all(|&texts| texts <= 256), "{waiting:?}");
}

async fn found(store: &SqlLinkStore, text: &str) -> u64 {
    let filter = LinkFilter {
        text: Some(SearchText::parse(text).unwrap()),
        status: StatusFilter::All,
        ..LinkFilter::default()
    };
    let links = store.search(&filter, NOON, 1_000).await.unwrap();
    let count = store.count(&filter, NOON).await.unwrap();
    assert_eq!(u64::try_from(links.len()), Ok(count));
    count
}
