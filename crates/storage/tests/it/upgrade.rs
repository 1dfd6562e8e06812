//! Databases that another version or another build of the program made.

use sea_orm::ConnectionTrait;
use slugline_domain::ports::LinkStore;
use slugline_migrations::{STEPS, Step, pending, run};
use slugline_storage::{DatabaseUrl, OpenError, SchemaConnection, SchemaError, SqlLinkStore};
use slugline_testkit::{ALL, NOTE, assert_matches, link};

use crate::{on_postgres, on_sqlite};

/// A step of a later version.
const SECOND: Step = Step {
    name: "0.2.0",
    sqlite: "ALTER TABLE short_links ADD COLUMN more text;",
    postgres: "ALTER TABLE short_links ADD COLUMN more text;",
};

/// The same step with a mistake in its last statement.
const MISTAKEN: Step = Step {
    name: SECOND.name,
    sqlite: "ALTER TABLE short_links ADD COLUMN more text; DROP TABLE nothing;",
    postgres: "ALTER TABLE short_links ADD COLUMN more text; DROP TABLE nothing;",
};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn a_file_gets_the_step_of_a_later_version_once_and_keeps_its_links() {
    let (_folder, url) = on_sqlite::file();
    is_upgraded(&url).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn on_postgres_a_database_gets_the_step_of_a_later_version_once_and_keeps_its_links() {
    is_upgraded(&on_postgres::fresh("upgrade").await.url).await;
}

async fn is_upgraded(url: &DatabaseUrl) {
    let later = [STEPS, &[SECOND]].concat();
    let store = SqlLinkStore::open(url).await.unwrap();
    let before = link("before").tags(&["news"]).build();
    store.insert(&ALL, &before, &NOTE).await.unwrap();
    let schema = SchemaConnection::open(url).await.unwrap();
    let database = schema.connection();
    assert_eq!(pending(database, &later).await.unwrap(), [SECOND.name]);

    // A step that fails leaves nothing behind.
    let mistaken = [STEPS, &[MISTAKEN]].concat();
    let failed = run(database, &mistaken).await.unwrap_err();
    assert_matches!(failed, SchemaError::Database(_));
    assert_eq!(schema.pending().await.unwrap(), [""; 0]);

    // Several nodes start together.
    let nodes = (0..4).map(|_| {
        let (url, later) = (url.clone(), later.clone());
        tokio::spawn(async move {
            let schema = SchemaConnection::open(&url).await.unwrap();
            run(schema.connection(), &later).await.unwrap();
        })
    });
    for node in nodes.collect::<Vec<_>>() {
        node.await.unwrap();
    }
    assert_eq!(pending(database, &later).await.unwrap(), [""; 0]);

    // A node of the version before goes on, and does not start again.
    assert_eq!(store.find(&before.key).await.unwrap(), Some(before));
    let beside = link("beside").build();
    store.insert(&ALL, &beside, &NOTE).await.unwrap();
    assert_eq!(store.find(&beside.key).await.unwrap(), Some(beside));
    for refused in [
        SqlLinkStore::open(url).await.unwrap_err(),
        SqlLinkStore::open_current(url).await.unwrap_err(),
    ] {
        let OpenError::Schema(SchemaError::Later(steps)) = refused else {
            panic!("{refused}");
        };
        assert_eq!(steps, [SECOND.name]);
    }
}

/// The mark of a build whose step 0.1.0 has other statements.
const OTHER_COMMIT: &str = "UPDATE slugline_steps SET fingerprint = '0123456789abcdef'";

/// The tables that a build before 0.1.0 has of ours.
const BEFORE_RELEASE: &str = "CREATE TABLE link_tags (link_id text NOT NULL, tag text NOT NULL)";

#[tokio::test]
async fn a_file_of_another_build_is_refused_and_stays_as_it_is() {
    for (made, shown) in [
        (OTHER_COMMIT, "0.1.0 has the fingerprint 0123456789abcdef"),
        (BEFORE_RELEASE, "from before 0.1.0"),
    ] {
        let (folder, url) = on_sqlite::file();
        if made == OTHER_COMMIT {
            drop(SqlLinkStore::open(&url).await.unwrap());
        }
        let file = folder.path().join("links.db");
        let hand = rusqlite::Connection::open(&file).unwrap();
        // A service would turn the file to the write-ahead log.
        hand.pragma_update(None, "journal_mode", "DELETE").unwrap();
        hand.execute_batch(made).unwrap();
        drop(hand);
        let before = std::fs::read(&file).unwrap();
        is_refused(&url, shown).await;
        assert_eq!(std::fs::read(&file).unwrap(), before);
    }
}

#[tokio::test]
async fn on_postgres_a_database_of_another_build_is_refused() {
    let (_, schema) = on_postgres::store("other_commit").await;
    let hand = schema.connection();
    hand.execute_unprepared(OTHER_COMMIT).await.unwrap();
    let refused = schema.update().await.unwrap_err();
    assert_matches!(refused, SchemaError::OtherBuild(_));

    let url = on_postgres::fresh("before_release").await.url;
    let schema = SchemaConnection::open(&url).await.unwrap();
    let hand = schema.connection();
    hand.execute_unprepared(BEFORE_RELEASE).await.unwrap();
    is_refused(&url, "from before 0.1.0").await;
}

async fn is_refused(url: &DatabaseUrl, shown: &str) {
    let schema = SchemaConnection::open(url).await.unwrap();
    for refused in [
        schema.update().await.unwrap_err(),
        schema.pending().await.unwrap_err(),
        schema.making().await.unwrap_err(),
    ] {
        assert_matches!(refused, SchemaError::OtherBuild(_));
        let said = refused.to_string();
        for part in [
            shown,
            "nothing was changed",
            "`slugline export",
            "`slugline visits import",
        ] {
            assert!(said.contains(part), "{said}");
        }
    }
    for refused in [
        SqlLinkStore::open(url).await.unwrap_err(),
        SqlLinkStore::open_current(url).await.unwrap_err(),
    ] {
        assert_matches!(refused, OpenError::Schema(SchemaError::OtherBuild(_)));
    }
}
