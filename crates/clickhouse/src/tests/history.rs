//! Visits of files and of an embedded log on their way to ClickHouse, and out of it.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use rstest::rstest;
use rusqlite::Connection;
use slugline_analytics::{
    ImportPlanner, Imported, OpenError, QueryLimits, RecorderOptions, TransferError, VisitImport,
    columns::visit_columns, transfer::Intake, utc::MILLIS_PER_DAY,
};
use slugline_domain::{
    Counters, CountersQuery, Dimension, SamplingInterval, StoredVisit, UnixMillis, UnixSeconds,
    VisitFilter,
    ports::{Clock, Random, VisitLog},
};
use slugline_testkit::{
    ClickHouseEngine::{self, Library, Server},
    FixedClock, KilledTest, SeededRandom, questions,
    visit_store_contract::all_visits,
};
use slugline_visitlog::{EmbeddedLog, LogIntake, Moved, history_in, move_history};

use super::{
    address::Address,
    recording::{self, eventually, total, waiting},
    wire::TestWire,
};
use crate::{
    connection::{ClickHouseWire, WireAnswer, WireBody, WireError, WireRequest},
    history::History,
    log::ClickHouseLog,
    open::ClickHouseOptions,
    schema, visits,
};

/// Visits over some days, each of another visitor.
pub(super) fn visits_of(numbers: std::ops::Range<u64>) -> Vec<StoredVisit> {
    let visit = |number: u64| {
        let number_ms = i64::try_from(number).unwrap();
        let texts = visit_columns().iter().map(|column| match column.name {
            "slug" => "docs",
            "url" => "https://example.com/ü",
            "latitude" => "-33.87",
            _ => column.unknown(),
        });
        StoredVisit {
            at: UnixMillis::new(number_ms % 3 * MILLIS_PER_DAY + number_ms),
            link: format!("link-{}", number % 7),
            visitor: u64::MAX - number,
            interval: SamplingInterval::EVERY,
            coherent: true,
            texts: texts.collect(),
        }
    };
    numbers.map(visit).collect()
}

pub(super) fn seeded() -> Arc<dyn Random> {
    Arc::new(SeededRandom::new(recording::seed()))
}

fn clickhouse(address: &Address, folder: &Path) -> (ClickHouseOptions, Arc<TestWire>) {
    recording::options(address, folder)
}

fn log_of(address: &Address) -> ClickHouseLog {
    ClickHouseLog::open(address.target.clone(), address.wire())
}

/// A clock that shows a moment after every visit and every order.
pub(super) fn clock() -> Arc<dyn Clock> {
    Arc::new(FixedClock::at(UnixSeconds::new(4_000_000_000).unwrap()))
}

pub(super) async fn through_spool(
    options: ClickHouseOptions,
    random: Arc<dyn Random>,
) -> Result<Box<dyn Intake>, OpenError> {
    let history = History::open(options, clock(), random).await?;
    Ok(Box::new(history))
}

fn begin(into: Box<dyn Intake>, visits: &[StoredVisit]) -> VisitImport {
    let mut planner = ImportPlanner::default();
    for visit in visits {
        planner.add(visit);
    }
    VisitImport::begin(into, planner.finish(), false).unwrap()
}

pub(super) async fn import(
    into: Box<dyn Intake>,
    visits: &[StoredVisit],
) -> Result<Imported, TransferError> {
    let mut import = begin(into, visits);
    for visit in visits {
        import.add(visit.clone())?;
    }
    tokio::task::spawn_blocking(|| import.finish())
        .await
        .unwrap()
}

/// An embedded log with these visits, in a folder.
async fn embedded(folder: &Path, visits: &[StoredVisit]) -> PathBuf {
    let path = folder.join("a.db");
    let into = LogIntake::open(&path, &RecorderOptions::default()).unwrap();
    import(Box::new(into), visits).await.unwrap();
    path
}

async fn moved(address: &Address, folder: &Path) -> Result<Moved, TransferError> {
    let (options, _) = clickhouse(address, folder);
    moved_with(&folder.join("a.db"), options).await
}

async fn moved_with(path: &Path, options: ClickHouseOptions) -> Result<Moved, TransferError> {
    let random = seeded();
    let into = History::open(options, clock(), Arc::clone(&random)).await?;
    let path = path.to_owned();
    let moving = move || move_history(&path, &into, random.as_ref(), &mut |_| {});
    tokio::task::spawn_blocking(moving).await.unwrap()
}

fn sorted(mut visits: Vec<StoredVisit>) -> Vec<StoredVisit> {
    visits.sort_by_key(|visit| u64::MAX - visit.visitor);
    visits
}

fn counts(found: Counters) -> (u64, u64) {
    (found.visits, found.visitors)
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_file_goes_through_the_spool_once_and_comes_back_as_it_was(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let all = visits_of(0..20_000);
    for new in [20_000, 0] {
        let (options, _) = clickhouse(&address, folder.path());
        let into = through_spool(options, seeded()).await.unwrap();
        assert_eq!(import(into, &all).await.unwrap().new, new);
    }
    assert_eq!(waiting(folder.path()), 0);
    let log = log_of(&address);
    assert_eq!(sorted(all_visits(&log).await), all);
    let one = questions::having(Dimension::Ip, &format!("{:016x}", u64::MAX - 7));
    let mut rows = log.visits(&one).await.unwrap();
    assert_eq!(rows.next().await.unwrap(), all[7..8]);
    assert_eq!(rows.next().await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread")]
async fn visits_of_more_months_than_clickhouse_takes_by_default_are_one_shipment() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let all: Vec<StoredVisit> = (0..)
        .zip(visits_of(0..120))
        .map(|(month, visit)| StoredVisit {
            at: UnixMillis::new(month * 31 * MILLIS_PER_DAY),
            ..visit
        })
        .collect();
    let (options, _) = clickhouse(&address, folder.path());
    let random = seeded();
    let into = through_spool(options, random).await.unwrap();
    assert_eq!(import(into, &all).await.unwrap().new, 120);
    assert_eq!(sorted(all_visits(&log_of(&address)).await), all);
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn a_log_moves_to_clickhouse_and_leaves_nothing_behind(
    #[values(Library, Server)] engine: ClickHouseEngine,
) {
    let (address, folder) = (Address::shared(engine), tempfile::tempdir().unwrap());
    let all = visits_of(0..40_000);
    let path = embedded(folder.path(), &all).await;
    assert!(history_in(&path).unwrap());
    assert!(!history_in(&folder.path().join("none.db")).unwrap());
    let gaps = "INSERT INTO loss VALUES (5, 6, 70); \
                INSERT INTO sampled VALUES (1, 9, 9, 'docs-1', 'docs', 8)";
    Connection::open(&path)
        .unwrap()
        .execute_batch(gaps)
        .unwrap();

    let done = moved(&address, folder.path()).await.unwrap();
    assert_eq!((done.visits, done.damaged.len()), (40_000, 0));
    assert!(!history_in(&path).unwrap());
    assert_eq!(sorted(all_visits(&log_of(&address)).await), all);
    let asked = async |from: i64, until: i64, slug: &str| {
        let values = questions::having(Dimension::Slug, slug).values;
        let filter = questions::between(from * 60, until * 60);
        let query = questions::total(VisitFilter { values, ..filter });
        let sampling = log_of(&address).counters(&query).await.unwrap().sampling;
        (sampling.interval_max.get(), sampling.dropped)
    };
    assert_eq!(asked(6, 6, "docs").await, (1, 70), "losses move, too");
    assert_eq!(
        asked(7, 9, "docs").await,
        (8, 0),
        "and so does what was sampled"
    );
    assert_eq!(asked(7, 9, "other").await, (1, 0));
    assert_eq!(
        moved(&address, folder.path()).await.unwrap(),
        Moved::default()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_loses_acknowledgements_ships_each_visit_once() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let path = embedded(folder.path(), &visits_of(0..20_000)).await;
    let (options, wire) = clickhouse(&address, folder.path());
    wire.lose(2);
    moved_with(&path, options).await.unwrap();
    assert_eq!(wire.answers_to_lose(), 0);
    let found = total(&log_of(&address)).await.unwrap();
    assert_eq!(counts(found), (20_000, 20_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_in_use_is_not_moved_and_two_moves_are_one() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let path = embedded(folder.path(), &visits_of(0..20_000)).await;
    let in_use = slugline_analytics::journal::lock::share(&path).unwrap();
    let refused = moved(&address, folder.path()).await.unwrap_err();
    assert!(matches!(
        refused,
        TransferError::Open(OpenError::InUse { .. })
    ));
    drop(in_use);

    let (one, other) = tokio::join!(
        moved(&address, folder.path()),
        moved(&address, folder.path())
    );
    for outcome in [one, other] {
        assert!(
            matches!(
                outcome,
                Ok(_) | Err(TransferError::Open(OpenError::InUse { .. }))
            ),
            "{outcome:?}"
        );
    }
    moved(&address, folder.path()).await.unwrap();
    let found = total(&log_of(&address)).await.unwrap();
    assert_eq!(counts(found), (20_000, 20_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_move_that_fails_at_any_step_goes_on_where_it_was() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let path = embedded(folder.path(), &visits_of(0..20_000)).await;
    let (options, _) = clickhouse(&address, folder.path());
    let spool = options.spool;
    slugline_analytics::journal::open::open_file(&crate::spool::FILE, &spool).unwrap();
    let log = Connection::open(&path).unwrap();
    let tables = "CREATE TABLE leaving (token TEXT PRIMARY KEY, losses INTEGER NOT NULL, \
                  visits INTEGER NOT NULL, data BLOB NOT NULL) STRICT, WITHOUT ROWID";
    log.execute_batch(tables).unwrap();
    let tokens = "CREATE TABLE arrived (token TEXT PRIMARY KEY) STRICT, WITHOUT ROWID";
    let spool = Connection::open(&spool).unwrap();
    spool.busy_timeout(Duration::from_mins(1)).unwrap();
    spool.execute_batch(tokens).unwrap();
    for (db, fault) in [
        (&log, "DELETE ON chunk"),
        (&log, "INSERT ON leaving"),
        (&spool, "INSERT ON arrived"),
        (&spool, "INSERT ON spool"),
        (&log, "DELETE ON leaving"),
    ] {
        let trigger = format!(
            "CREATE TRIGGER disk_full BEFORE {fault} BEGIN SELECT RAISE(ABORT, 'full'); END"
        );
        db.execute_batch(&trigger).unwrap();
        let failed = moved(&address, folder.path()).await;
        assert!(
            matches!(failed, Err(TransferError::Database(_))),
            "{fault}: {failed:?}"
        );
        db.execute_batch("DROP TRIGGER disk_full").unwrap();
        assert!(history_in(&path).unwrap(), "{fault}");
    }
    drop((log, spool));
    moved(&address, folder.path()).await.unwrap();
    let found = total(&log_of(&address)).await.unwrap();
    assert_eq!(counts(found), (20_000, 20_000));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_chunk_stays_and_is_named() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let path = embedded(folder.path(), &visits_of(0..20_000)).await;
    let log = Connection::open(&path).unwrap();
    let damage = "UPDATE chunk SET directory = x'00' WHERE id = (SELECT min(id) FROM chunk)";
    log.execute(damage, []).unwrap();
    let lost: u64 = log
        .query_row("SELECT n FROM chunk ORDER BY id LIMIT 1", [], |row| {
            row.get::<_, u32>(0)
        })
        .unwrap()
        .into();
    drop(log);
    let done = moved(&address, folder.path()).await.unwrap();
    assert_eq!((done.visits, done.damaged.len()), (20_000 - lost, 1));
    assert!(history_in(&path).unwrap());
}

#[tokio::test]
async fn nothing_leaves_while_clickhouse_is_away() {
    let folder = tempfile::tempdir().unwrap();
    let (address, _server) = Address::away(Library);
    let path = embedded(folder.path(), &visits_of(0..10)).await;
    let refused = moved(&address, folder.path()).await.unwrap_err();
    assert!(matches!(
        refused,
        TransferError::Open(OpenError::ClickHouse { .. })
    ));
    let log = EmbeddedLog::open(&path, QueryLimits::default()).unwrap();
    assert_eq!(all_visits(&log).await.len(), 10);
}

/// Gives the child process its folder, ClickHouse's address, and its task.
const FOLDER: &str = "SLUGLINE_TEST_HISTORY_FOLDER";
const TARGET: &str = "SLUGLINE_TEST_HISTORY_URL";
const WORK: &str = "SLUGLINE_TEST_HISTORY_WORK";
const VISITS: u64 = 60_000;

/// The child: moves or imports. Does nothing in an ordinary run.
#[tokio::test(flavor = "multi_thread")]
async fn child_moves_or_imports_until_it_is_killed() {
    let told = |name| env::var_os(name)?.into_string().ok();
    let Some(folder) = told(FOLDER).map(PathBuf::from) else {
        return;
    };
    let address = Address::at(&told(TARGET).unwrap(), Library);
    let (options, wire) = clickhouse(&address, &folder);
    wire.lose(1);
    println!("begins");
    std::io::stdout().flush().unwrap();
    if told(WORK).unwrap() == "move" {
        let path = folder.join("a.db");
        moved_with(&path, options).await.unwrap();
    } else {
        let random = seeded();
        let into = through_spool(options, random).await.unwrap();
        import(into, &visits_of(0..VISITS)).await.unwrap();
    }
    println!("done");
}

#[rstest]
#[tokio::test(flavor = "multi_thread")]
async fn what_is_killed_again_and_again_ships_each_visit_once(
    #[values("move", "import")] work: &'static str,
) {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    let all = visits_of(0..VISITS);
    if work == "move" {
        embedded(folder.path(), &all).await;
    }
    let start = || {
        let environment = [
            (FOLDER, folder.path().as_os_str()),
            (TARGET, address.url.as_ref()),
            (WORK, work.as_ref()),
        ];
        let child = "tests::history::child_moves_or_imports_until_it_is_killed";
        KilledTest::start(child, environment)
    };
    KilledTest::again_and_again(start, "begins", Duration::from_millis(1_500));
    if work == "move" {
        moved(&address, folder.path()).await.unwrap();
    } else {
        let (options, _) = clickhouse(&address, folder.path());
        let random = seeded();
        let into = through_spool(options, random).await.unwrap();
        import(into, &all).await.unwrap();
    }
    eventually("an empty spool", async || waiting(folder.path()) == 0).await;
    assert_eq!(sorted(all_visits(&log_of(&address)).await), all);
}

/// Changes the answer that a real ClickHouse gives.
#[derive(Debug)]
struct Spoilt {
    wire: Arc<TestWire>,
    spoil: fn(&mut Vec<u8>),
}

#[derive(Debug)]
struct Whole(Option<Vec<u8>>);

#[async_trait]
impl WireBody for Whole {
    async fn next(&mut self) -> Result<Option<Vec<u8>>, WireError> {
        Ok(self.0.take())
    }
}

#[async_trait]
impl ClickHouseWire for Spoilt {
    async fn post(&self, request: WireRequest) -> Result<WireAnswer, WireError> {
        let mut answer = self.wire.post(request).await?;
        let mut whole = Vec::new();
        while let Some(more) = answer.body.next().await? {
            whole.extend(more);
        }
        (self.spoil)(&mut whole);
        Ok(WireAnswer {
            status: answer.status,
            body: Box::new(Whole(Some(whole))),
        })
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_ends_in_an_error_is_not_taken_for_the_whole() {
    let (address, folder) = (Address::shared(Library), tempfile::tempdir().unwrap());
    schema::prepare(&address.client(), None).await.unwrap();
    embedded(folder.path(), &visits_of(0..10)).await;
    moved(&address, folder.path()).await.unwrap();
    let spoilers: [fn(&mut Vec<u8>); 3] = [
        |answer| answer.extend(b"Code: 241. DB::Exception: Memory limit (total) exceeded"),
        |answer| answer.extend(b"Cod"),
        |answer| answer.truncate(answer.len() - 1),
    ];
    for spoil in spoilers {
        let wire = Spoilt {
            wire: address.wire(),
            spoil,
        };
        let log = ClickHouseLog::open(address.target.clone(), Arc::new(wire));
        let mut rows = log.visits(&VisitFilter::default()).await.unwrap();
        let mut outcome = rows.next().await;
        while matches!(&outcome, Ok(visits) if !visits.is_empty()) {
            outcome = rows.next().await;
        }
        assert!(outcome.is_err());
    }
    assert!(visits::visits(&VisitFilter::default()).contains("toUInt32("));
    let counters = log_of(&address).counters(&CountersQuery::default()).await;
    assert_eq!(counters.unwrap().rows[0].counters.visits, 10);
}
