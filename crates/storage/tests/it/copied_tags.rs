//! The copy of a link's tags in its row.

use sea_orm::{ConnectionTrait, DatabaseConnection};
use slugline_domain::{
    Link, LinkFilter, StatusFilter,
    ports::{LinkStore, Update, Version},
};
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SqlLinkStore};
use slugline_testkit::{NOON, NOTE, key, link};

use crate::on_postgres::{self, Fresh};

/// The statements of a node that does not know the copy.
const EDIT_BY_AN_EARLIER_VERSION: &str = "
    UPDATE short_links SET revision = revision + 1 WHERE id = 'id-docs';
    DELETE FROM link_tags WHERE link_id = 'id-docs';
    INSERT INTO link_tags (link_id, tag) VALUES ('id-docs', 'sale'), ('id-docs', 'b\nc');
";
const INSERT_BY_AN_EARLIER_VERSION: &str = "
    INSERT INTO short_links
        (id, slug, destination, search_text, destination_key, created_at, updated_at, revision)
        VALUES ('id-old', 'old', 'https://e.example/', 'old', 'key', 1, 1, 0);
    INSERT INTO link_tags (link_id, tag) VALUES ('id-old', 'former');
";

/// Links before there was a copy.
const LINKS_OF_AN_EARLIER_VERSION: &str = "
    INSERT INTO links
        (id, slug, destination, search_text, destination_key, created_at, updated_at, revision)
        VALUES ('id-docs', 'docs', 'https://e.example/', 'docs', 'key', 1, 1, 4),
               ('id-plain', 'plain', 'https://e.example/', 'plain', 'key', 1, 1, 0);
    INSERT INTO link_tags (link_id, tag) VALUES ('id-docs', 'news'), ('id-docs', 'sale');
";

#[tokio::test]
async fn on_sqlite_tags_by_an_earlier_version_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    tags_by_an_earlier_version_are_read(&url).await;
}

#[tokio::test]
async fn on_postgres_tags_by_an_earlier_version_are_read() {
    let Fresh { url, .. } = on_postgres::fresh("copied_tags").await;
    tags_by_an_earlier_version_are_read(&url).await;
}

async fn tags_by_an_earlier_version_are_read(url: &DatabaseUrl) {
    let schema = SchemaConnection::open(url).await.unwrap();
    schema.update().await.unwrap();
    let store = SqlLinkStore::new(Database::open(url).await.unwrap());
    let made = link("docs").tags(&["news"]).build();
    store.insert(&made, &NOTE).await.unwrap();

    run(schema.connection(), EDIT_BY_AN_EARLIER_VERSION).await;
    assert_eq!(tags_of(&store, "docs").await, ["b\nc", "sale"]);
    run(schema.connection(), INSERT_BY_AN_EARLIER_VERSION).await;
    assert_eq!(tags_of(&store, "old").await, ["former"]);

    // A change by this version brings the copy up to date, which then suffices.
    let known = Version::of(&store.find(&made.key).await.unwrap().unwrap());
    let edited = Link {
        revision: known.revision.next(),
        content: link("docs").tags(&["x", "y"]).build().content,
        ..made
    };
    let updated = store.update(&edited, &known, &NOTE).await;
    assert_eq!(updated.unwrap(), Update::Stored);
    run(schema.connection(), "DELETE FROM link_tags").await;
    assert_eq!(tags_of(&store, "docs").await, ["x", "y"]);
}

#[tokio::test]
async fn a_new_schema_copies_the_tags_of_links_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = DatabaseUrl::File(folder.path().join("links.db"));
    let schema = SchemaConnection::open(&url).await.unwrap();
    slugline_migrations::run_until(schema.connection(), "m0009_audit")
        .await
        .unwrap();
    run(schema.connection(), LINKS_OF_AN_EARLIER_VERSION).await;
    schema.update().await.unwrap();
    run(schema.connection(), "DELETE FROM link_tags").await;
    let store = SqlLinkStore::new(Database::open(&url).await.unwrap());
    assert_eq!(tags_of(&store, "docs").await, ["news", "sale"]);
    assert_eq!(tags_of(&store, "plain").await, [""; 0]);
}

/// The tags of a link, which the store finds in the same way by its slug and in a search.
async fn tags_of(store: &SqlLinkStore, text: &str) -> Vec<String> {
    let found = store.find(&key(text)).await.unwrap().unwrap();
    let only = LinkFilter::default()
        .with_keys(vec![key(text)])
        .with_status(StatusFilter::All);
    let searched = store.search(&only, NOON, 1).await.unwrap();
    assert_eq!(searched, std::slice::from_ref(&found));
    found.content.tags.iter().map(ToString::to_string).collect()
}

async fn run(connection: &DatabaseConnection, statements: &str) {
    connection.execute_unprepared(statements).await.unwrap();
}
