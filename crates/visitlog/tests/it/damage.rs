use std::{
    error::Error,
    fs,
    io::{Seek, SeekFrom, Write},
    path::Path,
    time::Duration,
};

use rusqlite::Connection;
use slugline_analytics::{OpenError, RecorderOptions, SamplingTargets};
use slugline_domain::{
    CountersQuery, LogTrouble, UnixSeconds, Visit, VisitFilter, VisitHeaders,
    ports::{VisitLog, VisitSink},
};
use slugline_testkit::questions;
use slugline_visitlog::{examine, rebuild};

use crate::support::{DAY_MS, Fixture, NEW_YEAR_MS, file, open, ports, total, visit};

fn options() -> RecorderOptions {
    RecorderOptions {
        rows_per_chunk: 64,
        // A chunk has four batches of this length.
        batch_rows: 16,
        batch_age: Duration::from_mins(1),
        ..RecorderOptions::default()
    }
}

async fn with_one_chunk() -> Fixture {
    let fixture = Fixture::new(options());
    for client in 0..64 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture
        .recorder
        .flush()
        .await
        .expect("the log takes visits");
    // This also waits for the sealing that follows a commit.
    fixture
        .recorder
        .flush()
        .await
        .expect("the log takes visits");
    fixture
}

#[tokio::test]
async fn a_damaged_chunk_is_left_out_and_answers_that_lack_it_say_so() {
    for (damage, rows) in [
        ("UPDATE part SET data = zeroblob(length(data))", 64),
        ("UPDATE part SET data = substr(data, 1, 100)", 64),
        ("DELETE FROM part", 64),
        ("UPDATE chunk SET directory = x''", 64),
        (
            "UPDATE chunk SET directory = zeroblob(length(directory))",
            64,
        ),
        ("UPDATE chunk SET n = 63", 63),
        ("UPDATE chunk SET max_ts = max_ts + 1", 64),
        ("UPDATE chunk SET format = 9", 64),
    ] {
        let fixture = with_one_chunk().await;
        assert_eq!(fixture.log.troubles(), []);
        for client in 0..3 {
            fixture.recorder.record(visit(NEW_YEAR_MS + DAY_MS, client));
        }
        fixture.recorder.flush().await.unwrap();
        Connection::open(fixture.file())
            .unwrap()
            .execute_batch(damage)
            .unwrap();

        let report = fixture.log.counters(&CountersQuery::default()).await;
        let report = report.expect("the rest of the log answers");
        assert_eq!(report.rows[0].counters.visits, 3, "{damage}");
        assert_eq!(report.sampling.damaged, rows, "{damage}");
        assert!(!report.sampling.exact());
        assert_eq!(fixture.log.troubles(), [LogTrouble::Damaged]);

        // Answers that do not need the chunk stay exact.
        let filter = VisitFilter {
            from: UnixSeconds::new((NEW_YEAR_MS + DAY_MS) / 1_000).ok(),
            ..VisitFilter::default()
        };
        let query = questions::total(filter.clone());
        let report = fixture.log.counters(&query).await.unwrap();
        assert_eq!(report.rows[0].counters.visits, 3);
        assert!(report.sampling.exact());

        let query = questions::latest(VisitFilter::default());
        assert!(fixture.log.events(&query).await.unwrap().len() >= 3);
        let mut exported = fixture.log.access(&VisitFilter::default()).await.unwrap();
        assert_eq!(exported.next().await.unwrap()[0].visits, 3);
    }
}

#[tokio::test]
async fn a_damaged_batch_is_left_out_and_kept_from_no_others() {
    let fixture = with_one_chunk().await;
    for day in 1..3 {
        let at = NEW_YEAR_MS + day * DAY_MS;
        fixture.recorder.record(visit(at, 1));
        fixture.recorder.record(visit(at, 2));
        fixture.recorder.flush().await.unwrap();
    }
    damage(
        &fixture.file(),
        "UPDATE tail SET n = n + 1 WHERE seq = (SELECT min(seq) FROM tail)",
    );
    let damaged = async || {
        let report = fixture.log.counters(&CountersQuery::default()).await;
        let report = report.expect("the rest of the log answers");
        (report.rows[0].counters.visits, report.sampling.damaged)
    };
    assert_eq!(damaged().await, (66, 3));
    assert_eq!(fixture.log.troubles(), [LogTrouble::Damaged]);
    // It stays so when the other batches become a chunk.
    for client in 0..64 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.flush().await.unwrap();
    fixture.recorder.flush().await.unwrap();
    assert_eq!(damaged().await, (130, 3));
    let unsound = unsound(&fixture.file());
    assert!(
        unsound[0]
            .1
            .contains("of the tail is damaged: its checksum")
    );
    assert_eq!((unsound.len(), unsound[0].0), (1, "tail"));

    let Fixture {
        recorder, folder, ..
    } = fixture;
    recorder.shutdown().await;
    let rebuilt = rebuild(&file(folder.path()), now()).unwrap();
    assert_eq!(rebuilt.rows, 130);
    assert_eq!(rebuilt.lost, ["3 rows of the tail"]);
}

#[tokio::test]
async fn a_bit_that_flips_while_the_log_is_in_use_costs_the_chunk_and_is_told() {
    let fixture = with_one_chunk().await;
    for client in 0..64 {
        fixture.recorder.record(visit(NEW_YEAR_MS + DAY_MS, client));
    }
    for _ in 0..2 {
        fixture.recorder.flush().await.unwrap();
    }
    assert_eq!(unsound(&fixture.file()), []);
    let db = Connection::open(fixture.file()).unwrap();
    // Everything is in the file itself, where a bit of the first chunk flips.
    let busy = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
        row.get::<_, bool>(0)
    });
    assert!(!busy.unwrap());
    let part: Vec<u8> = db
        .query_row("SELECT data FROM part WHERE id / 256 = 1", [], |row| {
            row.get(0)
        })
        .unwrap();
    drop(db);
    let bytes = fs::read(fixture.file()).unwrap();
    let position = bytes.windows(part.len()).position(|bytes| bytes == part);
    let position = position.unwrap() + part.len() / 2;
    let mut file = fs::File::options()
        .write(true)
        .open(fixture.file())
        .unwrap();
    let flipped = [bytes[position] ^ 4];
    file.seek(SeekFrom::Start(position.try_into().unwrap()))
        .unwrap();
    file.write_all(&flipped).unwrap();

    let second = |day: i64| (NEW_YEAR_MS + day * DAY_MS) / 1_000;
    let of_days = async |from: i64, until: i64| {
        let query = questions::total(questions::between(second(from), second(until)));
        let report = fixture.log.counters(&query).await.unwrap();
        let note = report.sampling;
        (report.rows[0].counters.visits, note.damaged, note.exact())
    };
    assert_eq!(of_days(0, 2).await, (64, 64, false));
    assert_eq!(fixture.log.troubles(), [LogTrouble::Damaged]);
    assert_eq!(of_days(1, 2).await, (64, 0, true));
    let found = unsound(&fixture.file());
    assert!(found[0].1.contains("chunk 1 is damaged"), "{found:?}");
    let mut list = fixture.log.access(&VisitFilter::default()).await.unwrap();
    assert_eq!(list.next().await.unwrap()[0].visits, 64);
    assert!(!list.sampling().exact());

    fixture.recorder.record(visit(NEW_YEAR_MS + DAY_MS, 99));
    fixture.recorder.flush().await.unwrap();
    assert_eq!(of_days(1, 2).await, (65, 0, true));
}

#[tokio::test]
async fn a_damaged_page_of_a_chunk_costs_only_the_chunk() {
    const PAGE: usize = 4_096;
    let fixture = Fixture::new(RecorderOptions {
        rows_per_chunk: 4_096,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    });
    // Chunks of many pages.
    for day in 0..2 {
        for client in 0..4_096 {
            let at = NEW_YEAR_MS + day * DAY_MS + i64::from(client) * 20_000;
            fixture.recorder.record(visit(at, client * 7_919));
        }
        fixture.recorder.flush().await.unwrap();
    }
    let Fixture {
        recorder, folder, ..
    } = fixture;
    recorder.shutdown().await;
    let file = file(folder.path());
    let intact = fs::read(&file).unwrap();
    let (mut left_out, mut without_heads) = (0, 0);
    for page in 0..intact.len() / PAGE {
        let mut bytes = intact.clone();
        let page = page * PAGE..(page + 1) * PAGE;
        // Pages of hashes, which only chunks have.
        let distinct: std::collections::BTreeSet<u8> =
            bytes[page.clone()].iter().copied().collect();
        if distinct.len() < 250 {
            continue;
        }
        bytes[page].fill(0xa5);
        fs::write(&file, &bytes).unwrap();
        let (recorder, log) = open(&file, options());
        match log.counters(&CountersQuery::default()).await {
            Ok(report) => {
                let visits = report.rows[0].counters.visits;
                assert_eq!(visits + report.sampling.damaged, 2 * 4_096);
                left_out += u32::from(visits == 4_096);
            }
            // This page has the heads of both chunks.
            Err(_) => without_heads += 1,
        }
        recorder.shutdown().await;
    }
    assert!(
        left_out > 3 && without_heads <= 1,
        "{left_out}, {without_heads}"
    );
}

#[tokio::test]
async fn a_damaged_chunk_does_not_keep_new_visits_out() {
    let fixture = with_one_chunk().await;
    Connection::open(fixture.file())
        .unwrap()
        .execute_batch("DELETE FROM part")
        .unwrap();
    for client in 0..70 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.flush().await.unwrap();
    assert_eq!(fixture.recorder.dropped(), 0);
}

#[test]
fn a_file_that_is_no_access_log_is_refused_with_its_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("analytics.db");
    let open = || slugline_visitlog::start(&path, options(), ports()).map(|_| ());

    fs::write(&path, "Dear diary, today I was opened as a database.").unwrap();
    let error = open().unwrap_err();
    assert!(matches!(error, OpenError::Sqlite { .. }));
    let message = format!("cannot open access log {}", path.display());
    assert_eq!(error.to_string(), message);
    assert_eq!(
        error.source().unwrap().to_string(),
        "file is not a database"
    );
    fs::remove_file(&path).unwrap();
    open().unwrap();
}

#[test]
fn a_missing_folder_is_an_error_with_the_path() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("missing").join("analytics.db");
    let error = slugline_visitlog::start(&path, options(), ports()).unwrap_err();
    assert!(error.to_string().contains("missing"));
}

/// A log of 300 visits, 256 of them in chunks, that no process has open.
async fn closed_log() -> tempfile::TempDir {
    let fixture = Fixture::new(options());
    for client in 0..300 {
        let program = format!("Example/{client}");
        fixture.recorder.record(Visit {
            headers: VisitHeaders::new(&program, "", ""),
            ..visit(NEW_YEAR_MS, client)
        });
    }
    fixture.recorder.shutdown().await;
    let Fixture { folder, .. } = fixture;
    folder
}

fn damage(file: &Path, sql: &str) {
    let db = Connection::open(file).expect("the file can be opened");
    db.execute_batch(sql).expect("the damage can be done");
}

/// The parts of the log that are damaged, by their names.
fn unsound(file: &Path) -> Vec<(&'static str, String)> {
    let examined = examine(file).expect("it can be opened");
    let unsound = examined.into_iter().filter(|thing| !thing.sound);
    unsound.map(|thing| (thing.what, thing.found)).collect()
}

fn now() -> UnixSeconds {
    UnixSeconds::new(NEW_YEAR_MS / 1_000).expect("the present fits")
}

#[tokio::test]
async fn an_examination_finds_each_kind_of_damage() {
    for (sql, what, found) in [
        (
            "UPDATE part SET data = x'' WHERE id / 256 = 2",
            "chunks",
            "chunk 2 is damaged: the checksum of column visitor does not match (answers lack its 64 \
             visits of 2026-01-01, and read the day's other visits instead of totals)",
        ),
        (
            "UPDATE part SET data = x'' WHERE id / 256 = 2; INSERT INTO erasure VALUES (7)",
            "chunks",
            "instead of totals; until a rebuild, it may keep visits of 1 erased links)",
        ),
        (
            "DELETE FROM part WHERE id / 256 = 3",
            "chunks",
            "chunk 3 is damaged: column visitor is missing",
        ),
        (
            "UPDATE part SET data = x'' WHERE id = (SELECT max(id) FROM part WHERE id / 256 = 3)",
            "chunks",
            "chunk 3 is damaged: the checksum of column client_keys does not match",
        ),
        (
            "UPDATE chunk SET format = 7 WHERE id = 1",
            "chunks",
            "chunk 1 is damaged: its format 7 is unknown",
        ),
        (
            "DELETE FROM link",
            "links",
            "1 links with visits are missing",
        ),
        (
            "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'chunk_time'",
            "pages",
            "",
        ),
    ] {
        let folder = closed_log().await;
        let file = file(folder.path());
        assert_eq!(unsound(&file), []);
        damage(&file, sql);
        let unsound = unsound(&file);
        assert_eq!(unsound.len(), 1, "{unsound:?}");
        assert_eq!(unsound[0].0, what);
        assert!(unsound[0].1.contains(found), "{unsound:?}");
    }
}

#[tokio::test]
async fn a_rebuild_keeps_what_can_be_read_and_says_what_was_lost() {
    let folder = closed_log().await;
    let file = file(folder.path());
    damage(
        &file,
        "UPDATE part SET data = x'' WHERE id / 256 = 2;
         UPDATE part SET data = x'00' WHERE id =
             (SELECT id FROM part WHERE id / 256 = 3 ORDER BY id DESC LIMIT 1 OFFSET 1);
         DELETE FROM link",
    );
    let before = fs::read(&file).unwrap();
    let rebuilt = rebuild(&file, now()).unwrap();
    assert_eq!(rebuilt.rows, 300 - 64);
    assert_eq!(
        rebuilt.lost,
        [
            "64 rows: chunk 2 is damaged: the checksum of column visitor does not match",
            "ua of 64 visits: chunk 3 is damaged: the checksum of column ua does not match; \
             it counts as unknown",
            "the identity of 1 links; their visits count for none"
        ]
    );
    // The old file is unchanged, except for the salt.
    let old = fs::read(&rebuilt.old).unwrap();
    assert_eq!(old.len(), before.len());
    let changed = old
        .iter()
        .zip(&before)
        .filter(|(old, before)| old != before);
    assert!((1..=32).contains(&changed.count()));
    assert_eq!(unsound(&file), []);

    let (recorder, log) = open(&file, options());
    let report = log.counters(&CountersQuery::default()).await.unwrap();
    let counters = report.rows[0].counters;
    assert_eq!((counters.visits, counters.visitors), (236, 236));
    assert_eq!(report.sampling.dropped, 64);
    assert!(!report.sampling.exact());
    recorder.shutdown().await;
}

#[tokio::test]
async fn a_rebuild_gives_no_link_a_number_of_before() {
    for (sql, least) in [
        // The newest link's visits are being erased.
        (
            "INSERT INTO erasure SELECT number FROM link; DELETE FROM link",
            2,
        ),
        // They were erased.
        (
            "UPDATE sqlite_sequence SET seq = 40 WHERE name = 'link'",
            41,
        ),
        // Nothing but the visits tells which numbers there were.
        (
            "DELETE FROM link; DELETE FROM sqlite_sequence WHERE name = 'link'",
            2,
        ),
    ] {
        let folder = closed_log().await;
        let file = file(folder.path());
        damage(&file, sql);
        rebuild(&file, now()).unwrap();
        let db = Connection::open(&file).unwrap();
        let new = "INSERT INTO link (link_id) VALUES ('new') RETURNING number";
        let number: i64 = db.query_row(new, [], |row| row.get(0)).unwrap();
        assert_eq!(number, least, "{sql}");
    }
}

#[tokio::test]
async fn a_rebuild_of_a_sound_log_loses_nothing() {
    let folder = closed_log().await;
    let file = file(folder.path());
    let rebuilt = rebuild(&file, now()).unwrap();
    assert_eq!((rebuilt.rows, rebuilt.lost), (300, Vec::new()));
    let (recorder, log) = open(&file, options());
    // The salt was copied: the same visitors are recognised.
    for client in 0..10 {
        recorder.record(visit(NEW_YEAR_MS, client));
    }
    recorder.flush().await.unwrap();
    let counters = total(&log, VisitFilter::default()).await;
    assert_eq!((counters.visits, counters.visitors), (310, 300));
    recorder.shutdown().await;
}

#[tokio::test]
async fn an_overwritten_page_costs_at_most_what_was_on_it() {
    const PAGE: usize = 4_096;
    let folder = closed_log().await;
    let intact = fs::read(file(folder.path())).unwrap();
    let mut with_losses = 0;
    for page in (0..intact.len() / PAGE).step_by(2) {
        let folder = tempfile::tempdir().unwrap();
        let file = file(folder.path());
        let mut bytes = intact.clone();
        bytes[page * PAGE..(page + 1) * PAGE].fill(0xa5);
        fs::write(&file, &bytes).unwrap();

        let rebuilt = rebuild(&file, now()).unwrap();
        assert!(
            rebuilt.rows == 300 || !rebuilt.lost.is_empty(),
            "{rebuilt:?}"
        );
        // The first page describes all others.
        assert_eq!(rebuilt.rows > 0, page > 0, "{rebuilt:?}");
        with_losses += usize::from(rebuilt.rows < 300);
        assert_eq!(unsound(&file), [], "page {page}");
        let (recorder, log) = open(&file, options());
        let counters = total(&log, VisitFilter::default()).await;
        assert_eq!(counters.visits, rebuilt.rows);
        recorder.shutdown().await;
    }
    assert!(with_losses > 1, "{with_losses}");
}

#[tokio::test]
async fn a_file_that_is_no_database_any_more_is_set_aside() {
    let folder = closed_log().await;
    let file = file(folder.path());
    fs::write(&file, vec![0xa5; 100_000]).unwrap();
    let rebuilt = rebuild(&file, now()).unwrap();
    assert_eq!(rebuilt.rows, 0);
    assert!(rebuilt.lost[0].starts_with("everything: "), "{rebuilt:?}");
    assert_eq!(fs::read(&rebuilt.old).unwrap(), vec![0xa5; 100_000]);
    assert_eq!(unsound(&file), []);
    let (recorder, log) = open(&file, options());
    let report = log.counters(&CountersQuery::default()).await.unwrap();
    assert!(!report.sampling.exact(), "nobody knows what was in it");
    recorder.shutdown().await;
}

#[tokio::test]
async fn a_log_in_use_is_examined_and_not_rebuilt() {
    let fixture = with_one_chunk().await;
    assert_eq!(unsound(&fixture.file()), []);
    let error = rebuild(&fixture.file(), now()).unwrap_err();
    assert!(matches!(error, OpenError::InUse { .. }), "{error}");
    fixture.recorder.record(visit(NEW_YEAR_MS, 1));
    fixture.recorder.flush().await.unwrap();
    assert_eq!(total(&fixture.log, VisitFilter::default()).await.visits, 65);
}
