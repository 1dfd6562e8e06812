use std::borrow::Cow;

use slugline_domain::SamplingInterval;
use tempfile::TempDir;

use super::*;
use crate::{
    engine::{
        block::Block,
        column::Column,
        dictionaries::Dictionaries,
        schema, seal, tail,
        unused::foreign_changes,
        vacuum::{PAGES, SPARE_PAGES},
    },
    row::{Client, Place, Row, Target},
    sampling::Sampled,
    visitor::VisitorHash,
};

/// 2026-01-01 00:00:00 UTC.
const NEW_YEAR: i64 = 1_767_225_600_000;
const THIRTY_DAYS: Option<NonZeroU32> = NonZeroU32::new(30);

struct Log {
    folder: TempDir,
    db: Connection,
    dictionaries: Dictionaries,
    upkeep: Upkeep,
}

impl Log {
    fn new(retention_days: Option<NonZeroU32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            db: schema::open_writer(&folder.path().join("a.db")).unwrap(),
            folder,
            dictionaries: Dictionaries::new(),
            upkeep: Upkeep::new(retention_days),
        }
    }

    /// Adds a row of some day, whose texts name the day.
    fn add(&mut self, day: i64) {
        let text = format!("day-{day}");
        let row = Row {
            at: UnixMillis::new(NEW_YEAR + day * MILLIS_PER_DAY),
            target: Target {
                link_id: &text,
                slug: &text,
                url: "https://example.com/",
            },
            client: Client {
                user_agent: &text,
                ..Client::default()
            },
            place: Place {
                city: &text,
                ..Place::default()
            },
            referer: Cow::Borrowed(&text),
            language: &text,
            visitor: VisitorHash(day.cast_unsigned()),
            sampled: Sampled {
                interval: SamplingInterval::EVERY,
                coherent: true,
            },
        };
        let ids = self.dictionaries.ids(&self.db, &row).unwrap();
        let mut block = Block::default();
        block.push(&row, ids);
        tail::insert(&self.db, &block).unwrap();
    }

    fn seal(&mut self, rows: usize) {
        seal::seal(&mut self.db, rows).unwrap();
    }

    /// The time of a day, to which the clock has come without a leap.
    fn come_to(&mut self, day: i64) -> UnixMillis {
        let now = UnixMillis::new(NEW_YEAR + day * MILLIS_PER_DAY);
        self.upkeep.clock = SteadyClock::steady_until(now);
        now
    }

    /// Takes all steps of a round and returns how many there were.
    fn round(&mut self, day: i64) -> u32 {
        let now = self.come_to(day);
        for steps in 1.. {
            let progress = self.upkeep.step(&mut self.db, now).unwrap();
            if progress.forgot {
                self.dictionaries.look_again();
            }
            if !progress.more {
                return steps;
            }
        }
        unreachable!("a round ends")
    }

    fn count(&self, entries: &str) -> u32 {
        let sql = format!("SELECT count(*) FROM {entries}");
        self.db.query_row(&sql, [], |row| row.get(0)).unwrap()
    }

    /// The days of all rows there are, chunks first.
    fn days(&self) -> Vec<i64> {
        let mut days = Vec::new();
        let columns = [Column::Time];
        let selection = Block::selection(&columns);
        let mut statement = self
            .db
            .prepare(&format!("SELECT {selection} FROM chunk ORDER BY id"))
            .unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            let block = Block::read(row, &columns).unwrap();
            days.extend(block.time);
        }
        days.extend(tail::read(&self.db, i64::MIN, 100_000).unwrap().block.time);
        days.iter()
            .map(|at| (at - NEW_YEAR) / MILLIS_PER_DAY)
            .collect()
    }
}

#[test]
fn rows_are_kept_for_good_unless_there_is_a_retention() {
    let mut log = Log::new(None);
    log.add(0);
    assert_eq!(log.round(10_000), 1);
    assert_eq!(log.days(), [0]);
}

#[test]
fn old_chunks_and_old_tail_rows_go() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..60 {
        log.add(day);
    }
    log.seal(10);
    // A row that was overtaken by younger ones.
    for day in [60, 3, 61] {
        log.add(day);
    }
    log.round(60);
    assert_eq!(log.days(), (30..62).collect::<Vec<_>>());
    log.round(70);
    assert_eq!(log.days(), (40..62).collect::<Vec<_>>());
    log.round(1_000);
    assert_eq!(log.days(), [0; 0]);
}

#[test]
fn a_chunk_with_young_rows_loses_its_old_ones() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..40 {
        log.add(day);
    }
    log.seal(40);
    // Within a day it is not worth while.
    log.round(31);
    assert_eq!(log.days(), (0..40).collect::<Vec<_>>());
    log.round(35);
    assert_eq!(log.days(), (5..40).collect::<Vec<_>>());
    assert_eq!(log.count("chunk"), 1);
    log.round(60);
    assert_eq!(log.days(), (30..40).collect::<Vec<_>>());
}

#[test]
fn a_round_comes_once_an_hour() {
    let mut log = Log::new(THIRTY_DAYS);
    log.come_to(0);
    let mut step = |hours: i64| {
        let now = UnixMillis::new(NEW_YEAR + hours * PAUSE_MS);
        let mut steps = 1;
        while log.upkeep.step(&mut log.db, now).unwrap().more {
            steps += 1;
        }
        steps
    };
    assert_eq!(step(0), 4);
    assert_eq!(step(0), 1);
    assert_eq!(step(1), 4);
    // The clock was set back.
    assert_eq!(step(-20), 4);
}

#[test]
fn a_clock_that_jumps_ahead_for_a_minute_ends_nothing() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..40 {
        log.add(day);
    }
    log.seal(10);
    let mut round = |day: i64| {
        let now = UnixMillis::new(NEW_YEAR + day * MILLIS_PER_DAY);
        while log.upkeep.step(&mut log.db, now).unwrap().more {}
        log.days()
    };
    let before = (9..40).collect::<Vec<_>>();
    assert_eq!(round(39), before);
    assert_eq!(round(26_000), before);
    assert_eq!(round(39), before);
    assert_eq!(round(40), before[1..]);
    // It is that late indeed.
    assert_eq!(round(100), before[1..]);
    assert_eq!(round(101), [0; 0]);
}

#[test]
fn dictionary_entries_that_nobody_refers_to_any_more_go() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..45 {
        log.add(day);
    }
    log.seal(10);
    let entries = [
        ("dim_target", 1),
        ("dim_client", 1),
        ("dim_place", 1),
        ("dim_value WHERE kind = 1", 2),
        ("dim_value WHERE kind = 2", 2),
    ];
    for (entries, special) in entries {
        assert_eq!(log.count(entries), 45 + special, "{entries}");
    }
    log.round(50);
    assert_eq!(log.days(), (20..45).collect::<Vec<_>>());
    for (entries, special) in entries {
        assert_eq!(log.count(entries), 25 + special, "{entries}");
    }
    // A text that comes again gets an entry again, and the others kept theirs.
    log.add(0);
    log.add(44);
    for (entries, special) in entries {
        assert_eq!(log.count(entries), 26 + special, "{entries}");
    }
}

#[test]
fn what_comes_while_entries_are_looked_through_is_in_use() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..40 {
        log.add(day);
    }
    log.seal(10);
    let now = log.come_to(45);
    // Nobody has referred to days 0 to 14 when the looking through begins;
    // then rows of theirs come, and one of them is even sealed.
    while !matches!(log.upkeep.next, Step::SeeChunks(_)) {
        log.upkeep.step(&mut log.db, now).unwrap();
    }
    log.upkeep.step(&mut log.db, now).unwrap();
    for day in 0..11 {
        log.add(day);
    }
    log.seal(10);
    while log.upkeep.step(&mut log.db, now).unwrap().more {}
    let dangling: u32 = log
        .db
        .query_row(
            "SELECT count(*) FROM tail WHERE target_id NOT IN (SELECT id FROM dim_target)",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(dangling, 0);
    // Day 0 to 10 and day 15 to 39, and the entry for all others.
    assert_eq!(log.count("dim_client"), 11 + 25 + 1);
}

#[test]
fn another_process_makes_the_looking_through_begin_again() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..40 {
        log.add(day);
    }
    log.seal(10);
    let now = log.come_to(45);
    while !matches!(log.upkeep.next, Step::DeleteUnused(_)) {
        log.upkeep.step(&mut log.db, now).unwrap();
    }
    let before = foreign_changes(&log.db).unwrap();
    let other = schema::open_writer(&log.folder.path().join("a.db")).unwrap();
    other
        .execute("UPDATE chunk SET min_ts = min_ts WHERE id = 4", [])
        .unwrap();
    assert_ne!(foreign_changes(&log.db).unwrap(), before);
    log.upkeep.step(&mut log.db, now).unwrap();
    assert!(matches!(log.upkeep.next, Step::SeeChunks(_)));
    while log.upkeep.step(&mut log.db, now).unwrap().more {}
    assert_eq!(log.count("dim_client"), 25 + 1);
}

#[test]
fn a_damaged_chunk_keeps_the_entries_it_may_refer_to_and_nothing_else() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..60 {
        log.add(day);
    }
    log.seal(10);
    log.db
        .execute("UPDATE chunk SET ref = x'00' WHERE id = 6", [])
        .unwrap();
    let referers = "dim_value WHERE kind = 1";
    let before = log.count(referers);
    log.round(60);
    assert_eq!(log.count("chunk"), 3);
    assert_eq!(log.count(referers), before);
    // Those of the rows that are left, and the collective one.
    assert_eq!(log.count("dim_client"), 30 + 1);
    assert_eq!(log.count("dim_value WHERE kind = 2"), 30 + 2);
    // The round went on to its end: the next one begins with a rest.
    assert!(matches!(log.upkeep.next, Step::Rest { .. }));
}

#[test]
fn space_is_given_back_in_portions() {
    let mut log = Log::new(THIRTY_DAYS);
    log.db
        .execute_batch(
            "INSERT INTO chunk (format, min_ts, max_ts, n, ts, si, coh, target, ip, ref, place, \
                                client, lang) \
             SELECT 1, 0, 0, 0, zeroblob(1000000), x'', x'', x'', x'', x'', x'', x'', x'' \
             FROM (VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10))",
        )
        .unwrap();
    let pages = |log: &Log| -> u32 {
        log.db
            .pragma_query_value(None, "page_count", |row| row.get(0))
            .unwrap()
    };
    assert!(pages(&log) > 2_400);
    let steps = log.round(0);
    // What is kept for the rows to come, and the tables.
    assert!(pages(&log) < SPARE_PAGES + 60, "{}", pages(&log));
    assert!(steps > 2_400 / PAGES, "{steps}");
}
