use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{
    ImportPlanner, QueryLimits, RecorderOptions, RecorderPorts, VisitImport, columns::visit_columns,
};
use slugline_domain::{
    Dimension, RowLimit, SamplingInterval, StoredVisit, UnixMillis, VisitFilter, ports::VisitLog,
};
use slugline_testkit::{FixedClock, questions, with};
use slugline_visitlog::{EmbeddedLog, LogIntake};

use crate::support::{DAY_MS, NEW_YEAR_MS, Seeded, eventually, file, ports, total};

/// The variable that gives the folder to the child process.
const FOLDER: &str = "SLUGLINE_TEST_HOSTILE_FOLDER";

/// The variable that is there if the child's clock goes on.
const CLOCK: &str = "SLUGLINE_TEST_HOSTILE_CLOCK";

/// Visits of the hostile day.
const VISITS: u32 = 80_000;

/// The day that is counted first, and a quiet one before it.
const HOSTILE: i64 = NEW_YEAR_MS / DAY_MS + 1;
const QUIET: i64 = NEW_YEAR_MS / DAY_MS;

/// A visit whose user agent, referring host and campaign are as long as they may be, and which no
/// other visit has.
fn hostile(number: u32) -> StoredVisit {
    let text = |length: usize| {
        let random = Seeded::new(number.into());
        let words = (0..length / 16).map(|_| format!("{:016x}", random.next()));
        words.collect::<String>()
    };
    let (long, short) = (text(256), text(128));
    let texts = visit_columns().iter().map(|column| match column.name {
        "user_agent" => long.as_str(),
        "referer" | "utm_source" | "utm_medium" | "utm_campaign" => &short,
        "country" => "AT",
        _ => column.unknown(),
    });
    StoredVisit {
        at: UnixMillis::new(HOSTILE * DAY_MS + i64::from(number) * 1_000),
        link: "docs-1".to_owned(),
        visitor: number.into(),
        interval: SamplingInterval::EVERY,
        coherent: true,
        texts: texts.collect(),
    }
}

fn fill(folder: &Path) {
    let quiet = StoredVisit {
        at: UnixMillis::new(QUIET * DAY_MS),
        ..hostile(VISITS)
    };
    let visits = || (0..VISITS).map(hostile).chain([quiet.clone()]);
    let mut planner = ImportPlanner::default();
    visits().for_each(|visit| planner.add(&visit));
    let into =
        LogIntake::open(&file(folder), &RecorderOptions::default()).expect("it can be opened");
    let mut import =
        VisitImport::begin(Box::new(into), planner.finish(), false).expect("it begins");
    visits().for_each(|visit| import.add(visit).expect("there is room"));
    import.finish().expect("there is room");
}

/// The most memory that this process had, in bytes.
fn peak() -> usize {
    let status = fs::read_to_string("/proc/self/status").expect("Linux tells");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.expect("Linux tells").trim().trim_end_matches(" kB");
    kilobytes.parse::<usize>().expect("a number") * 1_024
}

/// The state of a day: whether its totals are there, and how many counts of it are unfinished.
fn state(db: &Connection, day: i64) -> (bool, u32) {
    let sql = "SELECT coalesce(max(directory IS NOT NULL), 0), \
               coalesce(max(iif(directory IS NULL, n, 0)), 0) FROM day_totals WHERE day = ?1";
    db.query_row(sql, [day], |row| Ok((row.get(0)?, row.get(1)?)))
        .expect("the log has this table")
}

/// The child counts days. If its clock goes on, it takes round after round until the hostile day is
/// counted, and says how much memory it had at most; otherwise it takes one round. Does nothing in
/// an ordinary run of the tests.
#[tokio::test]
async fn child_counts_days() {
    let Some(folder) = env::var_os(FOLDER).map(PathBuf::from) else {
        return;
    };
    let later = UnixMillis::new((HOSTILE + 1) * DAY_MS + 3_600_000).second();
    let clock = Arc::new(FixedClock::at(later));
    let ports = RecorderPorts {
        clock: Arc::<FixedClock>::clone(&clock),
        ..ports()
    };
    let path = file(&folder);
    let (recorder, _log) =
        slugline_visitlog::start(&path, RecorderOptions::default(), ports).unwrap();
    let db = Connection::open(&path).unwrap();
    for _ in 0..1_000 {
        if state(&db, HOSTILE).0 {
            break;
        }
        if env::var_os(CLOCK).is_some() {
            clock.advance_seconds(600);
            // Wakes the writer.
            recorder.flush().await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    println!("peak {}", peak());
    recorder.shutdown().await;
}

fn child(folder: &Path) -> Command {
    let mut child = Command::new(env::current_exe().expect("the test runs from a file"));
    child
        .args(["--exact", "hostile_day::child_counts_days", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::piped());
    child
}

/// Lets a child work until something is the case, and kills it.
async fn kill_when(folder: &Path, what: &str, holds: impl FnMut() -> bool) {
    let mut child = child(folder).spawn().expect("the test can run itself");
    eventually(what, holds).await;
    child.kill().expect("the child can be killed");
    child.wait().expect("the child ends");
}

async fn answers(folder: &Path) -> Vec<(String, u64, Option<u64>)> {
    let limits = QueryLimits {
        deadline: Duration::from_mins(10),
        ..QueryLimits::default()
    };
    let log = EmbeddedLog::open(&file(folder), limits).expect("it can be opened");
    let mut all = Vec::new();
    for dimension in [
        Dimension::UserAgent,
        Dimension::Referer,
        Dimension::UtmMedium,
        Dimension::Country,
    ] {
        let query = questions::by_value(VisitFilter::default(), dimension);
        let query = with(query, |it| it.limit = RowLimit::DEFAULT);
        let rows = log
            .metrics(&query)
            .await
            .expect("the log answers")
            .rows
            .into_iter();
        all.extend(rows.map(|row| (row.name, row.count, row.visitors)));
    }
    let counters = total(&log, VisitFilter::default()).await;
    all.push(("referers".to_owned(), counters.referers, None));
    all.push(("all".to_owned(), counters.visits, Some(counters.visitors)));
    all
}

#[tokio::test]
async fn a_hostile_day_is_counted_in_bounded_memory_and_ends_no_process_twice() {
    const MOST_BYTES: usize = 128 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fill(path);
    let before = answers(path).await;
    let db = Connection::open(file(path)).unwrap();

    kill_when(path, "a count begins", || state(&db, HOSTILE).1 == 1).await;
    assert_eq!(state(&db, HOSTILE), (false, 1));
    // The next process does not begin with that day.
    kill_when(path, "the other day is counted", || state(&db, QUIET).0).await;
    assert_eq!(state(&db, HOSTILE), (false, 1));
    // It comes to it an hour later.
    let output = child(path).env(CLOCK, "goes on").output().unwrap();
    assert!(output.status.success());
    assert_eq!(state(&db, HOSTILE), (true, 0));

    let output = String::from_utf8(output.stdout).unwrap();
    let mut words = output.split_whitespace().skip_while(|word| *word != "peak");
    let peak: usize = words.nth(1).unwrap().parse().unwrap();
    assert!(peak < MOST_BYTES, "{} MiB", peak >> 20);
    assert_eq!(answers(path).await, before);
}
