//! Shipments, and all interruptions of them.

use rstest::rstest;
use slugline_domain::{
    CountersQuery, LogTrouble,
    ports::{VisitLog, VisitLogError},
};
use slugline_testkit::{
    ClickHouse,
    ClickHouseEngine::{self, Library, Server},
};

use super::{
    address::Address,
    recording::{Recording, eventually, options, total, waiting},
};

#[rstest]
#[tokio::test]
async fn visits_arrive_and_leave_the_spool(#[values(Library, Server)] engine: ClickHouseEngine) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&address, folder.path()).await;
    recording.record(0..20_000);
    recording.recorder.flush().await.unwrap();
    recording.expect(20_000).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    assert_eq!(recording.recorder.dropped(), 0);
    let report = recording.log.counters(&CountersQuery::default()).await;
    let report = report.unwrap();
    assert_eq!(report.rows[0].counters.referers, 1);
    assert!(report.sampling.exact());
}

#[rstest]
#[tokio::test]
async fn an_insertion_whose_acknowledgement_is_lost_counts_once(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&address, folder.path()).await;
    recording.wire.lose(3);
    recording.record(0..100);
    recording.recorder.flush().await.unwrap();
    // More visits come while the first shipment is retried.
    recording.record(100..250);
    recording.recorder.flush().await.unwrap();
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    assert_eq!(recording.wire.answers_to_lose(), 0);
    recording.expect_all_of(250).await;
}

#[rstest]
#[tokio::test]
async fn visits_wait_while_clickhouse_is_away_and_questions_fail(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (server, folder) = (ClickHouse::start(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&Address::of(&server), folder.path()).await;
    recording.record(0..10);
    recording.expect(10).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    assert_eq!(recording.log.troubles(), []);

    let server = server.kill();
    recording.record(10..500);
    recording.recorder.flush().await.unwrap();
    assert_eq!(waiting(folder.path()), 490);
    let error = total(&recording.log).await.unwrap_err();
    assert!(matches!(error, VisitLogError::Failed { .. }), "{error:?}");
    assert_eq!(recording.recorder.dropped(), 0);
    let away = [LogTrouble::NotShipping];
    eventually("trouble", async || recording.log.troubles() == away).await;

    let _server = server.restart();
    recording.expect(500).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    eventually("no trouble", async || recording.log.troubles().is_empty()).await;
}

#[tokio::test]
async fn two_processes_over_one_spool_send_each_visit_once() {
    let folder = tempfile::tempdir().unwrap();
    let (address, server) = Address::away(Library);
    // As in a restart: the new recorder starts while the old one still runs.
    let old = Recording::start(&address, folder.path()).await;
    let new = Recording::start(&address, folder.path()).await;
    for first in (0..4_000).step_by(200) {
        old.record(first..first + 100);
        new.record(first + 100..first + 200);
        old.recorder.flush().await.unwrap();
        new.recorder.flush().await.unwrap();
    }
    // Both lose answers, so that each retries a shipment that the other has
    // begun.
    for recording in [&old, &new] {
        recording.wire.lose(3);
    }
    let _server = server.restart();
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    old.recorder.shutdown().await;
    new.recorder.shutdown().await;
    new.expect_all_of(4_000).await;
}

#[rstest]
#[tokio::test]
async fn the_service_starts_without_clickhouse_and_its_visits_wait_over_a_restart(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let folder = tempfile::tempdir().unwrap();
    let (address, server) = Address::away(engine);
    for numbers in [0..30, 30..40] {
        let recording = Recording::start(&address, folder.path()).await;
        recording.record(numbers);
        recording.recorder.shutdown().await;
        assert_eq!(recording.recorder.dropped(), 0);
    }
    assert_eq!(waiting(folder.path()), 40);

    let _server = server.restart();
    let recording = Recording::start(&address, folder.path()).await;
    recording.expect(40).await;
}

#[rstest]
#[tokio::test]
async fn a_shutdown_ships_the_last_visits(#[values(Library, Server)] engine: ClickHouseEngine) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let recording = Recording::start(&address, folder.path()).await;
    recording.record(0..70);
    recording.recorder.shutdown().await;
    assert_eq!(waiting(folder.path()), 0);
    assert_eq!(total(&recording.log).await.unwrap().visits, 70);
}

#[rstest]
#[tokio::test]
async fn a_full_spool_drops_visits_and_says_so(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    const VISITS: u32 = 20_000;
    const ROOM: u64 = 1 << 20;

    let folder = tempfile::tempdir().unwrap();
    let (address, server) = Address::away(engine);
    let (mut options, wire) = options(&address, folder.path());
    options.spool_bytes = ROOM;
    let recording = Recording::start_with(options, wire).await;
    for start in (0..VISITS).step_by(500) {
        recording.record(start..start + 500);
        recording.recorder.flush().await.unwrap();
    }
    let dropped = recording.recorder.dropped();
    assert!(dropped > 0);
    assert!(recording.log.troubles().contains(&LogTrouble::Full));
    let size = std::fs::metadata(folder.path().join("spool.db"))
        .unwrap()
        .len();
    // A batch that starts below the limit may end above it.
    assert!(size < ROOM + ROOM / 2, "{size}");

    let _server = server.restart();
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    let report = recording.log.counters(&CountersQuery::default()).await;
    let report = report.unwrap();
    let visits = report.rows[0].counters.visits;
    assert!(visits > 0 && visits < u64::from(VISITS), "{visits}");
    // Before the recorder dropped visits, it stored one for several.
    assert!(report.sampling.interval_max.get() > 1);
    assert_eq!(report.sampling.dropped, dropped);
    // Except for sampling, lost and stored visits add up to all.
    let all = f64::from(VISITS);
    let found = f64::from(u32::try_from(visits + dropped).unwrap());
    assert!((found / all - 1.0).abs() < 0.15, "{found}");
    eventually("room", async || recording.log.troubles().is_empty()).await;
    // The spool has room again.
    recording.record(VISITS..VISITS + 100);
    recording.recorder.flush().await.unwrap();
    assert_eq!(recording.recorder.dropped(), dropped);
    recording.recorder.shutdown().await;
    let recording = Recording::start(&address, folder.path()).await;
    let report = recording.log.counters(&CountersQuery::default()).await;
    assert_eq!(report.unwrap().sampling.dropped, dropped, "after a restart");
}
