//! Opening: tables, retention, and refusals.

use std::{num::NonZeroU32, time::Duration};

use rstest::rstest;
use slugline_domain::with_causes;
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
};

use super::{
    address::Address,
    recording::{Recording, open, options},
};
use crate::{client::Client, row_binary::text, schema};

const TIMEOUT: Duration = Duration::from_mins(1);

async fn texts(client: &Client, sql: &str) -> Vec<String> {
    client.rows(sql, TIMEOUT, text).await.unwrap()
}

#[tokio::test]
async fn tables_are_made_once_by_however_many_nodes_and_retention_follows_the_setting() {
    let address = Address::shared(Library);
    let client = address.client();
    let days = NonZeroU32::new;
    let (one, other) = tokio::join!(
        schema::prepare(&client, days(90)),
        schema::prepare(&client, days(90))
    );
    one.unwrap();
    other.unwrap();
    let row_end = async |table: &str| {
        let sql = "SELECT engine_full FROM system.tables WHERE database = currentDatabase()";
        let sql = format!("{sql} AND name = '{table}'");
        let found = texts(&client, &sql).await;
        let found = found[0].split(" TTL ").nth(1).map(str::to_owned);
        found.map(|end| end.split(" SETTINGS").next().unwrap().to_owned())
    };
    for days_kept in [90, 30] {
        schema::prepare(&client, days(days_kept)).await.unwrap();
        for (table, end) in schema::ROW_ENDS {
            let expected = format!("{end}({days_kept})");
            assert_eq!(row_end(table).await.unwrap(), expected);
        }
    }
    schema::prepare(&client, None).await.unwrap();
    for (table, _) in schema::ROW_ENDS {
        assert_eq!(row_end(table).await, None);
    }
    let versions = texts(
        &client,
        "SELECT toString(max(version)) FROM slugline_schema",
    )
    .await;
    assert_eq!(versions, ["1"]);
}

#[rstest]
#[tokio::test]
async fn tables_of_an_earlier_build_are_refused_by_name_and_stay(
    #[values(Library, Server)] engine: ClickHouseEngine,
    #[values(
        "CREATE TABLE slugline_schema (version UInt32) ENGINE = MergeTree ORDER BY version",
        "CREATE TABLE slugline_schema (version UInt32, fingerprint UInt64) ENGINE = MergeTree \
         ORDER BY version"
    )]
    versions: &str,
) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let database = address.target.database();
    let client = address.client();
    let outside = client.outside();
    outside
        .run(&format!("CREATE DATABASE {database}"), TIMEOUT)
        .await
        .unwrap();
    client.run(versions, TIMEOUT).await.unwrap();
    let of_before = if versions.contains("fingerprint") {
        "1, 7"
    } else {
        "10"
    };
    let note = format!("INSERT INTO slugline_schema SELECT {of_before}");
    client.run(&note, TIMEOUT).await.unwrap();
    let (options, _) = options(&address, folder.path());
    let error = with_causes(&open(options).await.unwrap_err());
    assert!(
        error.contains(&format!("database {database} is of an earlier build")),
        "{error}"
    );
    assert!(error.contains("slugline visits export"), "{error}");
    assert!(!folder.path().join("spool.db").exists());
    let tables = "SELECT name FROM system.tables WHERE database = currentDatabase()";
    assert_eq!(texts(&client, tables).await, ["slugline_schema"]);
}

#[rstest]
#[tokio::test]
async fn tables_that_vanish_are_made_again(#[values(Library, Server)] engine: ClickHouseEngine) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&address, folder.path()).await;
    let drop = format!("DROP DATABASE {}", address.target.database());
    address.client().run(&drop, TIMEOUT).await.unwrap();
    recording.record(0..10);
    recording.expect(10).await;
}

#[rstest]
#[tokio::test]
async fn a_wrong_password_is_refused_with_clickhouses_words(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let folder = tempfile::tempdir().unwrap();
    let url = ClickHouse::shared(engine).url_with("guess", "visits");
    let address = Address::at(&url, engine);
    let (options, _) = options(&address, folder.path());
    let error = with_causes(&open(options).await.unwrap_err());
    assert!(error.contains("ClickHouse at http://127.0.0.1:"), "{error}");
    assert!(error.contains("password"), "{error}");
    assert!(!error.contains("guess"), "{error}");
    assert!(!folder.path().join("spool.db").exists());
}

#[tokio::test]
async fn a_server_that_is_not_clickhouse_is_refused() {
    // This server answers GET, but no POST to its root.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::{Read, Write};
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 8_192]);
            let _ = stream.write_all(b"HTTP/1.1 405 Nope\r\ncontent-length: 2\r\n\r\nno");
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let address = Address::at(&format!("clickhouse+http://127.0.0.1:{port}"), Server);
    let (options, _) = options(&address, folder.path());
    let error = with_causes(&open(options).await.unwrap_err());
    assert!(error.contains("refuses with status 405"), "{error}");
}

#[tokio::test]
async fn the_password_is_in_no_debug_output() {
    let client = Address::at("clickhouse+http://ana:hunter2@h/v", Server).client();
    assert!(!format!("{client:?}").contains("hunter2"));
}
