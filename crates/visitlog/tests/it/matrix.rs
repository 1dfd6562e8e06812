//! Interrupts work that moves rows at each of its calls on the file: the call fails, or the process
//! dies before it. Afterwards no visit is lost or doubled, and the work continues.
//!
//! A usual run interrupts some calls of each work, different ones each time;
//! `SLUGLINE_TEST_FAULTS=20` interrupts about twenty times as many. The test prints a table;
//! `--nocapture` shows it.

use std::{
    env, fs,
    num::NonZeroU32,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{Recorder, RecorderOptions, RecorderPorts, SaltPeriod, SamplingTargets};
use slugline_domain::{
    Choice, LinkId, UnixMillis, UnixSeconds, Visit, VisitFilter,
    ports::{VisitEraser, VisitSink},
};
use slugline_testkit::FixedClock;
use slugline_visitlog::EmbeddedLog;

use self::shim::{Fault, Faults, Kind, Target};
use crate::support::{DAY_MS, NEW_YEAR_MS, Seeded, file, link, ports, total, visit};

#[path = "../../../server/tests/it/faults/shim.rs"]
#[expect(
    dead_code,
    clippy::unwrap_used,
    reason = "it is part of the tests of the service"
)]
mod shim;

/// The variables that give the child its work and its folder.
const WORK: &str = "SLUGLINE_TEST_MATRIX_WORK";
const FOLDER: &str = "SLUGLINE_TEST_MATRIX_FOLDER";

const KINDS: [Kind; 5] = [
    Kind::Killed,
    Kind::IoError,
    Kind::Full,
    Kind::Torn,
    Kind::Unsynced,
];

/// The kinds of work that rewrite rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Work {
    /// A full tail becomes chunks.
    Seal,
    /// Days that are over become chunks.
    SealDays,
    /// Small chunks become one.
    Merge,
    /// Tests of erasing the visits of a link.
    Erase,
    /// Old chunks go.
    Retention,
}

impl Work {
    const ALL: [Self; 5] = [
        Self::Seal,
        Self::SealDays,
        Self::Merge,
        Self::Erase,
        Self::Retention,
    ];

    fn options(self, rows_per_chunk: usize) -> RecorderOptions {
        RecorderOptions {
            rows_per_chunk,
            batch_rows: 10,
            sampling: SamplingTargets::NONE,
            salt_period: SaltPeriod::Never,
            retention_days: NonZeroU32::new(5).filter(|_| self == Self::Retention),
            ..RecorderOptions::default()
        }
    }

    /// The number of days with visits.
    fn days(self) -> i64 {
        match self {
            Self::Seal | Self::Merge | Self::Erase => 1,
            Self::SealDays => 3,
            Self::Retention => 10,
        }
    }

    fn visits(self) -> u32 {
        match self {
            Self::Seal => 250,
            Self::SealDays => 90,
            Self::Merge => 60,
            Self::Erase => 65,
            Self::Retention => 100,
        }
    }

    /// Returns whether a visit stays after the work.
    fn stays(self, number: u32) -> bool {
        match self {
            Self::Seal | Self::SealDays | Self::Merge => true,
            Self::Erase => number.is_multiple_of(2),
            Self::Retention => number >= 50,
        }
    }

    fn link(self, number: u32) -> &'static str {
        if self.stays(number) { "kept" } else { "gone" }
    }

    /// Prepares the log before the work.
    async fn prepare(self, folder: &Path) {
        let rows_per_chunk = match self {
            Self::Seal | Self::SealDays => 1_000,
            Self::Merge | Self::Erase | Self::Retention => 10,
        };
        let options = RecorderOptions {
            retention_days: None,
            ..self.options(rows_per_chunk)
        };
        let (recorder, _log) = open(folder, options, 0);
        let per_day = i64::from(self.visits()) / self.days();
        for number in 0..self.visits() {
            let (day, second) = (i64::from(number) / per_day, i64::from(number));
            recorder.record(Visit {
                link: link(self.link(number), self.link(number), "https://example.com/"),
                ..visit(NEW_YEAR_MS + day * DAY_MS + second * 1_000, number)
            });
            if number % 10 == 9 {
                recorder.flush().await.expect("the test can work");
            }
        }
        recorder.flush().await.expect("the test can work");
        recorder.shutdown().await;
        if self == Self::Retention {
            // The last look at the clock was just before, so the log believes it.
            let sql = "INSERT OR REPLACE INTO clock VALUES (1, ?1, NULL)";
            let seen = NEW_YEAR_MS + self.now() * DAY_MS;
            let db = Connection::open(file(folder)).expect("the test can work");
            db.execute(sql, [seen]).expect("the test can work");
        }
    }

    /// The day on which the work is done.
    fn now(self) -> i64 {
        match self {
            Self::Seal | Self::Erase => 0,
            Self::SealDays | Self::Merge => 5,
            Self::Retention => 10,
        }
    }

    /// Opens the log so that the work begins.
    fn open(self, folder: &Path) -> Option<(Recorder, EmbeddedLog)> {
        let rows_per_chunk = match self {
            Self::Seal | Self::SealDays | Self::Merge => 100,
            Self::Erase | Self::Retention => 10,
        };
        let ports = ports_on(self.now());
        slugline_visitlog::start(&file(folder), self.options(rows_per_chunk), ports).ok()
    }

    fn is_done(self, folder: &Path) -> bool {
        let sql = match self {
            Self::Seal => "SELECT sum(n) >= 200 FROM chunk",
            Self::SealDays => "SELECT sum(n) = 90 FROM chunk",
            Self::Merge => "SELECT count(*) = 1 FROM chunk",
            Self::Erase => {
                "SELECT (SELECT count(*) FROM erasure) = 0 \
                 AND NOT EXISTS (SELECT 1 FROM link WHERE link_id = 'gone')"
            }
            Self::Retention => "SELECT count(*) = 5 FROM chunk",
        };
        let look = || Connection::open(file(folder))?.query_row(sql, [], |row| row.get(0));
        look().unwrap_or(false)
    }

    /// Opens the log again and again until the work is done. A failed step is repeated after an
    /// hour, or after the next opening.
    async fn finish(self, folder: &Path) {
        for _ in 0..20 {
            let Some((recorder, _log)) = self.open(folder) else {
                continue;
            };
            if self == Self::Erase && !has_mark(folder) && recorder.erase(&gone()).await.is_ok() {
                say("erased");
            }
            for _ in 0..40 {
                if self.is_done(folder) {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            recorder.shutdown().await;
            if self.is_done(folder) {
                return;
            }
        }
        panic!("{self:?} does not go on");
    }
}

#[expect(
    clippy::print_stdout,
    reason = "the parent reads it, and people look for the table"
)]
fn say(text: &str) {
    println!("{text}");
}

fn gone() -> LinkId {
    LinkId::parse("gone").expect("the test can work")
}

fn has_mark(folder: &Path) -> bool {
    let look = || {
        let db = Connection::open(file(folder))?;
        db.query_row("SELECT count(*) > 0 FROM erasure", [], |row| row.get(0))
    };
    look().unwrap_or(false)
}

fn ports_on(day: i64) -> RecorderPorts {
    let now = UnixMillis::new(NEW_YEAR_MS + day * DAY_MS).second();
    RecorderPorts {
        clock: Arc::new(FixedClock::at(now)),
        ..ports()
    }
}

fn open(folder: &Path, options: RecorderOptions, day: i64) -> (Recorder, EmbeddedLog) {
    slugline_visitlog::start(&file(folder), options, ports_on(day)).expect("the test can work")
}

/// The child: does its work. Does nothing in an ordinary run.
#[tokio::test]
async fn child_does_its_work() {
    let (Some(work), Some(folder)) = (env::var_os(WORK), env::var_os(FOLDER).map(PathBuf::from))
    else {
        return;
    };
    let work = Work::ALL
        .into_iter()
        .find(|one| work == *format!("{one:?}"));
    work.unwrap().finish(&folder).await;
}

/// The outcome of the faults of one kind of work.
#[derive(Debug, Default)]
struct Row {
    injected: u32,
    lost: u64,
    doubled: u64,
    /// Visits that the child reported as erased, but that were there.
    risen: u64,
}

/// Runs the work in a child with a fault. Returns how many calls could have failed, how many did,
/// and whether the child reported visits as erased.
fn run(work: Work, folder: &Path, kind: Kind, first: u64) -> (u64, u64, bool) {
    let faults = Faults::none();
    let mut child = Command::new(env::current_exe().expect("the test can work"));
    child
        .args(["--exact", "matrix::child_does_its_work", "--nocapture"])
        .env(WORK, format!("{work:?}"))
        .env(FOLDER, folder);
    faults.attach_to("/analytics.db", &mut child);
    faults.set(Fault {
        kind,
        target: Target::AnyFile,
        first,
        count: if kind == Kind::Torn { 2 } else { 1 },
    });
    let output = child.output().expect("the test can work");
    let said = String::from_utf8_lossy(&output.stdout);
    let died = output.status.signal() == Some(9);
    let story = format!("{work:?}, {kind:?} at {first}: {said}");
    assert!(
        output.status.success() || died && kind == Kind::Killed,
        "{story}"
    );
    (faults.calls(), faults.failed(), said.contains("erased"))
}

/// Checks the visits that have to be there, in the state after the fault and after the work has
/// continued.
async fn check(work: Work, folder: &Path, erased: bool, row: &mut Row) {
    let (recorder, log) = work.open(folder).expect("the test can work");
    count(work, &log, row).await;
    if erased {
        row.risen += of_link(&log, "gone").await.0;
    }
    recorder.shutdown().await;
    work.finish(folder).await;
    let (recorder, log) = work.open(folder).expect("the test can work");
    count(work, &log, row).await;
    let left = (0..work.visits())
        .filter(|number| work.stays(*number))
        .count();
    let all = total(&log, VisitFilter::default()).await.visits;
    assert_eq!(
        all,
        u64::try_from(left).expect("the test can work"),
        "{work:?}"
    );
    recorder.shutdown().await;
}

/// Counts visits and visitors, because each visit has a visitor of its own.
async fn count(work: Work, log: &EmbeddedLog, row: &mut Row) {
    let expected = (0..work.visits())
        .filter(|number| work.stays(*number))
        .count();
    let (visits, visitors) = of_link(log, "kept").await;
    row.lost += u64::try_from(expected).expect("the test can work") - visitors;
    row.doubled += visits - visitors;
    let (visits, visitors) = of_link(log, "gone").await;
    row.doubled += visits - visitors;
    if work == Work::Erase {
        // Either all visits are there or none.
        let whole = [
            0,
            u64::from(work.visits()) - u64::try_from(expected).expect("the test can work"),
        ];
        assert!(whole.contains(&visits), "{visits}");
    }
}

async fn of_link(log: &EmbeddedLog, link: &str) -> (u64, u64) {
    let filter = VisitFilter {
        from: UnixSeconds::new(0).ok(),
        links: Choice::any_of([LinkId::parse(link).expect("the test can work")]),
        ..VisitFilter::default()
    };
    let counters = total(log, filter).await;
    (counters.visits, counters.visitors)
}

fn copied(from: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("the test can work");
    fs::copy(file(from), file(folder.path())).expect("the test can work");
    folder
}

#[tokio::test]
async fn whatever_call_fails_no_visit_is_lost_or_doubled() {
    let number = |name| {
        let text = env::var_os(name)?.into_string().unwrap();
        Some(text.parse::<u64>().unwrap())
    };
    let seed = number("SLUGLINE_TEST_SEED").unwrap_or(std::process::id().into());
    let (random, factor) = (
        Seeded::new(seed),
        number("SLUGLINE_TEST_FAULTS").unwrap_or(1),
    );
    for work in Work::ALL {
        let template = tempfile::tempdir().unwrap();
        work.prepare(template.path()).await;
        let mut row = Row::default();
        // A run without a fault gives the number of calls.
        let calls_of = |kind| run(work, copied(template.path()).path(), kind, u64::MAX >> 2).0;
        let (all_calls, syncs) = (calls_of(Kind::IoError), calls_of(Kind::Unsynced));
        for kind in KINDS {
            let calls = if kind == Kind::Unsynced {
                syncs
            } else {
                all_calls
            };
            let faults = factor * if kind == Kind::Killed { 6 } else { 2 };
            let stride = (calls / faults).max(1);
            let mut first = 1 + random.next() % stride;
            while first <= calls {
                let folder = copied(template.path());
                let (_, failed, erased) = run(work, folder.path(), kind, first);
                row.injected += u32::from(failed > 0);
                check(work, folder.path(), erased, &mut row).await;
                first += stride;
            }
        }
        let Row {
            injected,
            lost,
            doubled,
            risen,
        } = row;
        say(&format!(
            "{work:?}: injected {injected}, lost {lost}, doubled {doubled}, risen {risen}"
        ));
        assert!(injected >= 10, "too few faults: {injected}");
        assert_eq!(
            (lost, doubled, risen),
            (0, 0, 0),
            "{work:?}, SLUGLINE_TEST_SEED={seed}"
        );
    }
}
