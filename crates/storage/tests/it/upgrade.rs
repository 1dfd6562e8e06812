//! Databases of earlier versions get a key of two parts for their links, and lose none.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
};

use sea_orm::{ConnectionTrait, DatabaseConnection};
use slugline_domain::{
    AuditQuery, Link, LinkFilter, Reach, SearchText, StatusFilter,
    ports::{AuditTrail, Insertion, LinkStore},
};
use slugline_storage::{Database, DatabaseUrl, SchemaConnection, SchemaError, SqlLinkStore};
use slugline_testkit::{NOON, NOTE, link};

use crate::on_postgres::{self, Fresh};

/// The last steps of earlier versions.
const EARLIER: [&str; 2] = ["m0010_tags_in_rows", "m0013_assistants"];

/// What such a version wrote.
const LINKS: &str = "
    INSERT INTO links (id, slug, destination, comment, search_text, destination_key, created_at,
        updated_at, expires_at, revision, tags, tags_revision)
    VALUES
        ('id-docs', 'docs', 'https://example.com/', 'Spring', 'docs\nhttps://example.com/\nspring\nnews',
        'k', 1800000000, 1800000000, NULL, 3, 'Tnews', 3),
        ('id-Docs', 'Docs', 'https://example.com/', NULL, 'docs\nhttps://example.com/',
        'k', 1799999999, 1800000000, 1, 0, NULL, 0);
    UPDATE links SET google = 'https://apps.example/Docs', geo = 'DE https://de.example/'
        WHERE slug = 'Docs';
    INSERT INTO link_tags (link_id, tag) VALUES ('id-docs', 'news');
    INSERT INTO audit_trail (at, caller, operation, slug) VALUES (1, 'CI', 'link.create', 'docs');
";

/// Its statements about links.
const STATEMENTS: [&str; 8] = [
    "SELECT id, slug, destination FROM links WHERE slug = 'docs'",
    "SELECT id FROM links ORDER BY created_at DESC, slug LIMIT 1",
    "SELECT count(number) FROM links",
    "SELECT id FROM links WHERE id IN ('id-docs') AND password_hash IS NULL",
    "INSERT INTO links (id, slug, destination, search_text, destination_key, created_at, updated_at) \
     VALUES ('a', 'a', 'https://example.com/', '', '', 1, 1)",
    "UPDATE links SET comment = 'x' WHERE slug = 'docs'",
    "DELETE FROM links WHERE slug = 'docs'",
    "DELETE FROM links WHERE number = 1",
];

async fn of_earlier_version(url: &DatabaseUrl, last: &str) -> SchemaConnection {
    let schema = SchemaConnection::open(url).await.unwrap();
    let database = schema.connection();
    slugline_migrations::run_until(database, last)
        .await
        .unwrap();
    run(database, LINKS).await;
    for statement in &STATEMENTS[..4] {
        run(database, statement).await;
    }
    schema
}

async fn run(connection: &DatabaseConnection, statements: &str) {
    connection.execute_unprepared(statements).await.unwrap();
}

/// Checks a database after its upgrade.
async fn has_kept_its_links(schema: &SchemaConnection, url: &DatabaseUrl) {
    let store = SqlLinkStore::open(url).await.unwrap();
    let docs = store.find(&link("docs").build().key).await.unwrap();
    let expected = link("docs").comment("Spring").tags(&["news"]).build();
    let revision = slugline_domain::Revision::new(3);
    assert_eq!(
        docs,
        Some(Link {
            revision,
            ..expected
        })
    );
    let spring = LinkFilter::default().with_text(SearchText::parse("spring").unwrap());
    assert_eq!(store.count(&spring, NOON).await.unwrap(), 1);
    let all = LinkFilter::default().with_status(StatusFilter::All);
    let found = store.search(&all, NOON, 9).await.unwrap();
    let keys: Vec<String> = found.iter().map(|link| link.key.to_string()).collect();
    assert_eq!(keys, ["Docs", "docs"]);
    for text in ["apps.example/docs", "https://de.example"] {
        let text = SearchText::parse(text).unwrap();
        let found = store.count(&all.clone().with_text(text), NOON).await;
        assert_eq!(found.unwrap(), 1);
    }
    let tags = store.tags(&Reach::Everything, None).await.unwrap();
    assert_eq!(tags.len(), 1);
    let lines = store.lines(&AuditQuery::new(9)).await.unwrap();
    assert_eq!(lines[0].key, Some(link("docs").build().key));

    // A new link finds its place, and an expired one of before makes way.
    on_postgres::name(schema, "go.example").await;
    for made in [
        link("go.example/docs").build(),
        link("Docs").id("new").build(),
    ] {
        let inserted = store.insert(&made, &NOTE).await.unwrap();
        assert_eq!(inserted, Insertion::Stored);
    }
    for statement in STATEMENTS {
        let refused = schema.connection().execute_unprepared(statement).await;
        assert!(refused.is_err(), "{statement}");
    }
}

#[tokio::test]
async fn files_of_earlier_versions_keep_their_links() {
    for last in EARLIER {
        let folder = tempfile::tempdir().unwrap();
        let url = DatabaseUrl::File(folder.path().join("links.db"));
        let schema = of_earlier_version(&url, last).await;
        schema.update().await.unwrap();
        has_kept_its_links(&schema, &url).await;
    }
}

#[tokio::test]
async fn on_postgres_databases_of_earlier_versions_keep_their_links() {
    for last in EARLIER {
        let Fresh { url, .. } = on_postgres::fresh(&format!("upgrade_{}", &last[..5])).await;
        let schema = of_earlier_version(&url, last).await;
        schema.update().await.unwrap();
        has_kept_its_links(&schema, &url).await;
    }
}

/// Another process that has read the file and waits, as an idle service does.
fn idle_process(file: &Path) -> Child {
    const HOLD: &str = "import sqlite3, sys\n\
                        links = sqlite3.connect(sys.argv[1])\n\
                        print(links.execute('SELECT count(*) FROM links').fetchone(), flush=True)\n\
                        sys.stdin.read()";
    let mut process = Command::new("python3")
        .args(["-c", HOLD])
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = String::new();
    let mut output = BufReader::new(process.stdout.as_mut().unwrap());
    output.read_line(&mut said).unwrap();
    assert_eq!(said, "(2,)\n");
    process
}

#[tokio::test]
async fn a_file_that_another_process_has_open_is_not_upgraded() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("links.db");
    let url = DatabaseUrl::File(file.clone());
    let schema = of_earlier_version(&url, "m0013_assistants").await;

    let mut process = idle_process(&file);
    let refused = schema.update().await.unwrap_err();
    assert!(matches!(refused, SchemaError::InUse(_)), "{refused}");
    let said = refused.to_string();
    assert!(
        said.contains("stop every slugline of an earlier version"),
        "{said}"
    );
    assert_eq!(schema.pending().await.unwrap()[0], "m0014_domains");
    // Nothing is changed or locked.
    let other = rusqlite::Connection::open(&file).unwrap();
    let edit = "UPDATE links SET comment = 'Spring' WHERE slug = 'docs'";
    assert_eq!(other.execute(edit, []).unwrap(), 1);
    drop(other);

    process.kill().unwrap();
    process.wait().unwrap();
    // A connection of the same process counts as well.
    let other = rusqlite::Connection::open(&file).unwrap();
    let count = "SELECT count(*) FROM links";
    let links: u32 = other.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(links, 2);
    let refused = schema.update().await.unwrap_err();
    assert!(matches!(refused, SchemaError::InUse(_)), "{refused}");
    drop(other);
    schema.update().await.unwrap();
    has_kept_its_links(&schema, &url).await;
}

#[tokio::test]
async fn on_postgres_a_database_with_other_sessions_is_not_upgraded() {
    let Fresh { url, .. } = on_postgres::fresh("upgrade_in_use").await;
    let schema = of_earlier_version(&url, "m0013_assistants").await;
    // Its pool has an idle session.
    let earlier = Database::open(&url).await.unwrap();
    let refused = schema.update().await.unwrap_err();
    let said = refused.to_string();
    assert!(matches!(refused, SchemaError::InUse(_)), "{said}");
    assert!(said.contains("uses the database: process "), "{said}");
    assert_eq!(schema.pending().await.unwrap()[0], "m0014_domains");
    drop(earlier);

    // New nodes that start together wait for each other.
    let nodes: Vec<_> = (0..4)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move {
                let schema = SchemaConnection::open(&url).await.unwrap();
                schema.update().await.unwrap();
                Database::open(&url).await.unwrap()
            })
        })
        .collect();
    for node in nodes {
        node.await.unwrap();
    }
    has_kept_its_links(&schema, &url).await;
}
