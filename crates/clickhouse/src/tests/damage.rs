//! A damaged spool.

use std::{fs, path::Path};

use rusqlite::Connection;
use slugline_analytics::OpenError;
use slugline_domain::{CountersQuery, UnixSeconds, ports::VisitLog};
use slugline_testkit::{ClickHouse, ClickHouseEngine::Library};

use super::{
    address::Address,
    recording::{Recording, eventually, waiting},
};
use crate::repair::{examine_spool, rebuild_spool};

const PAGE: usize = 4_096;

/// A spool with `visits` waiting visits, and a ClickHouse to receive them.
async fn stopped(visits: u32) -> (tempfile::TempDir, ClickHouse) {
    let folder = tempfile::tempdir().unwrap();
    let (address, server) = Address::away(Library);
    let recording = Recording::start(&address, folder.path()).await;
    recording.record(0..visits);
    recording.recorder.flush().await.unwrap();
    let spool = folder.path().join("spool.db");
    let error = rebuild_spool(&spool, now()).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error}");
    recording.recorder.shutdown().await;
    (folder, server.restart())
}

fn now() -> UnixSeconds {
    UnixSeconds::new(1_767_225_600).unwrap()
}

fn damage(spool: &Path, sql: &str) {
    Connection::open(spool).unwrap().execute_batch(sql).unwrap();
}

/// The parts of the spool that are damaged, by their names.
fn unsound(spool: &Path) -> Vec<(&'static str, String)> {
    let examined = examine_spool(spool).unwrap().into_iter();
    let unsound = examined.filter(|thing| !thing.sound);
    unsound.map(|thing| (thing.what, thing.found)).collect()
}

#[tokio::test]
async fn a_damaged_row_is_found_and_the_others_arrive_after_a_rebuild() {
    let (folder, server) = stopped(200).await;
    let spool = folder.path().join("spool.db");
    assert_eq!(unsound(&spool), []);
    let examined = examine_spool(&spool).unwrap();
    assert_eq!(examined[1].found, "200 wait for ClickHouse");
    damage(
        &spool,
        "UPDATE spool SET row = substr(row, 1, 30) WHERE seq = 7",
    );
    let row = "row 7 is damaged: it ends within a row".to_owned();
    assert_eq!(unsound(&spool), [("rows", row)]);

    let rebuilt = rebuild_spool(&spool, now()).unwrap();
    assert_eq!(
        (rebuilt.rows, rebuilt.lost),
        (199, vec!["1 rows".to_owned()])
    );
    assert!(rebuilt.old.exists());
    assert_eq!(unsound(&spool), []);
    let recording = Recording::start(&Address::of(&server), folder.path()).await;
    recording.expect(199).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
}

#[tokio::test]
async fn what_had_arrived_already_is_not_counted_again_after_a_rebuild() {
    let (folder, server) = stopped(50).await;
    let spool = folder.path().join("spool.db");
    let recording = Recording::start(&Address::of(&server), folder.path()).await;
    recording.expect(50).await;
    // ClickHouse counts visits a moment before its answer is here.
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    // Visits arrive, but the answers are lost.
    recording.wire.lose(usize::MAX);
    recording.record(50..80);
    recording.expect(80).await;
    recording.recorder.shutdown().await;
    assert_eq!(waiting(folder.path()), 30);

    let under_way = |spool: &Path| examine_spool(spool).unwrap()[2].found.clone();
    let before = under_way(&spool);
    assert!(before.ends_with("are under way"), "{before}");
    damage(
        &spool,
        "UPDATE spool SET row = x'00' WHERE seq = (SELECT max(seq) FROM spool)",
    );
    assert_eq!(rebuild_spool(&spool, now()).unwrap().rows, 29);
    // The last row is lost, so the shipment ends before it.
    assert_eq!(before, "rows up to 30 are under way");
    assert_eq!(under_way(&spool), "rows up to 29 are under way");
    let recording = Recording::start(&Address::of(&server), folder.path()).await;
    recording.record(80..90);
    recording.expect(90).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    recording.expect(90).await;
}

#[tokio::test]
async fn visits_after_a_rebuild_are_not_taken_for_those_under_way() {
    let (folder, server) = stopped(50).await;
    let spool = folder.path().join("spool.db");
    let address = Address::of(&server);
    let recording = Recording::start(&address, folder.path()).await;
    recording.expect(50).await;
    // ClickHouse counts visits a moment before its answer is here.
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    recording.wire.lose(usize::MAX);
    recording.record(50..80);
    recording.expect(80).await;
    recording.recorder.shutdown().await;
    damage(
        &spool,
        "UPDATE spool SET row = x'00' WHERE seq > (SELECT max(seq) - 5 FROM spool)",
    );
    assert_eq!(rebuild_spool(&spool, now()).unwrap().rows, 25);

    // More visits arrive before ClickHouse is back. They have the numbers of the lost rows,
    // whose token ClickHouse knows.
    let server = server.kill();
    let recording = Recording::start(&address, folder.path()).await;
    recording.record(80..90);
    recording.recorder.shutdown().await;
    assert_eq!(waiting(folder.path()), 35);
    let _server = server.restart();
    let recording = Recording::start(&address, folder.path()).await;
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    recording.expect(90).await;
    let report = recording.log.counters(&CountersQuery::default()).await;
    assert_eq!(report.unwrap().sampling.dropped, 5);
}

#[tokio::test]
async fn an_overwritten_page_is_found_and_costs_at_most_what_was_on_it() {
    let (folder, _server) = stopped(300).await;
    let intact = fs::read(folder.path().join("spool.db")).unwrap();
    let mut with_losses = 0;
    for page in 0..intact.len() / PAGE {
        let folder = tempfile::tempdir().unwrap();
        let spool = folder.path().join("spool.db");
        let mut bytes = intact.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        fs::write(&spool, &bytes).unwrap();
        let found = examine_spool(&spool);
        assert_eq!(found.is_err(), page == 0);

        let rebuilt = rebuild_spool(&spool, now()).unwrap();
        assert!(
            rebuilt.rows == 300 || !rebuilt.lost.is_empty(),
            "{rebuilt:?}"
        );
        with_losses += usize::from(rebuilt.rows < 300);
        assert_eq!(unsound(&spool), [], "page {page}");
        assert_eq!(waiting(folder.path()), rebuilt.rows);
    }
    assert!(with_losses > 5, "{with_losses}");
}
