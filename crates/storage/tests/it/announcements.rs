//! PostgreSQL announces changes by any client.

use std::{
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use sea_orm::{ConnectionTrait, DatabaseConnection, TransactionTrait};
use slugline_domain::{
    Link, Revision, Scope, Scopes, TokenName, TokenRecord,
    ports::{Hearing, LinkChange, LinkObserver, LinkStore, Taking, TokenStore, Version},
};
use slugline_storage::{Database, Listening, SchemaConnection, SqlLinkStore};
use slugline_testkit::{ALL, DeleteByKey, NOON, NOTE, assert_matches, key, link, with};

use crate::on_postgres::{self, Fresh};

/// Records the changes it learns of.
#[derive(Debug, Default)]
struct Diary(Mutex<Vec<LinkChange>>);

impl LinkObserver for Diary {
    fn changed(&self, change: &LinkChange) {
        self.0.lock().unwrap().push(change.clone());
    }
}

/// A separate database, with a store that listens and another that does not.
struct Nodes {
    fresh: Fresh,
    raw: DatabaseConnection,
    listening: SqlLinkStore,
    other: SqlLinkStore,
    diary: Arc<Diary>,
    _listening: Listening,
}

impl Nodes {
    async fn start(name: &str) -> Self {
        let fresh = on_postgres::fresh(&format!("announcements_{name}")).await;
        let url = fresh.url.clone();
        let schema = SchemaConnection::open(&url).await.unwrap();
        schema.update().await.unwrap();
        let open = async || SqlLinkStore::new(Database::open(&url).await.unwrap());
        let (listening, other) = (open().await, open().await);
        let diary = Arc::<Diary>::default();
        let listener = listening.listen(diary.clone());
        let nodes = Self {
            fresh,
            raw: schema.connection().clone(),
            listening,
            other,
            diary,
            _listening: listener.expect("PostgreSQL announces"),
        };
        nodes.hears_otherwise_than(Hearing::Deaf).await;
        nodes
    }

    /// Waits until the store's hearing changes.
    async fn hears_otherwise_than(&self, before: Hearing) -> Hearing {
        until("another way to hear", || {
            let hearing = self.listening.hearing();
            (hearing != before).then_some(hearing)
        })
        .await
    }

    async fn sql(&self, statements: &str) {
        self.raw.execute_unprepared(statements).await.unwrap();
    }

    /// Returns and clears the changes announced so far.
    async fn announced(&self) -> Vec<LinkChange> {
        // Later transactions are announced later, so all earlier announcements have arrived.
        self.sql("INSERT INTO link_announcements (message) VALUES ('the-end')")
            .await;
        let end = changed("the-end", None);
        until("the end", || {
            let mut diary = self.diary.0.lock().unwrap();
            (diary.last() == Some(&end)).then(|| {
                diary.pop();
                std::mem::take(&mut *diary)
            })
        })
        .await
    }
}

async fn until<T>(what: &str, mut reached: impl FnMut() -> Option<T>) -> T {
    let asked = Instant::now();
    loop {
        if let Some(value) = reached() {
            return value;
        }
        assert!(asked.elapsed() < Duration::from_mins(5), "never: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn changed(text: &str, revision: Option<i64>) -> LinkChange {
    LinkChange {
        key: key(text),
        revision: revision.map(Revision::new),
    }
}

#[tokio::test]
async fn a_counted_visit_is_announced_to_nobody() {
    let nodes = Nodes::start("visits").await;
    let limited = link("limited").max_visits(2).build();
    nodes.other.insert(&ALL, &limited, &NOTE).await.unwrap();
    nodes.announced().await;
    for taken in [Taking::Taken, Taking::Taken, Taking::UsedUp] {
        let outcome = nodes.other.take_visit(&limited.id, limited.revision).await;
        assert_eq!(outcome.unwrap(), taken);
    }
    assert_eq!(nodes.announced().await, []);
    // A person who mends a link by hand changes more than the count.
    let by_hand = "UPDATE short_links SET visits_used = 0, destination = 'https://example.org/'";
    nodes.sql(by_hand).await;
    assert_eq!(nodes.announced().await, [changed("limited", None)]);
}

#[tokio::test]
async fn every_kind_of_change_is_announced_once_it_is_committed() {
    let nodes = Nodes::start("kinds").await;
    let docs = link("docs").build();
    nodes.other.insert(&ALL, &docs, &NOTE).await.unwrap();
    assert_eq!(nodes.announced().await, [changed("docs", Some(0))], "new");

    let edited = with(docs.clone(), |it| it.revision = docs.revision.next());
    let other = &nodes.other;
    let updated = other.update(&edited, &Version::of(&docs), &NOTE).await;
    updated.unwrap();
    assert_eq!(nodes.announced().await, [changed("docs", Some(1))], "edit");

    // For example, renewing a hash: not a new version.
    let renewed = edited.clone();
    let updated = other.update(&renewed, &Version::of(&edited), &NOTE).await;
    updated.unwrap();
    assert_eq!(nodes.announced().await, [changed("docs", None)], "renewed");

    nodes.other.delete(&docs.key, &NOTE).await.unwrap();
    assert_eq!(nodes.announced().await, [changed("docs", None)], "gone");

    let batch = [link("one").build(), link("two").build()];
    nodes.other.insert_many(&ALL, &batch, &NOTE).await.unwrap();
    let both = [changed("one", Some(0)), changed("two", Some(0))];
    assert_eq!(nodes.announced().await, both, "batch");

    let by_hand = "UPDATE short_links SET slug = 'three' WHERE slug = 'two'";
    nodes.sql(by_hand).await;
    let both = [changed("three", None), changed("two", None)];
    assert_eq!(nodes.announced().await, both, "another slug, by hand");
}

#[tokio::test]
async fn nothing_is_announced_that_did_not_happen() {
    let nodes = Nodes::start("undone").await;
    let docs = link("docs").build();
    nodes.other.insert(&ALL, &docs, &NOTE).await.unwrap();
    nodes.announced().await;
    nodes.other.insert(&ALL, &docs, &NOTE).await.unwrap();
    let batch = std::slice::from_ref(&docs);
    nodes.other.insert_many(&ALL, batch, &NOTE).await.unwrap();
    let overtaken = with(Version::of(&docs), |it| it.revision = docs.revision.next());
    nodes.other.update(&docs, &overtaken, &NOTE).await.unwrap();
    nodes.other.delete(&key("nobody"), &NOTE).await.unwrap();
    nodes.sql("BEGIN; DELETE FROM short_links; ROLLBACK").await;
    assert_eq!(nodes.announced().await, []);
}

#[tokio::test]
async fn a_transaction_that_commits_late_is_announced_then() {
    let nodes = Nodes::start("late").await;
    let late = nodes.raw.begin().await.unwrap();
    let insert = "INSERT INTO short_links (id, slug, destination, folded_text, destination_key, \
                  created_at, updated_at) VALUES ('1', 'late', 'https://example.com/', '', '', 0, 0)";
    late.execute_unprepared(insert).await.unwrap();
    let early = link("early").build();
    nodes.other.insert(&ALL, &early, &NOTE).await.unwrap();
    assert_eq!(nodes.announced().await, [changed("early", Some(0))]);
    late.commit().await.unwrap();
    assert_eq!(nodes.announced().await, [changed("late", Some(0))]);
}

#[tokio::test]
async fn a_session_with_another_search_path_announces_too() {
    let nodes = Nodes::start("search_path").await;
    let docs = link("docs").build();
    nodes.other.insert(&ALL, &docs, &NOTE).await.unwrap();
    nodes.announced().await;
    let elsewhere =
        "BEGIN; SET LOCAL search_path = pg_catalog; DELETE FROM public.short_links; COMMIT";
    nodes.sql(elsewhere).await;
    assert_eq!(nodes.announced().await, [changed("docs", None)]);
}

#[tokio::test]
async fn batches_of_any_size_are_announced() {
    let nodes = Nodes::start("batches").await;
    // Slugs of the maximum length, so that a message holds few.
    let long = (0..50).map(|i| link(&format!("{i:02}{}", "x".repeat(2_046))).build());
    let long: Vec<Link> = long.collect();
    nodes.other.insert_many(&ALL, &long, &NOTE).await.unwrap();
    let expected = long
        .iter()
        .map(|link| changed(link.key.slug.as_str(), Some(0)));
    assert_eq!(nodes.announced().await, expected.collect::<Vec<_>>());

    let many = (0..3_000).map(|i| link(&format!("many-{i:04}")).build());
    let many: Vec<Link> = many.collect();
    let before = nodes.listening.hearing();
    nodes.other.insert_many(&ALL, &many, &NOTE).await.unwrap();
    assert_eq!(nodes.announced().await.len(), many.len());
    assert_eq!(nodes.listening.hearing(), before, "each by its name");

    let bulk = "INSERT INTO short_links (id, slug, destination, folded_text, destination_key, \
                created_at, updated_at) SELECT 'id-' || i, 'bulk-' || i, 'https://example.com/', '', \
                '', 0, 0 FROM generate_series(1, 10001) AS i";
    nodes.sql(bulk).await;
    assert_eq!(nodes.announced().await, [], "too many to name");
    let after_insert = nodes.hears_otherwise_than(before).await;
    nodes.sql("UPDATE short_links SET comment = 'x'").await;
    let after_update = nodes.hears_otherwise_than(after_insert).await;
    nodes.sql("TRUNCATE short_links CASCADE").await;
    nodes.hears_otherwise_than(after_update).await;
}

#[tokio::test]
async fn a_listener_that_was_cut_is_back_and_knows_that_it_missed_something() {
    let nodes = Nodes::start("cut").await;
    for round in 0..5 {
        let before = nodes.listening.hearing();
        assert_matches!(before, Hearing::Announced(_));
        nodes.fresh.cut().await;
        let made = link(&format!("during-{round}")).build();
        nodes.other.insert(&ALL, &made, &NOTE).await.unwrap();
        until("it hears again", || match nodes.listening.hearing() {
            Hearing::Announced(number) => (Hearing::Announced(number) != before).then_some(()),
            Hearing::Deaf | Hearing::Counted(_) => None,
        })
        .await;
        let found = nodes.listening.find(&made.key).await.unwrap();
        assert_eq!(found, Some(made));
    }
}

#[tokio::test]
async fn a_revoked_token_is_announced_and_a_used_one_is_not() {
    let nodes = Nodes::start("tokens").await;
    let (here, there) = (nodes.listening.tokens(), nodes.other.tokens());
    let name = TokenName::parse("ci").unwrap();
    let token = TokenRecord {
        name: name.clone(),
        digest: [1; 32],
        scopes: Scopes::new([Scope::LinksRead]).unwrap(),
        reach: slugline_domain::Reach::Everything,
        expires_at: None,
        created_at: NOON,
        last_used_at: None,
        assistant: None,
    };
    let (links, tokens) = (nodes.listening.hearing(), here.hearing());
    there.insert(&token, &NOTE).await.unwrap();
    there.touch(&name, NOON).await.unwrap();
    nodes.announced().await;
    assert_eq!(here.hearing(), tokens);
    let mut before = tokens;
    for sql in [
        "UPDATE tokens SET scopes = 'admin'",
        "DELETE FROM tokens",
        "TRUNCATE tokens",
    ] {
        nodes.sql(sql).await;
        before = hears_otherwise(&here, before).await;
    }
    there.revoke(&name, &NOTE).await.unwrap();
    hears_otherwise(&here, before).await;
    assert_eq!(nodes.listening.hearing(), links, "links stay in memory");
}

async fn hears_otherwise(tokens: &impl TokenStore, before: Hearing) -> Hearing {
    until("another way to hear", || {
        let hearing = tokens.hearing();
        (hearing != before).then_some(hearing)
    })
    .await
}

#[tokio::test]
async fn a_listener_that_is_dropped_hears_no_more() {
    let Nodes {
        diary,
        _listening: listening,
        ..
    } = Nodes::start("dropped").await;
    let observed = Arc::downgrade(&diary);
    drop(diary);
    drop(listening);
    let is_dropped = || observed.upgrade().is_none().then_some(());
    until("the observer is dropped", is_dropped).await;
}
