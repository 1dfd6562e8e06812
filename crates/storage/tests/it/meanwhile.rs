//! Changes that meet others between two of their statements on PostgreSQL. SQLite has one writer.

use sea_orm::{ConnectionTrait, TransactionTrait};
use slugline_domain::{
    Purge, Revision,
    history::LinkHistory,
    ports::{Deletion, Insertion, LinkStore, Update, Version},
};
use slugline_testkit::{ALL, NOTE, link};

use crate::on_postgres::{self, until_waiting};

async fn run(connection: &impl ConnectionTrait, sql: &str) {
    connection.execute_unprepared(sql).await.unwrap();
}

#[tokio::test]
async fn a_purge_that_meets_a_return_takes_nothing_and_locks_no_link_after_its_versions() {
    let (store, schema) = on_postgres::store("purge_return").await;
    let docs = link("docs").build();
    store.insert(&ALL, &docs, &NOTE).await.unwrap();
    let known = Version::of(&docs);
    let deleted = store.delete_version(&docs.key, &known, &NOTE).await;
    assert_eq!(deleted.unwrap(), Deletion::Deleted);
    let back = schema.connection().begin().await.unwrap();
    run(&back, "SELECT 1 FROM link_versions FOR UPDATE").await;
    let purge = store.purge(&docs.id, None, &NOTE);
    let bring_back = async {
        until_waiting(&schema, 1).await;
        let again = link("docs").build();
        let insert = store.insert(&ALL, &again, &NOTE).await;
        assert_eq!(insert.unwrap(), Insertion::Stored);
        // An edit has the link locked, and wants its versions.
        let edit = schema.connection().begin().await.unwrap();
        run(&edit, "SELECT 1 FROM short_links FOR UPDATE").await;
        back.commit().await.unwrap();
        run(&edit, "SELECT 1 FROM link_versions FOR UPDATE").await;
        edit.commit().await.unwrap();
    };
    let (purged, ()) = tokio::join!(purge, bring_back);
    assert_eq!(purged.unwrap(), Purge::Outdated);
    assert_eq!(store.find(&docs.key).await.unwrap(), Some(docs));
}

#[tokio::test]
async fn a_link_takes_the_slug_of_one_that_was_deleted_meanwhile() {
    let (store, schema) = on_postgres::store("insert_deleted").await;
    // The first inserts meet a link that is gone when its owner is looked up.
    let fault = "CREATE SEQUENCE met;
                 CREATE FUNCTION meets() RETURNS trigger LANGUAGE plpgsql AS \
                 'BEGIN IF nextval(''met'') <= 2 THEN RETURN NULL; END IF; RETURN new; END';
                 CREATE TRIGGER meets BEFORE INSERT ON short_links
                 FOR EACH ROW EXECUTE FUNCTION meets()";
    run(schema.connection(), fault).await;
    let docs = link("docs").build();
    let taken = link("other").id(docs.id.as_str()).build();
    for (link, outcome) in [(docs, Insertion::Stored), (taken, Insertion::IdTaken)] {
        assert_eq!(store.insert(&ALL, &link, &NOTE).await.unwrap(), outcome);
    }
}

#[tokio::test]
async fn a_history_is_read_at_one_moment() {
    let (store, _schema) = on_postgres::store("one_moment").await;
    let docs = link("docs").build();
    store.insert(&ALL, &docs, &NOTE).await.unwrap();
    let write = async {
        let mut link = docs.clone();
        for _ in 0..300 {
            let known = Version::of(&link);
            link.revision = link.revision.next();
            let updated = store.update(&link, &known, &NOTE).await;
            assert_eq!(updated.unwrap(), Update::Stored);
        }
    };
    let read = async {
        let mut revision = Revision::FIRST;
        while revision.get() < 300 {
            let versions = store.versions(&docs.id).await.unwrap();
            revision = versions.current.unwrap().revision;
            let former = versions.former.first();
            let former = former.map(|former| former.link.revision.next());
            assert_eq!(former.unwrap_or(Revision::FIRST), revision);
        }
    };
    tokio::join!(write, read);
}
