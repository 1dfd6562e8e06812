//! Tests of exporting visits of an embedded log to files, and of importing them.

use std::{
    env,
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{
    ImportPlanner, Imported, QueryLimits, RecorderOptions, TransferError, VisitImport,
    columns::visit_columns, journal::row_table::RowTable, row::Row, transfer::plan::BATCH,
};
use slugline_domain::{
    CountersQuery, SamplingInterval, StoredVisit, UnixMillis, VisitColumn, ports::VisitLog,
};
use slugline_testkit::{
    KilledTest,
    visit_log_contract::{Party, RandomVisit, agrees_with_sql},
    visit_store_contract::all_visits,
};
use tempfile::TempDir;

use super::rows::stored;
use crate::{
    LogIntake,
    file::{embedded_rows::EmbeddedRows, schema::open_writer},
    log::EmbeddedLog,
};

/// Visits that come one second after the other, each of another visitor.
fn visits(numbers: std::ops::Range<u64>) -> Vec<StoredVisit> {
    numbers
        .map(|number| StoredVisit {
            at: UnixMillis::new(1_767_225_600_000 + i64::try_from(number).unwrap() * 1_000),
            link: format!("link-{}", number % 7),
            visitor: number,
            interval: SamplingInterval::EVERY,
            coherent: true,
            texts: visit_columns().iter().map(VisitColumn::unknown).collect(),
        })
        .collect()
}

fn begin(path: &Path, visits: &[StoredVisit], again: bool) -> VisitImport {
    let mut planner = ImportPlanner::default();
    for visit in visits {
        planner.add(visit);
    }
    let into = LogIntake::open(path, &RecorderOptions::default()).unwrap();
    VisitImport::begin(Box::new(into), planner.finish(), again).unwrap()
}

fn import(path: &Path, visits: &[StoredVisit]) -> Imported {
    let mut import = begin(path, visits, false);
    for visit in visits {
        import.add(visit.clone()).unwrap();
    }
    import.finish().unwrap()
}

async fn total(path: &Path) -> (u64, u64) {
    let log = EmbeddedLog::open(path, QueryLimits::default()).unwrap();
    let report = log.counters(&CountersQuery::default()).await.unwrap();
    let counters = report.rows[0].counters;
    (counters.visits, counters.visitors)
}

fn chunks(path: &Path) -> u32 {
    let db = Connection::open(path).unwrap();
    db.query_row("SELECT count(*) FROM chunk", [], |row| row.get(0))
        .unwrap()
}

fn log_file() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.db");
    (folder, path)
}

/// A log whose visits are imported from the export of another one.
struct Copied {
    _folder: TempDir,
    path: PathBuf,
    log: EmbeddedLog,
}

impl Party for Copied {
    async fn store(&mut self, visits: &[RandomVisit]) {
        let (_folder, source) = log_file();
        let visits = stored(visits);
        let rows: Vec<Row<'_>> = visits.iter().map(Row::of).collect();
        let db = open_writer(&source).unwrap();
        let small = RecorderOptions {
            rows_per_chunk: 100,
            ..RecorderOptions::default()
        };
        for some in rows.chunks(70) {
            let mut table = EmbeddedRows::of_others(&small);
            table.insert(&db, &mut some.iter().cloned()).unwrap();
        }
        let source = EmbeddedLog::open(&source, QueryLimits::default()).unwrap();
        let visits = all_visits(&source).await;
        assert_eq!(visits.len(), rows.len());
        // Two rounds may have the same few visits; the second one imports its file once more.
        let mut import = begin(&self.path, &visits, true);
        for visit in visits {
            import.add(visit).unwrap();
        }
        import.finish().unwrap();
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }
}

#[tokio::test]
async fn a_log_that_was_exported_and_imported_answers_every_question_the_same() {
    for seed in 1..3 {
        let (folder, path) = log_file();
        let log = EmbeddedLog::open(&path, QueryLimits::default()).unwrap();
        let mut copied = Copied {
            _folder: folder,
            path,
            log,
        };
        agrees_with_sql(&mut copied, seed).await;
    }
}

#[tokio::test]
async fn a_file_comes_once_however_often_it_is_imported() {
    let (_folder, path) = log_file();
    let all = visits(0..BATCH * 2 + 100);
    let length = u64::try_from(all.len()).unwrap();
    let first = import(&path, &all);
    assert_eq!((first.new, first.before), (length, 0));
    let second = import(&path, &all);
    assert_eq!((second.new, second.before), (0, length));
    assert_eq!(total(&path).await, (length, length));
    let mut found = all_visits(&EmbeddedLog::open(&path, QueryLimits::default()).unwrap()).await;
    found.sort_by_key(|visit| visit.visitor);
    assert_eq!(found, all);

    // An operator may still want it.
    let mut again = begin(&path, &all[..5], true);
    for visit in &all[..5] {
        again.add(visit.clone()).unwrap();
    }
    assert_eq!(again.finish().unwrap().new, 5);
    // An empty file is one, too.
    assert_eq!(import(&path, &[]), Imported { new: 0, before: 0 });
}

#[tokio::test]
async fn two_imports_of_one_file_at_once_bring_it_once() {
    let (_folder, path) = log_file();
    let all = visits(0..BATCH * 3 + 1);
    let mut both = [begin(&path, &all, false), begin(&path, &all, false)];
    for visit in &all {
        for import in &mut both {
            import.add(visit.clone()).unwrap();
        }
    }
    let done = both.map(|import| import.finish().unwrap());
    assert_eq!(done[0].new + done[1].new, BATCH * 3 + 1);
    assert_eq!(total(&path).await.0, BATCH * 3 + 1);
}

#[tokio::test]
async fn a_file_that_changes_is_refused_before_its_changed_batch() {
    let (_folder, path) = log_file();
    let mut all = visits(0..BATCH + 10);
    let mut import = begin(&path, &all, false);
    all.last_mut().unwrap().visitor += 1;
    for visit in &all {
        import.add(visit.clone()).unwrap();
    }
    assert!(matches!(import.finish(), Err(TransferError::Changed)));
    assert_eq!(total(&path).await.0, BATCH);

    let mut import = begin(&path, &all, false);
    import.add(all[0].clone()).unwrap();
    assert!(matches!(import.finish(), Err(TransferError::Changed)));
}

#[tokio::test]
async fn a_batch_that_cannot_be_stored_leaves_no_mark() {
    let (_folder, path) = log_file();
    let all = visits(0..BATCH * 2);
    let mut broken = begin(&path, &all, false);
    let db = Connection::open(&path).unwrap();
    for fault in ["INSERT ON chunk", "INSERT ON imported"] {
        let trigger = format!(
            "CREATE TRIGGER disk_full BEFORE {fault} BEGIN SELECT RAISE(ABORT, 'full'); END"
        );
        db.execute_batch(&trigger).unwrap();
        let failed = all.iter().try_for_each(|visit| broken.add(visit.clone()));
        assert!(matches!(failed, Err(TransferError::Database(_))), "{fault}");
        db.execute_batch("DROP TRIGGER disk_full").unwrap();
        assert_eq!(total(&path).await.0, 0);
        broken = begin(&path, &all, false);
    }
    assert_eq!(import(&path, &all).new, BATCH * 2);
    assert_eq!(total(&path).await.0, BATCH * 2);
}

#[tokio::test]
async fn a_rebuilt_log_remembers_what_was_imported() {
    let (_folder, path) = log_file();
    let all = visits(0..100);
    import(&path, &all);
    let now = slugline_domain::UnixSeconds::new(1_800_000_000).unwrap();
    crate::file::salvage::rebuild(&path, now).unwrap();
    assert_eq!(import(&path, &all).new, 0);
}

/// Gives the child process the file of its log.
const FILE: &str = "SLUGLINE_TEST_IMPORT_INTO";
const VISITS: u64 = BATCH * 6 + 77;

/// The child: imports, and reports each batch that is in. Does nothing in an ordinary run.
#[tokio::test]
async fn child_imports_until_it_is_killed() {
    let Some(path) = env::var_os(FILE).map(PathBuf::from) else {
        return;
    };
    let all = visits(0..VISITS);
    let mut import = begin(&path, &all, false);
    for visit in all {
        let before = import.done();
        import.add(visit).unwrap();
        if import.done() != before {
            println!("stored {}", import.done().new);
            std::io::stdout().flush().unwrap();
        }
    }
    import.finish().unwrap();
}

#[tokio::test]
async fn an_import_that_is_killed_again_and_again_brings_each_visit_once() {
    let (_folder, path) = log_file();
    let child = "tests::imports::child_imports_until_it_is_killed";
    let start = || KilledTest::start(child, [(FILE, &path)]);
    KilledTest::again_and_again(start, "stored", Duration::from_millis(200));
    let before = total(&path).await;
    assert!(before.0 > 0 && before.0 == before.1, "{before:?}");
    let done = import(&path, &visits(0..VISITS));
    assert_eq!((done.new + done.before, done.before), (VISITS, before.0));
    assert_eq!(total(&path).await, (VISITS, VISITS));
}

#[tokio::test]
async fn an_import_in_order_of_links_makes_no_more_chunks_than_one_in_order_of_time() {
    const DAY_MS: i64 = 86_400_000;
    const DAYS: u64 = 1_500;
    let mut by_time: Vec<StoredVisit> = visits(0..4 * BATCH)
        .into_iter()
        .map(|visit| StoredVisit {
            at: UnixMillis::new(visit.visitor.cast_signed() * DAY_MS / 65_536 * 1_500),
            link: format!("link-{:03}", visit.visitor * 7_919 % 200),
            ..visit
        })
        .collect();
    by_time.sort_by_key(|visit| visit.at);
    let mut by_link = by_time.clone();
    by_link.sort_by(|one, next| one.link.cmp(&next.link));

    let (_folder, path) = log_file();
    import(&path, &by_time);
    let in_order = chunks(&path);
    assert!((1_500..1_510).contains(&in_order), "{in_order}");
    let expected = (4 * BATCH, 4 * BATCH);
    assert_eq!(total(&path).await, expected);

    let (_folder, path) = log_file();
    import(&path, &by_link);
    assert!(chunks(&path) * 10 <= in_order * 11, "{}", chunks(&path));
    assert_eq!(total(&path).await, expected);

    // Of an import that was killed, some chunks are not merged; the next one merges them.
    let (_folder, path) = log_file();
    let mut killed = begin(&path, &by_link, false);
    let half = by_link.len() / 2;
    for visit in &by_link[..half] {
        killed.add(visit.clone()).unwrap();
    }
    drop(killed);
    assert!(u64::from(chunks(&path)) > DAYS * 3 / 2);
    let imported = import(&path, &by_link);
    assert_eq!(imported.before, 2 * BATCH);
    assert!(chunks(&path) * 10 <= in_order * 11, "{}", chunks(&path));
    assert_eq!(total(&path).await, expected);
}
