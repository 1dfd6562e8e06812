//! A real server on a real wire, also when it is killed.

use std::{iter, time::Duration};

use rstest::rstest;
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
};
use tokio::time::sleep;

use super::{
    address::Address,
    recording::{Recording, eventually, waiting},
};
use crate::{
    error::ClickHouseError,
    row_binary::{ReadRow, number, put_text},
    schema,
};

const TIMEOUT: Duration = Duration::from_mins(1);

#[rstest]
#[tokio::test]
async fn nothing_is_lost_when_clickhouse_is_killed_while_visits_arrive(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    const VISITS: u32 = 10_000;

    let folder = tempfile::tempdir().unwrap();
    let mut server = ClickHouse::start(engine);
    let recording = Recording::start(&Address::of(&server), folder.path()).await;
    let mut recorded = 0;
    for moment in [0, 5, 20] {
        let before = recording.wire.shipments();
        recording.record(recorded..recorded + VISITS);
        recorded += VISITS;
        while recording.wire.shipments() == before {
            sleep(Duration::from_millis(1)).await;
        }
        sleep(Duration::from_millis(moment)).await;
        server = server.kill().restart();
        recording.recorder.flush().await.unwrap();
    }
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    assert_eq!(recording.recorder.dropped(), 0);
    recording.expect_all_of(recorded.into()).await;
}

#[tokio::test]
async fn a_connection_that_the_server_has_closed_is_not_missed() {
    let client = Address::shared(Server).client();
    schema::prepare(&client, None).await.unwrap();
    let mut row = Vec::new();
    put_text(&mut row, "https://example.com/");
    sleep(ClickHouse::KEEP_ALIVE * 3 / 2).await;
    let inserted = client.insert("access_log (url)", "token", row, TIMEOUT);
    inserted.await.unwrap();
    sleep(ClickHouse::KEEP_ALIVE * 3 / 2).await;
    let sql = "SELECT count() FROM access_log";
    let found = client.rows(sql, TIMEOUT, number).await.unwrap();
    assert_eq!(found, [1]);
}

#[tokio::test]
async fn a_body_of_many_megabytes_arrives_whole() {
    const ROWS: usize = 100;
    const BYTES: usize = 500_000;

    let client = Address::shared(Server).client();
    schema::prepare(&client, None).await.unwrap();
    let text = "x".repeat(BYTES);
    let rows = iter::repeat_with(|| {
        let mut row = Vec::new();
        put_text(&mut row, &text);
        row
    });
    let rows = rows.take(ROWS).flatten().collect();
    let inserted = client.insert("access_log (url)", "token", rows, TIMEOUT);
    inserted.await.unwrap();
    let sql = "SELECT sum(length(url)) FROM access_log";
    let found = client.rows(sql, TIMEOUT, number).await.unwrap();
    assert_eq!(found, [u64::try_from(ROWS * BYTES).unwrap()]);
    // The client reads the text back unchanged.
    let sql = "SELECT url FROM access_log";
    let read: ReadRow<String> = |row| row.text();
    let found = client.rows(sql, TIMEOUT, read).await.unwrap();
    assert!(found.iter().all(|found| *found == text));
}

#[tokio::test]
async fn an_error_after_many_rows_is_an_error() {
    let client = Address::shared(Server).client().outside();
    let sql = "SELECT number + throwIf(number = 3000000) FROM system.numbers";
    let all = client.rows(sql, TIMEOUT, number).await.unwrap_err();
    let stream = client.stream(sql, TIMEOUT, number).await.unwrap_err();
    for error in [all, stream] {
        let ClickHouseError::Refused { code, .. } = error else {
            panic!("{error:?}");
        };
        assert_eq!(code, Some(395));
    }
}

#[tokio::test]
async fn an_answer_that_the_server_gives_up_came_too_late() {
    let client = Address::shared(Server).client().outside();
    // Shorter than the client's own timeout, so that the server gives up first.
    let sql = "SELECT count() FROM system.numbers SETTINGS max_execution_time = 1";
    let error = client.rows(sql, TIMEOUT, number).await.unwrap_err();
    assert!(
        matches!(error, ClickHouseError::Deadline { .. }),
        "{error:?}"
    );
}
