//! Tests of erasing the visits of a link.

use std::{path::Path, sync::Arc};

use rstest::rstest;
use rusqlite::Connection;
use slugline_domain::{
    Erasure, LinkId, StoredVisit, Visit,
    ports::{VisitEraser, VisitSink},
};
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
    FixedClock, NOON, link,
};

use super::{
    address::Address,
    history::{import, seeded, through_spool, visits_of},
    recording::{self, Recording, eventually, total, visit, waiting},
};
use crate::history::History;

fn id() -> LinkId {
    LinkId::parse("erased-1").unwrap()
}

/// Records visits of the link to be erased.
fn record(recording: &Recording, numbers: std::ops::Range<u32>) {
    let link = link("erased").id("erased-1").followed();
    for number in numbers {
        recording.recorder.record(Visit {
            link: Arc::clone(&link),
            ..visit(number)
        });
    }
}

pub(crate) fn orders(folder: &Path) -> u32 {
    let spool = Connection::open(folder.join("spool.db")).unwrap();
    let count = "SELECT count(*) FROM erasure";
    spool.query_row(count, [], |row| row.get(0)).unwrap()
}

#[rstest]
#[tokio::test]
async fn visits_of_the_link_are_gone_with_the_answer_and_later_ones_are_new(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&address, folder.path()).await;
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

    let link = link("erased").id("erased-1").followed();
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

/// Visits of the link to be erased, in a file.
fn of_file() -> Vec<StoredVisit> {
    let visits = visits_of(0..50).into_iter().map(|visit| StoredVisit {
        link: id().as_str().to_owned(),
        ..visit
    });
    visits.collect()
}

async fn import_beside(address: &Address, folder: &Path) {
    let (options, _) = recording::options(address, folder);
    let into = through_spool(options, seeded()).await.unwrap();
    assert_eq!(import(into, &of_file()).await.unwrap().new, 50);
}

#[rstest]
#[tokio::test]
async fn visits_that_are_imported_after_an_erasure_stay(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let server = ClickHouse::start(engine);
    let folders = [
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
        tempfile::tempdir().unwrap(),
    ];
    let address = Address::of(&server);
    let recording = Recording::start(&address, folders[0].path()).await;
    record(&recording, 100..150);
    recording.record(150..160);
    recording.expect(60).await;
    while recording.recorder.erase(&id()).await.unwrap() != Erasure::Done {}
    recording.expect(10).await;

    import_beside(&address, folders[1].path()).await;
    recording.expect(60).await;
    // Another node carries out all orders at its start, and sends late visits.
    let server = server.kill();
    let late = Recording::start(&address, folders[2].path()).await;
    record(&late, 200..230);
    late.recorder.flush().await.unwrap();
    let _server = server.restart();
    eventually("an empty spool", async || waiting(folders[2].path()) == 0).await;
    late.expect(60).await;
    for node in [&late, &recording] {
        node.recorder
            .erase(&LinkId::parse("other").unwrap())
            .await
            .unwrap();
        assert_eq!(total(&node.log).await.unwrap().visits, 60);
    }
}

#[tokio::test]
async fn an_import_beside_the_service_ships_visits_and_carries_out_no_orders() {
    let (server, folder) = (ClickHouse::start(Library), tempfile::tempdir().unwrap());
    let address = Address::of(&server);
    let recording = Recording::start(&address, folder.path()).await;
    record(&recording, 0..10);
    recording.expect(10).await;
    let server = server.kill();
    recording.recorder.erase(&id()).await.unwrap();
    recording.recorder.shutdown().await;
    let _server = server.restart();
    import_beside(&address, folder.path()).await;
    assert_eq!((orders(folder.path()), waiting(folder.path())), (1, 0));
    let recording = Recording::start(&address, folder.path()).await;
    eventually("no order", async || orders(folder.path()) == 0).await;
    // The imported visits are newer than the order.
    recording.expect(50).await;
}

#[tokio::test]
async fn an_erasure_after_an_import_erases_the_imported_visits_too() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let (options, _) = recording::options(&address, folder.path());
    let clock = Arc::new(FixedClock::at(NOON));
    let into = History::open(options, clock, seeded()).await.unwrap();
    import(Box::new(into), &of_file()).await.unwrap();
    let recording = Recording::start(&address, folder.path()).await;
    recording.expect(50).await;
    while recording.recorder.erase(&id()).await.unwrap() != Erasure::Done {}
    recording.expect(0).await;
}
