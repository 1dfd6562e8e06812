//! Tests of erasing the visits of a link.

use std::{path::Path, sync::Arc};

use rstest::rstest;
use rusqlite::Connection;
use slugline_domain::{
    Erasure, LinkId, Visit,
    ports::{VisitEraser, VisitSink},
};
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
    NOON, link,
};

use super::{
    address::Address,
    recording::{Recording, eventually, total, visit, waiting},
};

fn id() -> LinkId {
    LinkId::parse("erased-1").unwrap()
}

/// Records visits of the link to be erased.
fn record(recording: &Recording, numbers: std::ops::Range<u32>) {
    let link = Arc::new(link("erased").id("erased-1").build());
    for number in numbers {
        recording.recorder.record(Visit {
            link: Arc::clone(&link),
            ..visit(number)
        });
    }
}

fn orders(folder: &Path) -> u32 {
    let spool = Connection::open(folder.join("spool.db")).unwrap();
    let count = "SELECT count(*) FROM erasure";
    spool.query_row(count, [], |row| row.get(0)).unwrap()
}

#[rstest]
#[tokio::test]
async fn visits_of_the_link_are_gone_with_the_answer_and_later_ones_are_new(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (server, folder) = (ClickHouse::start(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&Address::of(&server), folder.path()).await;
    recording.record(0..300);
    record(&recording, 300..500);
    recording.expect(500).await;
    // Some are in the spool, others in the queue.
    record(&recording, 500..600);
    recording.recorder.flush().await.unwrap();
    record(&recording, 600..700);
    let erased = recording.recorder.erase(&id()).await.unwrap();
    if erased == Erasure::Kept {
        // On a busy machine ClickHouse may be slow.
        eventually("no order", async || orders(folder.path()) == 0).await;
    }
    assert_eq!(total(&recording.log).await.unwrap().visits, 300);
    assert_eq!(orders(folder.path()), 0);

    let link = Arc::new(link("erased").id("erased-1").build());
    for number in 700..750 {
        recording.recorder.record(Visit {
            at: NOON.start().max(visit(number).at),
            link: Arc::clone(&link),
            ..visit(number)
        });
    }
    recording.recorder.flush().await.unwrap();
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    let found = total(&recording.log).await.unwrap();
    assert_eq!((found.visits, found.visitors), (350, 350));
}

#[rstest]
#[tokio::test]
async fn an_order_waits_while_clickhouse_is_away_also_across_a_restart(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (server, folder) = (ClickHouse::start(engine), tempfile::tempdir().unwrap());
    let address = Address::of(&server);
    let recording = Recording::start(&address, folder.path()).await;
    recording.record(0..100);
    record(&recording, 100..150);
    recording.expect(150).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    let server = server.kill();
    record(&recording, 150..200);
    assert_eq!(
        recording.recorder.erase(&id()).await.unwrap(),
        Erasure::Kept
    );
    assert_eq!(orders(folder.path()), 1);
    recording.recorder.shutdown().await;
    drop(recording);

    let _server = server.restart();
    let recording = Recording::start(&address, folder.path()).await;
    eventually("no order", async || orders(folder.path()) == 0).await;
    recording.expect(100).await;
    assert_eq!(
        recording.recorder.erase(&id()).await.unwrap(),
        Erasure::Done
    );
}

#[tokio::test]
async fn visits_from_before_that_another_node_sends_later_are_erased_too() {
    let server = ClickHouse::start(Library);
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let address = Address::of(&server);
    let one = Recording::start(&address, folders[0].path()).await;
    one.record(0..10);
    record(&one, 10..20);
    one.expect(20).await;
    one.recorder.erase(&id()).await.unwrap();
    one.expect(10).await;

    // The server is gone, as after a cut connection.
    let server = server.kill();
    let other = Recording::start(&address, folders[1].path()).await;
    record(&other, 20..50);
    other.record(50..60);
    other.recorder.flush().await.unwrap();
    let _server = server.restart();
    eventually("an empty spool", async || waiting(folders[1].path()) == 0).await;
    other.expect(20).await;
}
