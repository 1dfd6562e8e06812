//! Compares answers from day totals with plain SQL and with scans, and tests the events that delete
//! totals.

use std::{collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use proptest::{collection::vec, prelude::*};
use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits, RecorderOptions, SaltPeriod,
    journal::row_table::RowTable,
    moments::{Crowd, Moments, VisitorSums},
    row::{Client, Row, VisitedLink},
    tally::Tally,
    utc::{self, MILLIS_PER_DAY},
};
use slugline_domain::{
    Bots, CountersQuery, Dimension, LinkId, TimeUnit, UtcOffset, Variance, ViewsQuery, VisitFilter,
    ZoneOffsets, ports::VisitLog,
};
use slugline_testkit::{
    questions,
    visit_log_contract::{Party, RandomVisit, agrees_with_sql},
};
use tempfile::TempDir;

use super::rows::{note_sampled, row, stored};
use crate::{
    file::{
        day::{count::count, known::KnownDay, segment::Segment},
        day_totals::{self, Encoded, Record},
        embedded_rows::EmbeddedRows,
        erasure,
        error::EngineError,
        examine::examine,
        limits::{Deadline, QueryPermits},
        links::Links,
        salted_days,
        salvage::rebuild,
        schema, seal,
        snapshot::Snapshot,
        tail,
        upkeep::erase::{Erasing, Progress},
    },
    log::EmbeddedLog,
    query::{filter::RowFilter, plan::Plan},
};

/// An engine that counts days.
pub(super) struct Counted {
    folder: TempDir,
    pub(super) db: Connection,
    links: Links,
    pub(super) log: EmbeddedLog,
    /// True if visitors of a day are those of no other day.
    apart: bool,
    rounds: usize,
}

impl Counted {
    pub(super) fn new(apart: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let db = schema::open_writer(&path).unwrap();
        let log = EmbeddedLog::new(&path, QueryLimits::default(), Arc::new(Tally::default()));
        Self {
            folder,
            db,
            links: Links::default(),
            log,
            apart,
            rounds: 0,
        }
    }

    pub(super) fn insert(&mut self, rows: &[Row<'_>]) {
        let tx = self.db.transaction().unwrap();
        for row in rows {
            let link = self.links.number(&tx, row.target.link_id).unwrap();
            tail::insert(&tx, row, link).unwrap();
            salted_days::note(&tx, utc::day_of(row.at.get()), self.apart).unwrap();
        }
        note_sampled(&tx, rows);
        tx.commit().unwrap();
        self.links.settle(true);
    }

    pub(super) fn seal_all(&mut self) {
        while seal::seal_before(&mut self.db, 1_000_000, 1_000).unwrap() {}
    }

    /// Counts each day that has no totals, except one in so many.
    pub(super) fn count_days(&mut self, but_for: usize) {
        let mut before = i64::MAX;
        for number in 1.. {
            let Some(day) = day_totals::latest_uncounted(&self.db, before, u32::MAX).unwrap()
            else {
                break;
            };
            before = day;
            if number % but_for != 0 {
                let claim = day_totals::claim(&mut self.db, day).unwrap();
                let totals = totals_of(&mut self.db, day).unwrap().unwrap();
                assert!(day_totals::store(&mut self.db, claim, &totals).unwrap());
            }
        }
    }

    fn number(&self, sql: &str) -> i64 {
        self.db.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    pub(super) fn complete(&self) -> i64 {
        self.number("SELECT count(DISTINCT day) FROM day_totals WHERE directory IS NOT NULL")
    }
}

async fn counters(log: &EmbeddedLog) -> (u64, u64, u64) {
    counters_of(log, Bots::Include).await
}

fn filter_of(bots: Bots) -> VisitFilter {
    questions::meeting(bots.condition())
}

async fn counters_of(log: &EmbeddedLog, bots: Bots) -> (u64, u64, u64) {
    let query = questions::total(filter_of(bots));
    let report = log.counters(&query).await.unwrap();
    assert!(report.sampling.exact());
    let counters = report.rows[0].counters;
    (counters.visits, counters.visitors, counters.referers)
}

async fn by_host(log: &EmbeddedLog) -> Vec<(String, u64)> {
    by_host_of(log, Bots::Include).await
}

async fn by_host_of(log: &EmbeddedLog, bots: Bots) -> Vec<(String, u64)> {
    let query = questions::by_value(filter_of(bots), Dimension::Referer);
    let report = log.metrics(&query).await.unwrap();
    let rows = report.rows.into_iter();
    rows.map(|row| (row.name, row.count)).collect()
}

pub(super) fn totals_of(db: &mut Connection, day: i64) -> Result<Option<Encoded>, EngineError> {
    let deadline = Deadline::after(Duration::from_hours(1));
    count(&Snapshot::take(db, deadline).unwrap(), day)
}

impl Party for Counted {
    fn prepare(&self, visits: &mut [RandomVisit]) {
        if self.apart {
            for visit in visits {
                let day = utc::day_of(visit.at.get()).cast_unsigned();
                visit.visitor ^= day.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
        }
    }

    async fn store(&mut self, visits: &[RandomVisit]) {
        let visits = stored(visits);
        let rows: Vec<Row<'_>> = visits.iter().map(Row::of).collect();
        self.insert(&rows);
        self.rounds += 1;
        // Some rows are in the tail in every other round.
        seal::seal(&mut self.db, 64).unwrap();
        if self.rounds.is_multiple_of(2) {
            self.seal_all();
        }
        self.count_days([usize::MAX, 2, 3][self.rounds % 3]);
    }

    fn log(&self) -> &dyn VisitLog {
        &self.log
    }
}

#[tokio::test]
async fn every_answer_with_totals_is_that_of_plain_sql() {
    for (seed, apart) in [(11, true), (12, false), (13, true)] {
        let mut engine = Counted::new(apart);
        agrees_with_sql(&mut engine, seed).await;
        assert!(engine.complete() > 5);
    }
}

fn visit(at: i64, visitor: u64, host: &'static str) -> Row<'static> {
    Row {
        referer: host.into(),
        ..row(at, visitor)
    }
}

/// Two days with totals.
fn two_days(apart: bool) -> Counted {
    let mut log = Counted::new(apart);
    log.insert(&[
        visit(5, 1, "a.example"),
        visit(6, 2, "b.example"),
        visit(MILLIS_PER_DAY, 3, "a.example"),
    ]);
    log.seal_all();
    log.count_days(usize::MAX);
    assert_eq!(log.complete(), 2);
    log
}

#[tokio::test]
async fn rows_of_days_with_totals_are_not_read() {
    let log = two_days(true);
    // The triggers do not notice this, so only a reader of the parts does.
    log.db.execute_batch("DELETE FROM part").unwrap();
    log.db
        .execute_batch("DROP TRIGGER chunk_changes; UPDATE chunk SET directory = x'00'")
        .unwrap();
    assert_eq!(counters(&log.log).await, (3, 3, 2));
    let hosts = [("a.example".to_owned(), 2), ("b.example".to_owned(), 1)];
    assert_eq!(by_host(&log.log).await, hosts);
    let views = ViewsQuery {
        filter: VisitFilter::default(),
        unit: TimeUnit::Hour,
        zone: ZoneOffsets::fixed(UtcOffset::from_seconds(19_800).unwrap()),
    };
    assert_eq!(log.log.views(&views).await.unwrap().rows.len(), 2);
    assert_eq!(log.log.troubles(), []);
}

#[tokio::test]
async fn visitors_who_may_come_on_several_days_are_counted_by_a_scan() {
    let mut log = Counted::new(false);
    log.insert(&[visit(5, 1, "a.example"), visit(MILLIS_PER_DAY, 1, "")]);
    log.seal_all();
    log.count_days(usize::MAX);
    assert_eq!(log.complete(), 2);
    assert_eq!(counters(&log.log).await, (2, 1, 1));
    // One row under a longer salt is enough to lose the note.
    let mut log = two_days(true);
    salted_days::note(&log.db, 0, false).unwrap();
    salted_days::note(&log.db, 0, true).unwrap();
    log.insert(&[visit(7, 1, "")]);
    log.seal_all();
    log.count_days(usize::MAX);
    assert_eq!(log.complete(), 2);
    assert_eq!(counters(&log.log).await, (4, 3, 2));
}

#[tokio::test]
async fn any_change_to_the_chunks_of_a_day_ends_its_totals() {
    for change in [
        "DELETE FROM chunk WHERE day = 0",
        "UPDATE chunk SET n = n WHERE day = 0",
        "INSERT INTO chunk (format, day, min_ts, max_ts, n, directory) \
         VALUES (1, 0, 0, 0, 1, x'00')",
    ] {
        let log = two_days(true);
        log.db.execute_batch(change).unwrap();
        assert_eq!(
            log.number("SELECT sum(DISTINCT day) FROM day_totals"),
            1,
            "{change}"
        );
        let parts = "SELECT count(*) FROM day_part WHERE id / 16777216 = 0";
        assert_eq!(log.number(parts), 0, "{change}");
    }
}

#[tokio::test]
async fn a_count_that_a_change_overtook_is_not_stored() {
    for change in [
        "INSERT INTO chunk (format, day, min_ts, max_ts, n, directory) \
         VALUES (1, 0, 0, 0, 1, x'00')",
        "DELETE FROM chunk WHERE day = 0",
    ] {
        let mut log = two_days(true);
        let claim = day_totals::claim(&mut log.db, 0).unwrap();
        assert_eq!(log.complete(), 1);
        let totals = totals_of(&mut log.db, 0).unwrap().unwrap();
        log.db.execute_batch(change).unwrap();
        assert!(!day_totals::store(&mut log.db, claim, &totals).unwrap());
        assert_eq!(log.complete(), 1);
        // A count that another process has begun anew is not stored either.
        let first = day_totals::claim(&mut log.db, 1).unwrap();
        let second = day_totals::claim(&mut log.db, 1).unwrap();
        let totals = totals_of(&mut log.db, 1).unwrap().unwrap();
        assert!(!day_totals::store(&mut log.db, first, &totals).unwrap());
        assert!(day_totals::store(&mut log.db, second, &totals).unwrap());
    }
}

#[tokio::test]
async fn a_late_visit_is_counted_from_the_tail_on() {
    let mut log = two_days(true);
    log.insert(&[visit(7, 2, "c.example")]);
    assert_eq!(log.complete(), 2);
    assert_eq!(counters(&log.log).await, (4, 3, 3));
    log.seal_all();
    assert_eq!(log.complete(), 1);
    assert_eq!(counters(&log.log).await, (4, 3, 3));
    log.count_days(usize::MAX);
    assert_eq!(log.complete(), 2);
    assert_eq!(counters(&log.log).await, (4, 3, 3));
}

#[tokio::test]
async fn totals_hide_no_erasure() {
    let mut log = two_days(true);
    let other = Row {
        target: VisitedLink {
            link_id: "other",
            ..row(0, 1).target
        },
        ..visit(8, 9, "o.example")
    };
    log.insert(&[other]);
    log.seal_all();
    log.count_days(usize::MAX);
    assert_eq!(counters(&log.log).await, (4, 4, 3));
    erasure::mark(&log.db, &LinkId::parse("other").unwrap()).unwrap();
    assert_eq!(log.complete(), 2);
    assert_eq!(counters(&log.log).await, (3, 3, 2));
    assert_eq!(by_host(&log.log).await.len(), 2);
    let mut erasing = Erasing::default();
    let now = slugline_domain::UnixMillis::new(10 * MILLIS_PER_DAY);
    while erasing.step(&mut log.db, now, 100).unwrap() != Progress::Idle {}
    assert_eq!(log.number("SELECT count(*) FROM erasure"), 0);
    // Only the day with such rows is counted anew.
    assert_eq!(log.complete(), 1);
    log.count_days(usize::MAX);
    assert_eq!(log.complete(), 2);
    assert_eq!(counters(&log.log).await, (3, 3, 2));
    let traces = "SELECT count(*) FROM day_totals WHERE instr(directory, 'o.example') > 0";
    assert_eq!(log.number(traces), 0);
}

#[tokio::test]
async fn an_erasure_that_damage_keeps_from_its_end_leaves_other_days_their_totals() {
    const DAYS: i64 = 4;
    let mut log = Counted::new(true);
    for day in 0..DAYS {
        for (link_id, host) in [("docs-1", "a.example"), ("other", "o.example")] {
            if link_id == "docs-1" || day == 1 || day == 2 {
                let visit = visit(day * MILLIS_PER_DAY, day.unsigned_abs(), host);
                let target = VisitedLink {
                    link_id,
                    ..visit.target
                };
                log.insert(&[Row { target, ..visit }]);
            }
        }
        log.seal_all();
    }
    log.count_days(usize::MAX);
    let spans = |log: &mut Counted| {
        let deadline = Deadline::after(Duration::from_hours(1));
        let snapshot = Snapshot::take(&mut log.db, deadline).unwrap();
        let filter = RowFilter::resolve(snapshot.db(), &VisitFilter::default()).unwrap();
        let known = |day: &KnownDay<'_>| day.moments();
        let plan = Plan::with_days(&snapshot, &filter, None, known, |_| {}).unwrap();
        plan.spans_back().to_vec()
    };
    let day = |day: i64| day * MILLIS_PER_DAY..(day + 1) * MILLIS_PER_DAY;
    let scanned = |log: &mut Counted| -> Vec<i64> {
        let is_scanned = |number: &i64| {
            let day = day(*number);
            let mut spans = spans(log).into_iter();
            spans.any(|(from, until)| from < day.end && day.start <= until)
        };
        (0..DAYS).filter(is_scanned).collect()
    };
    assert_eq!(scanned(&mut log), []);
    // Damage that nothing but a reader of the chunk notices.
    log.db
        .execute_batch(
            "CREATE TEMP TABLE kept AS SELECT * FROM day_totals WHERE day = 1;
             UPDATE chunk SET directory = x'00' WHERE day = 1;
             INSERT INTO day_totals SELECT * FROM kept",
        )
        .unwrap();
    erasure::mark(&log.db, &LinkId::parse("other").unwrap()).unwrap();
    // The day with the visits is scanned while they are there, and the damaged one for good.
    assert_eq!(scanned(&mut log), [1, 2]);
    let mut erasing = Erasing::default();
    let now = slugline_domain::UnixMillis::new(10 * MILLIS_PER_DAY);
    while erasing.step(&mut log.db, now, 100).unwrap() != Progress::Idle {}
    assert_eq!(log.number("SELECT count(*) FROM erasure"), 1);
    log.count_days(usize::MAX);
    assert_eq!(scanned(&mut log), [1]);
    let hosts = [("a.example".to_owned(), 3)];
    assert_eq!(by_host(&log.log).await, hosts);
}

#[test]
fn a_day_stands_apart_if_all_its_rows_came_with_salts_for_a_day() {
    let days_apart = |tables: &mut [EmbeddedRows]| {
        let log = Counted::new(true);
        for table in tables {
            table
                .insert(&log.db, &mut [visit(5, 1, "")].into_iter())
                .unwrap();
            table.settle(true);
        }
        salted_days::is_apart(&log.db, 0).unwrap()
    };
    let with = |salt_period| RecorderOptions {
        salt_period,
        ..RecorderOptions::default()
    };
    let own = |salt_period| {
        EmbeddedRows::new(
            &with(salt_period),
            Arc::new(QueryPermits::under(QueryLimits::default())),
        )
    };
    let imported = || EmbeddedRows::of_others(&with(SaltPeriod::Day));
    assert!(days_apart(&mut [
        own(SaltPeriod::Day),
        own(SaltPeriod::Day)
    ]));
    for period in [SaltPeriod::Week, SaltPeriod::Month, SaltPeriod::Never] {
        assert!(!days_apart(&mut [own(period)]));
        assert!(!days_apart(&mut [own(period), own(SaltPeriod::Day)]));
        assert!(!days_apart(&mut [own(SaltPeriod::Day), own(period)]));
    }
    assert!(!days_apart(&mut [imported()]));
    assert!(!days_apart(&mut [own(SaltPeriod::Day), imported()]));
}

#[tokio::test]
async fn a_day_with_a_damaged_chunk_gets_no_totals() {
    let mut log = two_days(true);
    log.insert(&[visit(7, 2, "c.example")]);
    log.seal_all();
    log.db
        .execute_batch("UPDATE chunk SET directory = x'00' WHERE id = 1")
        .unwrap();
    day_totals::claim(&mut log.db, 0).unwrap();
    assert!(totals_of(&mut log.db, 0).unwrap_err().is_damage());
    let report = log.log.counters(&CountersQuery::default()).await.unwrap();
    assert_eq!(report.rows[0].counters.visits, 2);
    assert_eq!(report.sampling.damaged, 2);
}

#[tokio::test]
async fn damaged_totals_are_passed_over_for_the_rows() {
    let mut log = Counted::new(true);
    // There are enough hosts for a part.
    let hosts: Vec<String> = (0..600).map(|host| format!("{host}.example")).collect();
    let rows: Vec<Row<'_>> = (0..)
        .zip(&hosts)
        .map(|(n, host)| Row {
            referer: host.as_str().into(),
            client: Client {
                browser_type: if n % 3 == 0 { "crawler" } else { "" },
                ..Client::default()
            },
            // Each visitor has two visits, most of them one as a bot.
            ..row(n * 60_000, n.cast_unsigned() / 2)
        })
        .collect();
    log.insert(&rows);
    log.seal_all();
    log.count_days(usize::MAX);
    let answers = async || {
        let mut answers = Vec::new();
        for bots in [Bots::Include, Bots::Exclude, Bots::Only] {
            answers.push((
                counters_of(&log.log, bots).await,
                by_host_of(&log.log, bots).await,
            ));
        }
        answers
    };
    let expected = answers().await;
    let numbers: Vec<(u64, u64, u64)> = expected.iter().map(|(counters, _)| *counters).collect();
    assert_eq!(numbers, [(600, 300, 600), (400, 300, 400), (200, 200, 200)]);
    let all: Vec<(String, i64, i64)> = log
        .db
        .prepare(
            "SELECT 'day_part', id, length(data) FROM day_part UNION ALL \
             SELECT 'day_totals', segment, length(directory) FROM day_totals",
        )
        .unwrap()
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap();
    assert!(all.len() > 6, "{all:?}");
    for (table, key, length) in all {
        let (id, data) = match table.as_str() {
            "day_part" => ("id", "data"),
            _ => ("segment", "directory"),
        };
        for position in [1, length / 2, length] {
            let before: Vec<u8> = log
                .db
                .query_row(
                    &format!("SELECT {data} FROM {table} WHERE {id} = ?1"),
                    [key],
                    |row| row.get(0),
                )
                .unwrap();
            let mut flipped = before.clone();
            flipped[usize::try_from(position - 1).unwrap()] ^= 1;
            let put = format!("UPDATE {table} SET {data} = ?2 WHERE {id} = ?1");
            log.db
                .execute(&put, rusqlite::params![key, flipped])
                .unwrap();
            let place = format!("{table} {key} {position}");
            assert!(answers().await == expected, "{place}");
            log.db
                .execute(&put, rusqlite::params![key, before])
                .unwrap();
        }
    }
    log.db.execute_batch("DELETE FROM day_part").unwrap();
    assert_eq!(answers().await, expected);
    assert_eq!(log.log.troubles(), []);
}

#[tokio::test]
async fn totals_are_stored_wholly_or_not_at_all() {
    let mut log = two_days(true);
    let before = counters(&log.log).await;
    let claim = day_totals::claim(&mut log.db, 0).unwrap();
    let totals = totals_of(&mut log.db, 0).unwrap().unwrap();
    assert!(!totals.records[0].parts.is_empty());
    for step in [
        "DELETE ON day_totals",
        "INSERT ON day_totals",
        "INSERT ON day_part",
    ] {
        log.db
            .execute_batch(&format!(
                "CREATE TEMP TRIGGER disk_full BEFORE {step} \
                 BEGIN SELECT RAISE(ABORT, 'full'); END"
            ))
            .unwrap();
        assert!(day_totals::store(&mut log.db, claim, &totals).is_err());
        log.db.execute_batch("DROP TRIGGER disk_full").unwrap();
        assert_eq!(log.complete(), 1);
        assert_eq!(counters(&log.log).await, before);
    }
    assert!(day_totals::store(&mut log.db, claim, &totals).unwrap());
    assert_eq!(Encoded::stored(&log.db, 0).unwrap(), Some(totals));
    assert_eq!(counters(&log.log).await, before);
}

#[tokio::test]
async fn examining_finds_totals_that_are_damaged_or_wrong() {
    let log = two_days(true);
    let path = log.db.path().unwrap().to_owned();
    let examined = || {
        let found = examine(Path::new(&path)).unwrap();
        let totals = found.into_iter().find(|one| one.what == "totals").unwrap();
        (totals.found, totals.sound)
    };
    let sound = ("of 2 days, the latest counted anew".to_owned(), true);
    assert_eq!(examined(), sound);
    let spoil = |sql: &str| log.db.execute_batch(sql).unwrap();
    let kept = "CREATE TEMP TABLE kept AS SELECT * FROM day_totals; \
                CREATE TEMP TABLE parts AS SELECT * FROM day_part";
    spoil(kept);
    let mend = "DELETE FROM day_totals; INSERT INTO day_totals SELECT * FROM kept; \
                INSERT OR IGNORE INTO day_part SELECT * FROM parts";
    spoil("UPDATE day_totals SET directory = x'00' WHERE day = 0");
    let (found, is_sound) = examined();
    assert!(
        !is_sound && found.contains("the totals of day 0 are damaged"),
        "{found}"
    );
    spoil(mend);
    spoil("DELETE FROM day_part WHERE id / 16777216 = 0");
    let (found, is_sound) = examined();
    assert!(
        !is_sound && found.contains("the totals of day 0 are damaged"),
        "{found}"
    );
    spoil(mend);
    spoil("DELETE FROM day_totals WHERE day = 1 AND segment = 1");
    let (found, is_sound) = examined();
    assert!(
        !is_sound && found.contains("the totals of day 1 are damaged"),
        "{found}"
    );
    spoil(mend);
    assert_eq!(examined(), sound);
    // The file looks as if the triggers had missed a change.
    spoil(&format!("DELETE FROM chunk WHERE day = 1; {mend}"));
    let (found, is_sound) = examined();
    assert!(
        !is_sound && found.contains("day 1 are not those of its rows"),
        "{found}"
    );
}

#[test]
fn a_rebuilt_log_has_no_totals_and_knows_which_days_stand_apart() {
    let log = two_days(true);
    salted_days::note(&log.db, 1, false).unwrap();
    let path = log.db.path().unwrap().to_owned();
    let folder = log.folder;
    drop((log.db, log.log));
    let now = slugline_domain::UnixSeconds::new(1).unwrap();
    rebuild(Path::new(&path), now).unwrap();
    let db = Connection::open(&path).unwrap();
    let totals: u32 = db
        .query_row("SELECT count(*) FROM day_totals", [], |row| row.get(0))
        .unwrap();
    let apart = [0, 1, 2].map(|day| salted_days::is_apart(&db, day).unwrap());
    assert_eq!((totals, apart), (0, [true, false, false]));
    drop(folder);
}

#[test]
fn a_day_with_rows_from_before_there_were_notes_does_not_stand_apart() {
    let mut log = Counted::new(true);
    let tx = log.db.transaction().unwrap();
    tail::insert(&tx, &visit(5, 1, ""), 1).unwrap();
    tx.commit().unwrap();
    log.seal_all();
    log.insert(&[visit(6, 1, ""), visit(MILLIS_PER_DAY, 1, "")]);
    let apart = [0, 1].map(|day| salted_days::is_apart(&log.db, day).unwrap());
    assert_eq!(apart, [false, true]);
}

#[test]
fn a_list_without_room_is_not_stored_and_short_ones_are() {
    let mut log = Counted::new(true);
    let urls: Vec<String> = (0..4_000)
        .map(|n: u64| {
            format!(
                "https://{:x}.example/",
                n.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            )
        })
        .collect();
    let rows: Vec<Row<'_>> = (0..)
        .zip(&urls)
        .map(|(n, url)| Row {
            target: VisitedLink {
                url,
                ..row(0, 1).target
            },
            ..row(n, 1)
        })
        .collect();
    log.insert(&rows);
    log.seal_all();
    log.count_days(usize::MAX);
    let record = Record::read(&log.db, 0, Segment::All).unwrap();
    assert!(record.texts("url").unwrap().is_none());
    assert!(record.texts("slug").unwrap().is_some());
    let bytes = log.number("SELECT sum(length(data)) FROM day_part");
    assert!(bytes < 8 << 10, "{bytes}");
}

/// The intervals of all rows of a part of a day.
#[derive(Default)]
struct RowVisibility {
    of_visitors: BTreeMap<u64, Vec<u64>>,
    by_chance: Vec<u64>,
}

impl RowVisibility {
    fn crowd(&self) -> Crowd {
        let mut crowd = Crowd::default();
        for intervals in self.of_visitors.values() {
            let smallest = intervals.iter().min().unwrap();
            let sampled: Vec<u64> = intervals.iter().copied().filter(|&k| k > 1).collect();
            let (sum, rows): (u64, u64) = (sampled.iter().sum(), sampled.iter().map(|_| 1).sum());
            crowd += Crowd {
                visits: intervals.iter().sum(),
                visitors: *smallest,
                variance: Variance {
                    visits: sum * (sum - rows),
                    visitors: smallest * (smallest - 1),
                },
            };
        }
        for k in &self.by_chance {
            crowd.visits += k;
            crowd.variance.visits += k * (k - 1);
        }
        crowd
    }
}

proptest! {
    #[test]
    fn visitors_of_any_part_of_a_day_are_those_of_its_rows(
        rows in vec((0..6_u64, 0..96_u8, 0..4_u32), 0..60),
        by_chance in vec((0..96_u8, 1..9_u32), 0..9),
        offset in -48..57_i32,
    ) {
        let mut rows: Vec<(u64, u8, u32)> =
            rows.into_iter().map(|(visitor, quarter, power)| (visitor, quarter, 1 << power)).collect();
        rows.sort_unstable();
        let mut sums = VisitorSums::default();
        for of_one in rows.chunk_by(|one, next| one.0 == next.0) {
            sums.add(of_one.iter().map(|&(_, quarter, interval)| (quarter, interval)));
        }
        let mut visits = vec![0_u64; 96];
        for &(_, quarter, interval) in &rows {
            visits[usize::from(quarter)] += u64::from(interval);
        }
        for &(quarter, interval) in &by_chance {
            let interval = u64::from(interval);
            visits[usize::from(quarter)] += interval;
            sums.add_chance(quarter, interval * (interval - 1));
        }
        let (visitors, variance) = sums.numbers();
        let moments = Moments::new(0, visits, visitors, variance).unwrap();
        let zone = ZoneOffsets::fixed(UtcOffset::from_seconds(offset * 900).unwrap());
        let stretch = zone.stretch_at(slugline_domain::UnixMillis::new(0));
        for (unit, seconds) in [(TimeUnit::Hour, 3_600), (TimeUnit::Day, 86_400)] {
            let mut expected: BTreeMap<i64, RowVisibility> = BTreeMap::new();
            let start_of = |quarter: u8| {
                let local = i64::from(quarter) * 900 + i64::from(offset) * 900;
                local.div_euclid(seconds) * seconds
            };
            for &(visitor, quarter, interval) in &rows {
                let part = expected.entry(start_of(quarter)).or_default();
                part.of_visitors.entry(visitor).or_default().push(u64::from(interval));
            }
            for &(quarter, interval) in &by_chance {
                let part = expected.entry(start_of(quarter)).or_default();
                part.by_chance.push(u64::from(interval));
            }
            let expected: Vec<(i64, Crowd)> =
                expected.into_iter().map(|(start, part)| (start, part.crowd())).collect();
            let found = moments.by_clock(stretch, unit).unwrap();
            let found: Vec<(i64, Crowd)> =
                found.into_iter().map(|(start, crowd)| (start.get(), crowd)).collect();
            prop_assert_eq!(found, expected);
        }
        prop_assert_eq!(moments.by_clock(stretch, TimeUnit::Minute), None);
    }
}
