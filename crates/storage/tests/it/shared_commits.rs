//! Changes that come at the same time share a commit, and none suffers from
//! another.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, TransactionTrait};
use slugline_domain::{
    Link,
    ports::{Insertion, LinkStore},
};
use slugline_storage::{SchemaConnection, SqlLinkStore};
use slugline_testkit::{ALL, NOTE, key, link};
use tokio::task::JoinSet;

use crate::{
    on_postgres::{self, number, until_waiting},
    on_sqlite,
};

/// Inserts all links at the same time, and returns the result of each by slug.
async fn insert_together(
    store: &Arc<SqlLinkStore>,
    links: Vec<Link>,
) -> Vec<(String, Result<Insertion, String>)> {
    let mut inserts = JoinSet::new();
    for link in links {
        let store = Arc::clone(store);
        inserts.spawn(async move {
            let inserted = store.insert(&ALL, &link, &NOTE).await;
            let inserted = inserted.map_err(|error| format!("{error:?}"));
            (link.key.to_string(), inserted)
        });
    }
    let mut outcomes = inserts.join_all().await;
    outcomes.sort_by(|a, b| a.0.cmp(&b.0));
    outcomes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_that_is_undone_takes_no_other_with_it() {
    let (_folder, store) = on_sqlite::store().await;
    let store = Arc::new(store);
    for round in 0..20 {
        let owner = link(&format!("owner-{round}"))
            .id(&format!("id-{round}"))
            .build();
        let past = link(&format!("past-{round}"))
            .tags(&["old"])
            .expires(-1)
            .build();
        store.insert(&ALL, &owner, &NOTE).await.unwrap();
        store.insert(&ALL, &past, &NOTE).await.unwrap();
        let mut links: Vec<Link> = (0..30)
            .map(|i| link(&format!("many-{round}-{i:02}")).tags(&["new"]).build())
            .collect();
        // It deletes the expired link, and must restore it when it finds that
        // its own identifier is in use.
        links.push(link(past.key.slug.as_str()).id(owner.id.as_str()).build());
        let outcomes = insert_together(&store, links).await;
        for (inserted, outcome) in outcomes {
            if inserted == past.key.slug.as_str() {
                assert_eq!(outcome, Ok(Insertion::IdTaken));
                assert_eq!(store.find(&past.key).await.unwrap(), Some(past.clone()));
            } else {
                assert_eq!(outcome, Ok(Insertion::Stored), "{inserted}");
                let found = store.find(&key(&inserted)).await.unwrap();
                assert_eq!(found.unwrap().content.tags.iter().count(), 1);
            }
        }
    }
}

/// A trigger stands for a fault that only one of the changes meets.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_change_that_fails_takes_no_other_with_it() {
    let (folder, store) = on_sqlite::store().await;
    let store = Arc::new(store);
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
            let found = store.find(&key(&inserted)).await.unwrap();
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
            store.insert(&ALL, &after, &NOTE).await.unwrap(),
            Insertion::Stored,
            "{fault}"
        );
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn changes_that_were_handed_over_are_done_before_the_store_goes() {
    let (_folder, url) = on_sqlite::file();
    let open = async || Arc::new(SqlLinkStore::open(&url).await.unwrap());
    let links = (0..200).map(|i| link(&format!("last-{i}")).build());
    insert_together(&open().await, links.clone().collect()).await;
    let store = open().await;
    for link in links {
        assert_eq!(store.find(&link.key).await.unwrap(), Some(link));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgres_new_links_share_statements() {
    let (store, schema) = on_postgres::store("shared").await;
    let store = Arc::new(store);
    let links: Vec<Link> = (0..500)
        .map(|i| link(&format!("many-{i:03}")).tags(&["new", "x"]).build())
        .collect();
    for (inserted, outcome) in insert_together(&store, links.clone()).await {
        assert_eq!(outcome, Ok(Insertion::Stored), "{inserted}");
    }
    for link in links {
        assert_eq!(store.find(&link.key).await.unwrap(), Some(link));
    }
    let audited = "SELECT count(DISTINCT slug) FROM audit_trail WHERE caller <> ''";
    assert_eq!(number(schema.connection(), audited).await, 500);
    let counted = async |table: &str| {
        let count = format!("SELECT count(*) FROM {table}");
        number(schema.connection(), &count).await
    };
    assert_eq!(counted("audit_trail").await, 500);
    assert_eq!(counted("link_tags").await, 1_000);
    // A trigger announces once for each statement.
    let statements = counted("link_announcements").await;
    assert!(statements < 250, "{statements} statements");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgres_each_link_of_a_statement_gets_its_own_answer() {
    let (store, schema) = on_postgres::store("answers").await;
    let store = Arc::new(store);
    let fault = "CREATE FUNCTION fault() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN IF new.slug LIKE ''bad-%'' THEN RAISE ''broken''; END IF; RETURN new; END';
                 CREATE TRIGGER fault BEFORE INSERT ON short_links
                 FOR EACH ROW EXECUTE FUNCTION fault()";
    schema.connection().execute_unprepared(fault).await.unwrap();
    for round in 0..10 {
        let taken = link(&format!("taken-{round}"))
            .id(&format!("id-{round}"))
            .build();
        let past = link(&format!("past-{round}")).expires(-1).build();
        store.insert(&ALL, &taken, &NOTE).await.unwrap();
        store.insert(&ALL, &past, &NOTE).await.unwrap();
        let mut links: Vec<Link> = (0..30)
            .map(|i| link(&format!("good-{round}-{i:02}")).build())
            .collect();
        links.push(
            link(taken.key.slug.as_str())
                .id(&format!("other-{round}"))
                .build(),
        );
        links.push(link(&format!("free-{round}")).id(taken.id.as_str()).build());
        links.push(
            link(past.key.slug.as_str())
                .id(&format!("new-{round}"))
                .build(),
        );
        if round % 2 == 0 {
            links.push(link(&format!("bad-{round}")).build());
        }
        let twins = ["a", "b"].map(|id| {
            let id = format!("twin-{round}-{id}");
            link(&format!("twin-{round}")).id(&id).build()
        });
        links.extend(twins);
        let mut twins = Vec::new();
        for (inserted, outcome) in insert_together(&store, links).await {
            match inserted.split('-').next().unwrap() {
                "taken" => assert_eq!(outcome, Ok(Insertion::SlugTaken)),
                "free" => assert_eq!(outcome, Ok(Insertion::IdTaken)),
                "bad" => assert!(outcome.unwrap_err().contains("broken")),
                "twin" => twins.push(outcome.unwrap()),
                _ => assert_eq!(outcome, Ok(Insertion::Stored), "{inserted}"),
            }
        }
        twins.sort_by_key(|outcome| *outcome != Insertion::Stored);
        assert_eq!(twins, [Insertion::Stored, Insertion::SlugTaken]);
        let replaced = store.find(&past.key).await.unwrap().unwrap();
        assert_eq!(replaced.id.as_str(), format!("new-{round}"));
    }
    let audited =
        "SELECT count(*) - count(DISTINCT slug) FROM audit_trail WHERE slug NOT LIKE 'past-%'";
    assert_eq!(
        number(schema.connection(), audited).await,
        0,
        "one line for each link"
    );
    // 30 good links and two others (the taken one and a twin); the expired one and the new one.
    let lines = "SELECT count(*) FROM audit_trail";
    assert_eq!(number(schema.connection(), lines).await, 340);
}

/// Each connection is cut in the middle of its work, again and again.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgres_cut_connections_neither_lose_nor_double_links() {
    let fresh = on_postgres::fresh("cut").await;
    let url = fresh.url.clone();
    let store = Arc::new(SqlLinkStore::open(&url).await.unwrap());
    let cutting = tokio::spawn(async move {
        let mut cut = 0;
        for _ in 0..40 {
            cut += fresh.cut().await;
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        cut
    });
    let mut stored = Vec::new();
    let mut failed = 0;
    let mut round = 0;
    while !cutting.is_finished() {
        let links = (0..30).map(|i| link(&format!("cut-{round}-{i:02}")).build());
        for (inserted, outcome) in insert_together(&store, links.collect()).await {
            match outcome {
                Ok(outcome) => {
                    assert_eq!(outcome, Insertion::Stored, "{inserted}");
                    stored.push(inserted);
                }
                Err(_) => failed += 1,
            }
        }
        round += 1;
    }
    let cut = cutting.await.unwrap();
    let schema = SchemaConnection::open(&url).await.unwrap();
    assert!(
        cut > 40,
        "{cut} connections were cut, {failed} inserts failed"
    );
    for inserted in &stored {
        assert!(store.find(&key(inserted)).await.unwrap().is_some());
    }
    let doubled = "SELECT count(*) - count(DISTINCT slug) FROM audit_trail";
    assert_eq!(number(schema.connection(), doubled).await, 0);
    let odd = "SELECT abs((SELECT count(*) FROM short_links) - (SELECT count(*) FROM audit_trail))";
    assert_eq!(number(schema.connection(), odd).await, 0);
}

fn stored_unless(lacks_its_domain: bool) -> Insertion {
    if lacks_its_domain {
        Insertion::NoDomain
    } else {
        Insertion::Stored
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgres_links_of_named_hosts_share_statements_if_the_host_is_named() {
    let (store, schema) = on_postgres::store("named").await;
    on_postgres::name(&schema, "go.example").await;
    let store = Arc::new(store);
    let hosts = ["", "go.example/", "nowhere.example/"];
    let links: Vec<Link> = (0..300)
        .map(|i| {
            link(&format!("{}many-{i:03}", hosts[i % 3]))
                .tags(&["x"])
                .build()
        })
        .collect();
    for (inserted, outcome) in insert_together(&store, links.clone()).await {
        let is_refused = inserted.starts_with("nowhere");
        assert_eq!(outcome, Ok(stored_unless(is_refused)), "{inserted}");
    }
    for link in links {
        let is_there = link.key.domain.as_str() != "nowhere.example";
        let found = store.find(&link.key).await.unwrap();
        assert_eq!(found, is_there.then_some(link));
    }
    for counted in [
        "SELECT count(*) FROM audit_trail WHERE slug LIKE 'go.example/many-%'",
        "SELECT count(*) FROM audit_trail WHERE slug LIKE 'many-%'",
    ] {
        assert_eq!(number(schema.connection(), counted).await, 100, "{counted}");
    }
    let statements = number(
        schema.connection(),
        "SELECT count(*) FROM link_announcements",
    )
    .await;
    assert!(statements < 150, "{statements} statements");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgres_no_link_stays_in_a_domain_that_is_taken_away_at_the_same_time() {
    const LOCK: &str = "SELECT host FROM domains WHERE host = 'go.example' FOR UPDATE";

    let (store, schema) = on_postgres::store("taken_away").await;
    on_postgres::name(&schema, "go.example").await;
    let store = Arc::new(store);
    let removal = schema.connection().begin().await.unwrap();
    removal.execute_unprepared(LOCK).await.unwrap();
    let insert = |prefix: &'static str, hosts: &'static [&str]| {
        let links = (0..4).map(move |i| {
            let host = hosts[i % hosts.len()];
            link(&format!("{host}{prefix}-{i}"))
                .id(&format!("{prefix}-{i}"))
                .build()
        });
        let (store, links) = (Arc::clone(&store), links.collect());
        tokio::spawn(async move { insert_together(&store, links).await })
    };
    let together = insert("a", &["go.example/", ""]);
    let batch = {
        let (store, made) = (Arc::clone(&store), link("go.example/batch").build());
        tokio::spawn(async move { store.insert_many(&ALL, &[made], &NOTE).await.unwrap() })
    };
    until_waiting(&schema, 2).await;
    let delete = removal.execute_unprepared("DELETE FROM domains").await;
    delete.unwrap();
    removal.commit().await.unwrap();
    for (inserted, outcome) in together.await.unwrap() {
        let is_refused = inserted.starts_with("go");
        assert_eq!(outcome, Ok(stored_unless(is_refused)), "{inserted}");
    }
    assert_eq!(batch.await.unwrap(), [Insertion::NoDomain]);
    let left = "SELECT count(*) FROM short_links WHERE domain <> ''";
    assert_eq!(number(schema.connection(), left).await, 0);
}
