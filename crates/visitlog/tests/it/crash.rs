use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts};
use slugline_domain::{UnixMillis, UnixSeconds, VisitFilter, ports::VisitSink};
use slugline_testkit::{FixedClock, KilledTest};
use slugline_visitlog::EmbeddedLog;

use crate::support::{DAY_MS, NEW_YEAR_MS, Seeded, file, ports, total, visit};

/// The variable that gives the folder to the child process.
const FOLDER: &str = "SLUGLINE_TEST_CRASH_FOLDER";

const ROUNDS: usize = 50;

fn options() -> RecorderOptions {
    RecorderOptions {
        rows_per_chunk: 100,
        batch_rows: 30,
        ..RecorderOptions::default()
    }
}

/// Opens the log when the day of all visits is over, so each process begins to count that day.
fn open(file: &Path) -> (Recorder, EmbeddedLog) {
    let later = UnixMillis::new(NEW_YEAR_MS + DAY_MS + 3_600_000).second();
    open_with(file, Arc::new(FixedClock::at(later)))
}

fn open_with(file: &Path, clock: Arc<FixedClock>) -> (Recorder, EmbeddedLog) {
    let ports = RecorderPorts { clock, ..ports() };
    slugline_visitlog::start(file, options(), ports).expect("the log can be opened")
}

/// Visit number n comes in second n from visitor n, so that counting visits and visitors up to
/// a second shows both gaps and repetitions.
async fn counted_until(log: &EmbeddedLog, visits: u32) -> (u64, u64) {
    let last = NEW_YEAR_MS / 1000 + i64::from(visits) - 1;
    let counters = total(
        log,
        VisitFilter {
            until: UnixSeconds::new(last).ok(),
            ..VisitFilter::default()
        },
    )
    .await;
    (counters.visits, counters.visitors)
}

async fn counted(log: &EmbeddedLog) -> u32 {
    let all = total(log, VisitFilter::default()).await;
    assert_eq!(all.visits, all.visitors, "a row is there twice");
    u32::try_from(all.visits).expect("few visits")
}

/// The child: appends and seals as fast as it can, and reports the number of durable visits
/// after each flush. Does nothing in an ordinary run of the tests.
#[test]
fn child_appends_until_it_is_killed() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (recorder, log) = open(&file(&folder));
        let mut next = counted(&log).await;
        loop {
            for _ in 0..47 {
                let at = NEW_YEAR_MS + i64::from(next) * 1000;
                recorder.record(visit(at, next));
                next += 1;
            }
            recorder.flush().await.unwrap();
            println!("durable {next}");
            std::io::stdout().flush().unwrap();
        }
    });
}

/// Lets the child work for a while, kills it, and returns the last number of
/// visits that it acknowledged.
fn run_and_kill(folder: &Path, acknowledgements: usize, pause: Duration) -> u32 {
    let child = "crash::child_appends_until_it_is_killed";
    let mut child = KilledTest::start(child, [(FOLDER, folder)]);
    let mut last = String::new();
    for _ in 0..=acknowledgements {
        last = child.says("durable ").expect("it works until it is killed");
    }
    std::thread::sleep(pause);
    // Reports that the child wrote before it died count, too.
    let last = child.kill("durable ").unwrap_or(last);
    last.parse().expect("a number")
}

#[tokio::test]
async fn a_killed_process_loses_nothing_it_acknowledged_and_repeats_nothing() {
    let random = Seeded::new(9);
    let folder = tempfile::tempdir().unwrap();
    let mut total_before = 0;
    for round in 0..ROUNDS {
        let pause = Duration::from_micros(random.next() % 8_000);
        let path = folder.path().to_owned();
        let acknowledgements = random.below(4);
        let acknowledged =
            tokio::task::spawn_blocking(move || run_and_kill(&path, acknowledgements, pause))
                .await
                .unwrap();
        assert!(acknowledged > total_before, "round {round}");

        let (recorder, log) = open(&file(folder.path()));
        let found = counted_until(&log, acknowledged).await;
        assert_eq!(found, (acknowledged.into(), acknowledged.into()));
        total_before = counted(&log).await;
        recorder.shutdown().await;
    }
    let db = Connection::open(file(folder.path())).unwrap();
    let later = UnixMillis::new(NEW_YEAR_MS + 2 * DAY_MS).second();
    let clock = Arc::new(FixedClock::at(later));
    let (recorder, log) = open_with(&file(folder.path()), Arc::clone(&clock));
    let totals = "SELECT count(DISTINCT day) FROM day_totals WHERE directory IS NOT NULL";
    let counted_days = || {
        db.query_row(totals, [], |row| row.get::<_, u32>(0))
            .unwrap()
    };
    // A process that ended during the count delays it by an hour.
    for _ in 0..1_000 {
        if counted_days() > 0 {
            break;
        }
        clock.advance_seconds(600);
        recorder.flush().await.unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert!(counted_days() > 0);
    assert_eq!(counted(&log).await, total_before);
    recorder.shutdown().await;
    let (health, chunks): (String, u32) = db
        .query_row(
            "SELECT (SELECT integrity_check FROM pragma_integrity_check), \
                    (SELECT count(*) FROM chunk)",
            [],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .unwrap();
    assert_eq!(health, "ok");
    assert!(chunks > 0);
}
