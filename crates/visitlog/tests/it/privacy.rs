use std::{
    fs,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    path::Path,
    sync::Arc,
};

use rusqlite::Connection;
use slugline_analytics::{PlaceFile, QueryLimits, Recorder, RecorderOptions, RecorderPorts};
use slugline_domain::{UnixMillis, Visit, VisitHeaders, ports::VisitSink};
use slugline_testkit::{FixedClock, PLACES_FILE, questions};
use slugline_visitlog::{EmbeddedLog, rebuild};

use crate::support::{DAY_MS, Fixture, NEW_YEAR_MS, file, ports, total, visit};

/// The files of a folder, database and write-ahead log alike, that hold these
/// bytes somewhere.
fn files_with(folder: &Path, bytes: &[u8]) -> Vec<String> {
    fs::read_dir(folder)
        .expect("the folder can be listed")
        .map(|entry| entry.expect("the folder can be listed"))
        .filter(|entry| {
            let content = fs::read(entry.path()).expect("the file can be read");
            content.windows(bytes.len()).any(|window| window == bytes)
        })
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect()
}

#[tokio::test]
async fn an_address_never_reaches_the_disk() {
    let fixture = Fixture::new(RecorderOptions {
        rows_per_chunk: 10,
        ..RecorderOptions::default()
    });
    let v4 = Ipv4Addr::new(203, 0, 113, 177);
    let v6 = Ipv6Addr::new(
        0x2001, 0xdb8, 0x1234, 0x5678, 0x9abc, 0xdef0, 0x1357, 0x2468,
    );
    for number in 0..25 {
        for client in [
            IpAddr::V4(v4),
            IpAddr::V6(v6),
            IpAddr::V6(v4.to_ipv6_mapped()),
        ] {
            fixture.recorder.record(Visit {
                client,
                headers: VisitHeaders::new("Findable/1.0", "", ""),
                ..visit(NEW_YEAR_MS + number, 0)
            });
        }
    }
    fixture.recorder.flush().await.unwrap();

    let folder = fixture.folder.path();
    let needles: [&[u8]; 6] = [
        b"203.0.113.177",
        b"2001:db8:1234",
        &v4.octets(),
        &v4.to_bits().to_le_bytes(),
        &v6.octets(),
        &v6.to_bits().to_le_bytes(),
    ];
    for needle in needles {
        assert_eq!(files_with(folder, needle), [""; 0], "{needle:02x?}");
    }
    // The search can find a text that is there.
    assert!(!files_with(folder, b"Findable/1.0").is_empty());
}

fn salts(file: &Path) -> Vec<Vec<u8>> {
    let read = || {
        Connection::open(file)?
            .prepare("SELECT salt FROM salt ORDER BY start_ms")?
            .query_map([], |row| row.get(0))?
            .collect::<Result<_, rusqlite::Error>>()
    };
    read().expect("salts can be read")
}

/// A log whose clock shows the new year until the test moves it.
fn with_clock(folder: &Path) -> (Recorder, Arc<FixedClock>) {
    let clock = Arc::new(FixedClock::at(UnixMillis::new(NEW_YEAR_MS).second()));
    let ports = RecorderPorts {
        clock: clock.clone(),
        ..ports()
    };
    let options = RecorderOptions::default();
    let (recorder, _log) =
        slugline_visitlog::start(&file(folder), options, ports).expect("the log can be opened");
    (recorder, clock)
}

/// Makes a log whose clock was steady at a moment.
fn make_steady(folder: &Path, moment_ms: i64) {
    let log = EmbeddedLog::open(&file(folder), QueryLimits::default());
    drop(log.expect("the log can be opened"));
    let db = Connection::open(file(folder)).expect("the file can be opened");
    let sql = "INSERT OR REPLACE INTO clock VALUES (1, ?1, NULL)";
    db.execute(sql, [moment_ms]).expect("the log has a clock");
}

/// The clock goes on for a time, and the recorder does its maintenance meanwhile.
async fn go_on(recorder: &Recorder, clock: &FixedClock, minutes: i64) {
    for _ in 0..minutes {
        clock.advance_seconds(60);
        recorder.flush().await.expect("the recorder runs");
    }
}

#[tokio::test]
async fn a_salt_is_gone_from_the_disk_after_its_period() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    make_steady(folder, NEW_YEAR_MS);
    let (recorder, clock) = with_clock(folder);
    recorder.record(visit(NEW_YEAR_MS, 1));
    recorder.flush().await.unwrap();
    let first_day = salts(&file(folder));
    assert_eq!(first_day.len(), 1);
    assert!(!files_with(folder, &first_day[0]).is_empty());

    clock.advance_seconds(DAY_MS / 1_000 - 3_600);
    recorder.flush().await.unwrap();
    // The recorder looks at the clock after it answers a flush; the next flush waits for the look.
    recorder.flush().await.unwrap();
    go_on(&recorder, &clock, 60).await;
    recorder.record(visit(NEW_YEAR_MS + DAY_MS, 1));
    recorder.flush().await.unwrap();
    // The wiping follows the commit that a flush waits for; a second flush
    // waits for the wiping.
    recorder.flush().await.unwrap();
    let second_day = salts(&file(folder));
    assert_eq!(second_day.len(), 1);
    assert_ne!(second_day, first_day);
    assert_eq!(files_with(folder, &first_day[0]), [""; 0]);
}

#[tokio::test]
async fn a_clock_that_jumps_for_a_minute_ends_no_salt() {
    for jump_ms in [DAY_MS / 2, DAY_MS, 400 * DAY_MS, -DAY_MS] {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path();
        make_steady(folder, NEW_YEAR_MS);
        let (recorder, clock) = with_clock(folder);
        clock.advance_seconds(DAY_MS / 2_000);
        let noon_ms = NEW_YEAR_MS + DAY_MS / 2;
        recorder.record(visit(noon_ms, 1));
        recorder.flush().await.unwrap();
        clock.advance_seconds(jump_ms / 1_000);
        recorder.record(visit(noon_ms + jump_ms, 2));
        recorder.flush().await.unwrap();
        go_on(&recorder, &clock, 1).await;
        clock.advance_seconds(-jump_ms / 1_000);
        recorder.record(visit(noon_ms + 120_000, 1));
        recorder.flush().await.unwrap();
        recorder.shutdown().await;
        // Nor does a restart, for which the salt has to be in the file.
        let (recorder, _) = with_clock(folder);
        recorder.record(visit(noon_ms + 240_000, 1));
        recorder.flush().await.unwrap();
        let log = EmbeddedLog::open(&file(folder), QueryLimits::default()).unwrap();
        let noon = noon_ms / 1_000;
        let of_noon = questions::between(noon, noon + 240);
        let counters = total(&log, of_noon).await;
        assert_eq!((counters.visits, counters.visitors), (3, 1), "{jump_ms}");
    }
}

#[tokio::test]
async fn a_visit_that_is_dated_ahead_does_not_end_the_salt_of_today() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _clock) = with_clock(folder.path());
    recorder.record(visit(NEW_YEAR_MS, 1));
    recorder.flush().await.unwrap();
    let today = salts(&file(folder.path()));
    recorder.record(visit(NEW_YEAR_MS + 400 * DAY_MS, 1));
    recorder.flush().await.unwrap();
    recorder.flush().await.unwrap();
    assert_eq!(salts(&file(folder.path()))[0], today[0]);
}

#[tokio::test]
async fn a_salt_that_a_killed_process_deleted_is_wiped_at_the_next_start() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (recorder, _clock) = with_clock(folder);
    recorder.record(visit(NEW_YEAR_MS, 1));
    recorder.flush().await.unwrap();
    recorder.shutdown().await;
    let salt = salts(&file(folder));
    // A process deletes it and is killed, which leaves its write-ahead log.
    let db = Connection::open(file(folder)).unwrap();
    db.execute_batch(
        "PRAGMA secure_delete = FAST; UPDATE salt SET period = 'month'; DELETE FROM salt",
    )
    .unwrap();
    let killed = tempfile::tempdir().unwrap();
    let killed = killed.path();
    for name in ["analytics.db", "analytics.db-wal"] {
        fs::copy(folder.join(name), killed.join(name)).unwrap();
    }
    assert!(!files_with(killed, &salt[0]).is_empty());

    let (recorder, _clock) = with_clock(killed);
    recorder.flush().await.unwrap();
    recorder.flush().await.unwrap();
    assert_eq!(files_with(killed, &salt[0]), [""; 0]);
}

#[tokio::test]
async fn a_file_that_is_put_aside_keeps_no_salt() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let (recorder, _clock) = with_clock(folder);
    recorder.record(visit(NEW_YEAR_MS, 1));
    recorder.shutdown().await;
    let salt = salts(&file(folder));
    let now = UnixMillis::new(NEW_YEAR_MS).second();
    let rebuilt = rebuild(&file(folder), now).unwrap();
    assert_eq!(rebuilt.salts_left, None);
    assert_eq!(files_with(folder, &salt[0]), ["analytics.db"]);
    assert!(rebuilt.old.exists());
}

#[tokio::test]
async fn a_salt_ends_on_time_also_when_nobody_comes() {
    let folder = tempfile::tempdir().unwrap();
    make_steady(folder.path(), NEW_YEAR_MS);
    let fixture = Fixture::in_folder(RecorderOptions::default(), folder);
    // The clock shows the new year and has just begun to go on, so this salt ended a day before.
    fixture.recorder.record(visit(NEW_YEAR_MS - 2 * DAY_MS, 1));
    fixture.recorder.flush().await.unwrap();
    let db = Connection::open(fixture.file()).unwrap();
    let salts = || -> u32 {
        db.query_row("SELECT count(*) FROM salt", [], |row| row.get(0))
            .unwrap()
    };
    // It ends with the work that follows a batch; a second flush waits for it.
    fixture.recorder.flush().await.unwrap();
    assert_eq!(salts(), 0);
}

#[tokio::test]
async fn a_start_within_a_day_ends_what_should_have_ended_meanwhile() {
    let fixture = Fixture::new(RecorderOptions::default());
    fixture.recorder.record(Visit {
        headers: VisitHeaders::new("Bygone/1.0", "", ""),
        ..visit(NEW_YEAR_MS - 40 * DAY_MS, 1)
    });
    fixture.recorder.flush().await.unwrap();
    let db = Connection::open(fixture.file()).unwrap();
    // The clock was steady when the service stopped, less than a day before.
    let sql = "INSERT OR REPLACE INTO clock VALUES (1, ?1, NULL)";
    db.execute(sql, [NEW_YEAR_MS - DAY_MS]).unwrap();
    let left = || -> u32 {
        db.query_row(
            "SELECT (SELECT count(*) FROM tail WHERE first_ts < ?1) \
                  + (SELECT count(*) FROM chunk WHERE max_ts < ?1) + (SELECT count(*) FROM salt)",
            [NEW_YEAR_MS - 30 * DAY_MS],
            |row| row.get(0),
        )
        .unwrap()
    };
    // A salt whose period has ended may be deleted already.
    assert!(left() > 0);
    let retention_days = std::num::NonZeroU32::new(30);
    let _fixture = fixture
        .reopen(RecorderOptions {
            retention_days,
            ..RecorderOptions::default()
        })
        .await;
    let start = std::time::Instant::now();
    while left() > 0 {
        assert!(start.elapsed() < std::time::Duration::from_secs(20));
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn an_address_that_was_looked_up_leaves_its_place_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let ports = RecorderPorts {
        places: Some(Arc::new(PlaceFile::open(Path::new(PLACES_FILE)).unwrap())),
        ..ports()
    };
    let options = RecorderOptions {
        rows_per_chunk: 10,
        ..RecorderOptions::default()
    };
    let (recorder, _log) = slugline_visitlog::start(&file(folder.path()), options, ports).unwrap();
    let client = Ipv4Addr::new(192, 0, 2, 117);
    for number in 0..25 {
        recorder.record(Visit {
            client: IpAddr::V4(client),
            ..visit(NEW_YEAR_MS + number, 0)
        });
    }
    recorder.flush().await.unwrap();

    let needles: [&[u8]; 4] = [
        b"192.0.2",
        &client.octets(),
        &client.to_bits().to_le_bytes(),
        // Coordinates are rounded before they are stored.
        b"48.137",
    ];
    for needle in needles {
        assert_eq!(files_with(folder.path(), needle), [""; 0], "{needle:02x?}");
    }
    // The search can find a text that is there.
    for needle in ["🇩🇪 Munich,Germany".as_bytes(), b"48.14"] {
        assert!(!files_with(folder.path(), needle).is_empty());
    }
}
