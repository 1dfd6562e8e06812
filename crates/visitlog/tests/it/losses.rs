use std::{
    env, fs,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{QueryLimits, Recorder, RecorderOptions, RecorderPorts, SamplingTargets};
use slugline_domain::{
    CountersQuery, SamplingNote, UnixMillis,
    ports::{VisitLog, VisitSink},
};
use slugline_testkit::{FixedClock, KilledTest, questions};
use slugline_visitlog::{EmbeddedLog, LogIntake};

use crate::support::{DAY_MS, Fixture, NEW_YEAR_MS, eventually, file, open, ports, visit, visits};

/// The variable that gives the folder to the child process.
const FOLDER: &str = "SLUGLINE_TEST_LOSSES_FOLDER";

const SENT: u64 = 100;

fn options() -> RecorderOptions {
    RecorderOptions {
        queue: 8,
        batch_rows: 1,
        sampling: SamplingTargets::NONE,
        shutdown_timeout: Duration::ZERO,
        ..RecorderOptions::default()
    }
}

/// The note on sampling in an answer about a day, counted from the new year.
async fn of_day(log: &impl VisitLog, day: i64) -> SamplingNote {
    let start = (NEW_YEAR_MS + day * DAY_MS) / 1_000;
    let query = questions::total(questions::between(start, start + DAY_MS / 1_000 - 1));
    log.counters(&query)
        .await
        .expect("the log answers")
        .sampling
}

/// The child: records visits while the database accepts none.
#[test]
fn child_loses_visits_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let (recorder, _log) = open(&file(&folder), options());
    let other = Connection::open(file(&folder)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..u32::try_from(SENT).unwrap() {
        recorder.record(visit(NEW_YEAR_MS, client));
    }
    loop {
        thread::park();
    }
}

/// The number of visits in the file of losses.
fn held(folder: &Path) -> u64 {
    let path = folder.join("analytics.db-losses");
    let bytes = fs::read(path).unwrap_or_default();
    let states = bytes.chunks_exact((bytes.len() / 2).max(1));
    let states = states.map(|state| {
        let numbers = state
            .chunks_exact(8)
            .map(|number| u64::from_le_bytes(number.try_into().expect("eight bytes")));
        numbers.collect::<Vec<u64>>()
    });
    let newest = states
        .filter(|state| state.len() > 3)
        .max_by_key(|state| state[1]);
    newest.map_or(0, |state| {
        let losses = usize::try_from(state[2]).expect("few losses");
        state[3..]
            .chunks_exact(3)
            .take(losses)
            .map(|loss| loss[2])
            .sum()
    })
}

#[tokio::test]
async fn a_process_that_is_killed_while_the_disk_takes_nothing_leaves_word_of_its_losses() {
    let folder = tempfile::tempdir().unwrap();
    let child = "losses::child_loses_visits_until_it_is_killed";
    let child = KilledTest::start(child, [(FOLDER, folder.path())]);
    // All but the one that the writer is handling.
    eventually("the losses are in their file", || {
        held(folder.path()) >= SENT - 1
    })
    .await;
    drop(child);

    for _ in 0..2 {
        let (recorder, log) = open(&file(folder.path()), options());
        let note = of_day(&log, 0).await;
        // One more, because the log does not know how many came after the last note.
        assert!((SENT..=SENT + 1).contains(&note.dropped), "{note:?}");
        assert!(!note.exact());
        assert!(of_day(&log, 1).await.exact() && of_day(&log, -2).await.exact());
        assert_eq!(visits(&log).await, 0);
        recorder.shutdown().await;
    }
}

#[tokio::test]
async fn a_shutdown_while_the_disk_takes_nothing_leaves_word_of_its_losses() {
    let fixture = Fixture::new(options());
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..u32::try_from(SENT).unwrap() {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.shutdown().await;
    drop(other);
    assert_eq!(fixture.recorder.dropped(), SENT);

    let mut fixture = fixture;
    for _ in 0..2 {
        fixture = fixture.reopen(options()).await;
        assert_eq!(of_day(&fixture.log, 0).await.dropped, SENT);
        assert!(of_day(&fixture.log, 1).await.exact());
    }
}

#[tokio::test]
async fn visits_that_waited_for_the_disk_and_were_stored_are_not_lost() {
    let fixture = Fixture::new(options());
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..4 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    let folder = fixture.file().parent().unwrap().to_owned();
    eventually("the visits are in the file of losses", || {
        held(&folder) >= 3
    })
    .await;
    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    fixture.recorder.flush().await.unwrap();
    let fixture = fixture.reopen(options()).await;
    assert_eq!(visits(&fixture.log).await, 4);
    assert!(of_day(&fixture.log, 0).await.exact());
}

/// The child: stores a visit and waits.
#[tokio::test]
async fn child_stores_a_visit_until_it_is_killed() {
    let Some(folder) = env::var_os(STORING_IN).map(PathBuf::from) else {
        return;
    };
    let (recorder, _log) = open_at(&folder, NOON_MS);
    recorder.record(visit(NOON_MS, 1));
    recorder.flush().await.unwrap();
    println!("durable");
    loop {
        thread::park();
    }
}

/// The variable that gives the folder to the child process.
const STORING_IN: &str = "SLUGLINE_TEST_KILLED_FOLDER";

const NOON_MS: i64 = NEW_YEAR_MS + DAY_MS / 2;

fn open_at(folder: &Path, now_ms: i64) -> (Recorder, EmbeddedLog) {
    let ports = RecorderPorts {
        clock: Arc::new(FixedClock::at(UnixMillis::new(now_ms).second())),
        ..ports()
    };
    slugline_visitlog::start(&file(folder), options(), ports).expect("the log can be opened")
}

fn kill_while_it_runs(folder: &Path) {
    let child = "losses::child_stores_a_visit_until_it_is_killed";
    let mut child = KilledTest::start(child, [(STORING_IN, folder)]);
    child.says("durable").expect("it stores the visit");
}

/// Returns whether an answer about two minutes, counted from noon, is exact.
async fn is_exact(log: &EmbeddedLog, minute: i64) -> bool {
    let second = NOON_MS / 1_000 + 60 * minute;
    let query = questions::total(questions::between(second, second + 60));
    let report = log.counters(&query).await.expect("the log answers");
    report.sampling.exact()
}

#[tokio::test]
async fn after_a_kill_answers_about_its_minute_are_not_exact() {
    let folder = tempfile::tempdir().unwrap();
    kill_while_it_runs(folder.path());
    // The second start finds a process that ended as it should.
    for _ in 0..2 {
        let (recorder, log) = open_at(folder.path(), NOON_MS + DAY_MS);
        assert!(!is_exact(&log, 0).await);
        for elsewhere in [-3, 3, 24 * 60] {
            assert!(is_exact(&log, elsewhere).await, "{elsewhere}");
        }
        assert_eq!(visits(&log).await, 1);
        recorder.shutdown().await;
    }
}

#[tokio::test]
async fn after_a_kill_a_command_beside_the_service_keeps_word_of_it() {
    let folder = tempfile::tempdir().unwrap();
    kill_while_it_runs(folder.path());
    let intake = LogIntake::open(&file(folder.path()), &options()).unwrap();
    drop(intake);
    let beside = EmbeddedLog::open(&file(folder.path()), QueryLimits::default());
    drop(beside.unwrap());
    slugline_visitlog::examine(&file(folder.path())).unwrap();
    let (recorder, log) = open_at(folder.path(), NOON_MS + DAY_MS);
    assert!(!is_exact(&log, 0).await);
    recorder.shutdown().await;
}

#[tokio::test]
async fn a_clean_end_loses_nothing_however_the_clock_jumped_before() {
    let folder = tempfile::tempdir().unwrap();
    for now_ms in [NOON_MS, NOON_MS + 90 * DAY_MS, NOON_MS + 1] {
        let (recorder, log) = open_at(folder.path(), now_ms);
        recorder.record(visit(now_ms, 1));
        recorder.flush().await.unwrap();
        recorder.shutdown().await;
        assert!(total_note(&log).await.exact());
    }
}

async fn total_note(log: &EmbeddedLog) -> SamplingNote {
    let query = CountersQuery::default();
    log.counters(&query)
        .await
        .expect("the log answers")
        .sampling
}

#[tokio::test]
async fn a_process_that_starts_beside_another_does_not_count_what_the_other_still_stores() {
    let folder = tempfile::tempdir().unwrap();
    let (old, _) = open_at(folder.path(), NOON_MS);
    let (new, log) = open_at(folder.path(), NOON_MS);
    old.record(visit(NOON_MS, 1));
    old.shutdown().await;
    // The new process takes the file of losses from the old one.
    new.record(visit(NOON_MS, 2));
    new.flush().await.unwrap();
    assert_eq!(visits(&log).await, 2);
    assert!(total_note(&log).await.exact());
    let third = open_at(folder.path(), NOON_MS);
    new.shutdown().await;
    drop((new, log));
    third.0.shutdown().await;
    let (last, log) = open_at(folder.path(), NOON_MS);
    assert!(total_note(&log).await.exact());
    last.shutdown().await;
}
