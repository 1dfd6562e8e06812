use std::{fs, path::Path, sync::Arc, time::Duration};

use rusqlite::Connection;
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_domain::{
    Choice, Dimension, Erasure, FollowedLink, LinkId, UnixSeconds, Visit, VisitFilter,
    ports::{VisitEraser, VisitLog, VisitSink},
};
use slugline_testkit::questions;
use slugline_visitlog::{EmbeddedLog, examine, rebuild};

use crate::support::{
    DAY_MS, Fixture, NEW_YEAR_MS, eventually, file, link, open, total, visit, visits,
};

/// Words that only the erased link has.
const WORDS: [&str; 3] = ["erased-id-7", "erased-slug", "erased.example"];

fn options() -> RecorderOptions {
    RecorderOptions {
        rows_per_chunk: 64,
        batch_rows: 15,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    }
}

fn erased() -> Arc<FollowedLink> {
    link(WORDS[0], WORDS[1], "https://erased.example/path")
}

fn id() -> LinkId {
    LinkId::parse(WORDS[0]).expect("the test can work")
}

/// Visits of three days, every third one of the link that will be erased: 20 a day of 60.
async fn three_days() -> Fixture {
    let fixture = Fixture::new(options());
    for number in 0..180_u32 {
        let at = NEW_YEAR_MS + i64::from(number / 60) * DAY_MS + i64::from(number);
        let visit = visit(at, number);
        let visit = if number % 3 == 0 {
            Visit {
                link: erased(),
                ..visit
            }
        } else {
            visit
        };
        fixture.recorder.record(visit);
        if number % 10 == 0 {
            fixture.recorder.flush().await.expect("the test can work");
        }
    }
    fixture.recorder.flush().await.expect("the test can work");
    fixture.recorder.flush().await.expect("the test can work");
    assert_eq!(visits(&fixture.log).await, 180);
    fixture
}

async fn erase(fixture: &Fixture) {
    assert_eq!(
        fixture
            .recorder
            .erase(&id())
            .await
            .expect("the test can work"),
        Erasure::Done
    );
}

fn marks(file: &Path) -> u32 {
    let db = Connection::open(file).expect("the test can work");
    db.query_row("SELECT count(*) FROM erasure", [], |row| row.get(0))
        .expect("the test can work")
}

/// Waits until the file has none of the rows.
async fn until_gone(fixture: &Fixture) {
    let file = fixture.file();
    eventually("the rows are gone", || marks(&file) == 0).await;
}

/// The number of rows in chunks.
fn rows_in_chunks(file: &Path) -> u32 {
    let db = Connection::open(file).expect("the test can work");
    db.query_row("SELECT sum(n) FROM chunk", [], |row| row.get(0))
        .expect("the test can work")
}

/// Waits until a pass has left this number of rows in chunks, and gives it time to end. The mark
/// must stay.
async fn mark_stays_after_a_pass_to(fixture: &Fixture, rows: u32) {
    let file = fixture.file();
    eventually("a pass erases rows", || rows_in_chunks(&file) == rows).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!((marks(&file), rows_in_chunks(&file)), (1, rows));
}

/// Keeps the rows in the file until the trigger is dropped.
fn rows_stay(fixture: &Fixture) -> Connection {
    let other = Connection::open(fixture.file()).expect("the test can work");
    let sql = "CREATE TRIGGER full BEFORE DELETE ON chunk BEGIN SELECT RAISE(ABORT, 'full'); END";
    other.execute_batch(sql).expect("the test can work");
    other
}

async fn of_slug(log: &EmbeddedLog, slug: &str) -> u64 {
    total(log, questions::having(Dimension::Slug, slug))
        .await
        .visits
}

async fn of_link(log: &EmbeddedLog) -> u64 {
    let query = questions::by_link(questions::of_links(Choice::any_of([id()])));
    let report = log.counters(&query).await.expect("the test can work");
    report.rows.iter().map(|row| row.counters.visits).sum()
}

#[tokio::test]
async fn no_answer_has_the_visits_from_the_moment_of_the_answer() {
    let fixture = three_days().await;
    assert_eq!(of_link(&fixture.log).await, 60);
    let other = rows_stay(&fixture);
    erase(&fixture).await;
    let log = &fixture.log;
    assert_eq!((visits(log).await, of_link(log).await), (120, 0));
    assert_eq!(of_slug(log, WORDS[1]).await, 0);
    let without = questions::of_links(Choice::none_of([LinkId::parse("docs-1").unwrap()]));
    assert_eq!(total(log, without).await.visits, 0);
    let query = questions::latest(VisitFilter::default());
    let events = log.events(&query).await.unwrap();
    assert_eq!(events.len(), 120);
    let slugs = events.iter().map(|event| event.value(Dimension::Slug));
    assert!(slugs.into_iter().all(|slug| slug != WORDS[1]));
    assert_eq!(marks(&fixture.file()), 1);

    other.execute_batch("DROP TRIGGER full").unwrap();
    let fixture = fixture.reopen(options()).await;
    until_gone(&fixture).await;
    let log = &fixture.log;
    assert_eq!((visits(log).await, of_slug(log, WORDS[1]).await), (120, 0));
}

#[tokio::test]
async fn later_visits_of_the_link_are_new() {
    let fixture = three_days().await;
    for round in 1..4 {
        erase(&fixture).await;
        for client in 0..7 {
            fixture.recorder.record(Visit {
                link: erased(),
                ..visit(NEW_YEAR_MS + 3 * DAY_MS + round, client)
            });
        }
        fixture.recorder.flush().await.unwrap();
        assert_eq!(of_link(&fixture.log).await, 7);
        if round % 2 == 0 {
            until_gone(&fixture).await;
        }
        assert_eq!(visits(&fixture.log).await, 127);
    }
    until_gone(&fixture).await;
    assert_eq!(of_link(&fixture.log).await, 7);
    let fixture = fixture.reopen(options()).await;
    assert_eq!(of_link(&fixture.log).await, 7);
}

#[tokio::test]
async fn visits_that_wait_in_the_queue_are_erased_too() {
    let fixture = three_days().await;
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let record = |clients: std::ops::Range<u32>| {
        for client in clients {
            let visit = visit(NEW_YEAR_MS + 3 * DAY_MS, client);
            let link = if client % 2 == 0 {
                erased()
            } else {
                visit.link.clone()
            };
            fixture.recorder.record(Visit { link, ..visit });
        }
    };
    record(0..40);
    let id = id();
    let (erased, ()) = tokio::join!(fixture.recorder.erase(&id), async {
        // The order was polled first, so it is in the queue; its answer needs the database.
        record(40..60);
        other.execute_batch("COMMIT").unwrap();
    });
    assert_eq!(erased.unwrap(), Erasure::Done);
    record(60..66);
    fixture.recorder.flush().await.unwrap();
    let log = &fixture.log;
    assert_eq!((of_link(log).await, visits(log).await), (3, 120 + 36));
    assert_eq!(fixture.recorder.dropped(), 0);
}

/// The words of the erased link in the files of a folder.
fn words_in(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the test can work") {
        let path = entry.expect("the test can work").path();
        let content = fs::read(&path).expect("the test can work");
        for word in WORDS {
            let word = word.as_bytes();
            if content.windows(word.len()).any(|window| window == word) {
                let name = path
                    .file_name()
                    .expect("the test can work")
                    .to_string_lossy()
                    .into_owned();
                found.push(format!("{} in {name}", String::from_utf8_lossy(word)));
            }
        }
    }
    found
}

#[tokio::test]
async fn nothing_of_the_visits_is_left_on_the_disk() {
    let options = RecorderOptions {
        rows_per_chunk: 500,
        batch_rows: 200,
        ..options()
    };
    let fixture = Fixture::new(options);
    // The visits are old enough to be merged, and enough to fill whole pages.
    for number in 0..6_000_u32 {
        let at = NEW_YEAR_MS - i64::from(number % 5 + 1) * DAY_MS + i64::from(number);
        let visit = visit(at, number);
        let link = if number % 4 == 0 {
            let padding = "x".repeat(usize::try_from(number % 700).unwrap());
            let url = format!("https://erased.example/{number}/{padding}");
            link(WORDS[0], WORDS[1], &url)
        } else {
            visit.link.clone()
        };
        fixture.recorder.record(Visit { link, ..visit });
        if number % 150 == 0 {
            fixture.recorder.flush().await.unwrap();
        }
    }
    fixture.recorder.flush().await.unwrap();
    let folder = fixture.folder.path();
    assert!(!words_in(folder).is_empty());
    erase(&fixture).await;
    until_gone(&fixture).await;
    // The wiping of the write-ahead log follows.
    let mut left = Vec::new();
    for _ in 0..500 {
        left = words_in(folder);
        if left.is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(left, [""; 0]);
    assert_eq!(visits(&fixture.log).await, 4_500);
    assert!(is_sound(&fixture));
}

#[tokio::test]
async fn an_erasure_that_cannot_be_stored_changes_nothing() {
    let fixture = three_days().await;
    let other = Connection::open(fixture.file()).unwrap();
    other
        .execute_batch(
            "CREATE TRIGGER full BEFORE INSERT ON erasure BEGIN SELECT RAISE(ABORT, 'full'); END",
        )
        .unwrap();
    fixture.recorder.record(Visit {
        link: erased(),
        ..visit(NEW_YEAR_MS, 1_000)
    });
    fixture.recorder.erase(&id()).await.unwrap_err();
    fixture.recorder.flush().await.unwrap();
    assert_eq!(of_link(&fixture.log).await, 61);
    other.execute_batch("DROP TRIGGER full").unwrap();
    erase(&fixture).await;
    assert_eq!(of_link(&fixture.log).await, 0);
}

#[tokio::test]
async fn a_link_without_visits_can_be_erased() {
    let fixture = three_days().await;
    let nobody = LinkId::parse("nobody").unwrap();
    assert_eq!(
        fixture.recorder.erase(&nobody).await.unwrap(),
        Erasure::Done
    );
    assert_eq!(
        (marks(&fixture.file()), visits(&fixture.log).await),
        (0, 180)
    );
}

#[tokio::test]
async fn an_erasure_goes_on_after_a_restart() {
    let fixture = three_days().await;
    let other = rows_stay(&fixture);
    erase(&fixture).await;
    fixture.recorder.flush().await.unwrap();
    assert_eq!(marks(&fixture.file()), 1);
    let fixture = fixture.reopen(options()).await;
    assert_eq!(
        (marks(&fixture.file()), of_link(&fixture.log).await),
        (1, 0)
    );
    assert_eq!(visits(&fixture.log).await, 120);
    other.execute_batch("DROP TRIGGER full").unwrap();
    let fixture = fixture.reopen(options()).await;
    until_gone(&fixture).await;
    assert_eq!(visits(&fixture.log).await, 120);
}

#[tokio::test]
async fn a_process_that_remembers_the_links_number_learns_of_the_erasure() {
    let fixture = three_days().await;
    let (second, _log) = open(&file(fixture.folder.path()), options());
    let record = |client| {
        second.record(Visit {
            link: erased(),
            ..visit(NEW_YEAR_MS, client)
        });
    };
    record(1_000);
    second.flush().await.unwrap();
    erase(&fixture).await;
    record(1_001);
    second.flush().await.unwrap();
    until_gone(&fixture).await;
    assert_eq!(of_link(&fixture.log).await, 1);
    assert_eq!(visits(&fixture.log).await, 121);
}

/// Closes the log, rebuilds it and opens it again.
async fn rebuilt(fixture: Fixture) -> Fixture {
    let Fixture {
        recorder,
        log,
        folder,
    } = fixture;
    recorder.shutdown().await;
    drop((recorder, log));
    rebuild(
        &file(folder.path()),
        UnixSeconds::new(1).expect("the test can work"),
    )
    .expect("the test can work");
    Fixture::in_folder(options(), folder)
}

#[tokio::test]
async fn visits_in_a_damaged_chunk_stay_hidden_until_a_rebuild() {
    let fixture = three_days().await;
    let other = Connection::open(fixture.file()).unwrap();
    other
        .execute_batch(
            "UPDATE part SET data = zeroblob(length(data)) \
             WHERE id / 256 = (SELECT min(id) FROM chunk)",
        )
        .unwrap();
    erase(&fixture).await;
    // The damaged chunk is the one of the first day.
    assert_eq!(visits(&fixture.log).await, 80);
    mark_stays_after_a_pass_to(&fixture, 60 + 80).await;
    let links = examine(&fixture.file()).unwrap();
    let links = links.iter().find(|one| one.what == "links").unwrap();
    assert!(links.sound, "{}", links.found);

    drop(other);
    let fixture = rebuilt(fixture).await;
    until_gone(&fixture).await;
    assert_eq!(visits(&fixture.log).await, 80);
    assert!(is_sound(&fixture));
}

fn is_sound(fixture: &Fixture) -> bool {
    let examined = examine(&fixture.file()).expect("the file can be examined");
    examined.iter().all(|one| one.sound)
}

#[tokio::test]
async fn a_rebuild_during_an_erasure_drops_the_visits() {
    let fixture = three_days().await;
    let other = rows_stay(&fixture);
    erase(&fixture).await;
    let links = examine(&fixture.file()).unwrap();
    let links = links.iter().find(|one| one.what == "links").unwrap();
    assert_eq!(links.found, "2 have visits, those of 1 are being erased");
    drop(other);
    let fixture = rebuilt(fixture).await;
    until_gone(&fixture).await;
    assert_eq!(visits(&fixture.log).await, 120);
    assert!(is_sound(&fixture));
}

#[tokio::test]
async fn visits_in_a_damaged_batch_of_the_tail_stay_hidden() {
    let fixture = three_days().await;
    let other = Connection::open(fixture.file()).unwrap();
    let damaged = other.execute("UPDATE tail SET rows = zeroblob(length(rows))", []);
    assert!(damaged.unwrap() > 0);
    // Every third row is of the link.
    let sound = rows_in_chunks(&fixture.file()) / 3 * 2;
    erase(&fixture).await;
    mark_stays_after_a_pass_to(&fixture, sound).await;
    assert_eq!(of_slug(&fixture.log, WORDS[1]).await, 0);
}
