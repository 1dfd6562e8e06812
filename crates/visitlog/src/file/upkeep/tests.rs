use std::borrow::Cow;

use slugline_analytics::{
    journal::open,
    row::{Client, Place, Row, VisitedLink},
};
use slugline_domain::SplitMix64;
use tempfile::TempDir;

use super::{CHUNKS_AT_ONCE, *};
use crate::{
    file::{chunk::Chunk, links::Links, schema, seal, tail},
    format::{
        block::{Block, Numbers},
        block_builder::BlockBuilder,
    },
    tests::rows::row,
};

/// 2026-01-01 00:00:00 UTC.
const NEW_YEAR: i64 = 1_767_225_600_000;
const THIRTY_DAYS: Option<NonZeroU32> = NonZeroU32::new(30);

struct Log {
    folder: TempDir,
    db: Connection,
    links: Links,
    upkeep: Upkeep,
}

impl Log {
    fn new(retention_days: Option<NonZeroU32>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            db: schema::open_writer(&folder.path().join("a.db")).unwrap(),
            folder,
            links: Links::default(),
            upkeep: Upkeep::new(retention_days, 64),
        }
    }

    /// Adds a row of some day, whose texts name the day.
    fn add(&mut self, day: i64) {
        let text = format!("day-{day}");
        let row = Row {
            target: VisitedLink {
                link_id: &text,
                slug: &text,
                url: "https://example.com/",
                protection: "none",
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
            ..row(NEW_YEAR + day * MILLIS_PER_DAY, day.cast_unsigned())
        };
        let link = self.links.number(&self.db, row.target.link_id).unwrap();
        tail::insert(&self.db, &row, link).unwrap();
    }

    fn seal(&mut self, rows: usize) {
        seal::seal(&mut self.db, rows).unwrap();
    }

    /// The time of a day. The clock has reached it without a jump.
    fn come_to(&mut self, day: i64) -> UnixMillis {
        let now = UnixMillis::new(NEW_YEAR + day * MILLIS_PER_DAY);
        self.look(now.get(), None);
        now
    }

    /// The last look at the clock, and since when it is doubted.
    fn look(&self, seen_ms: i64, doubted_since_ms: Option<i64>) {
        let sql =
            "INSERT OR REPLACE INTO clock (only, seen_ms, doubted_since_ms) VALUES (1, ?1, ?2)";
        self.db.execute(sql, (seen_ms, doubted_since_ms)).unwrap();
    }

    /// Takes all steps of a round and returns how many there were.
    fn round(&mut self, day: i64) -> u32 {
        let now = self.come_to(day);
        for steps in 1.. {
            if !self.upkeep.step(&mut self.db, now).unwrap() {
                return steps;
            }
        }
        unreachable!("a round ends")
    }

    fn count(&self, entries: &str) -> u32 {
        let sql = format!("SELECT count(*) FROM {entries}");
        self.db.query_row(&sql, [], |row| row.get(0)).unwrap()
    }

    /// The days of all rows, those in chunks first.
    fn days(&self) -> Vec<i64> {
        let mut days = Vec::new();
        let mut see = |block: &Block| days.extend((0..block.rows).map(|row| block.time.at(row)));
        let sql = format!("SELECT {} FROM chunk ORDER BY id", Chunk::COLUMNS);
        let mut statement = self.db.prepare(&sql).unwrap();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            see(&Block::whole(&Chunk::read(&self.db, row).unwrap()).unwrap());
        }
        see(&tail::all(&self.db));
        days.iter()
            .map(|at| (at - NEW_YEAR) / MILLIS_PER_DAY)
            .collect()
    }
}

#[test]
fn rows_are_kept_for_good_unless_there_is_a_retention() {
    let mut log = Log::new(None);
    log.add(0);
    log.round(10_000);
    assert_eq!(log.days(), [0]);
}

#[test]
fn each_day_of_a_quiet_site_is_one_chunk() {
    let mut log = Log::new(None);
    for day in 0..40 {
        for _ in 0..3 {
            log.add(day);
        }
        log.round(day);
        // A late row, because the clock had been wrong.
        log.add(day / 2);
    }
    log.round(50);
    assert_eq!((log.count("chunk"), log.count("tail")), (40, 0));
    let mut expected: Vec<i64> = (0..40).flat_map(|day| [day, day, day, day / 2]).collect();
    expected.sort_unstable();
    let mut days = log.days();
    days.sort_unstable();
    assert_eq!(days, expected);
}

#[test]
fn a_day_is_sealed_when_its_last_visits_have_come() {
    let mut log = Log::new(None);
    log.add(0);
    let mut tail_after = |minutes: i64| {
        let now = UnixMillis::new(NEW_YEAR + MILLIS_PER_DAY + minutes * 60_000);
        log.upkeep.next = Step::Rest { until_ms: i64::MIN };
        while log.upkeep.step(&mut log.db, now).unwrap() {}
        log.count("tail")
    };
    assert_eq!((tail_after(4), tail_after(5)), (1, 0));
}

#[test]
fn old_chunks_and_old_tail_rows_go() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..60 {
        log.add(day);
    }
    log.seal(10);
    // A row that younger rows overtook.
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
fn rows_that_were_sealed_together_end_day_by_day() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..40 {
        log.add(day);
    }
    log.seal(40);
    assert_eq!(log.count("chunk"), 40);
    log.round(35);
    assert_eq!(log.days(), (5..40).collect::<Vec<_>>());
    assert_eq!(log.count("chunk"), 35);
    let without_a_chunk = "part WHERE id / 256 NOT IN (SELECT id FROM chunk)";
    assert_eq!(log.count(without_a_chunk), 0);
}

#[test]
fn a_round_comes_once_an_hour() {
    let mut log = Log::new(THIRTY_DAYS);
    log.come_to(0);
    let mut step = |hours: i64| {
        let now = UnixMillis::new(NEW_YEAR + hours * PAUSE_MS);
        let mut steps = 1;
        while log.upkeep.step(&mut log.db, now).unwrap() {
            steps += 1;
        }
        steps
    };
    assert_eq!(step(0), 6);
    assert_eq!(step(0), 1);
    assert_eq!(step(1), 6);
    // The clock was set back.
    assert_eq!(step(-20), 6);
}

/// The days that have totals.
fn counted(log: &Log) -> Vec<i64> {
    let new_year = NEW_YEAR / MILLIS_PER_DAY;
    log.db
        .prepare("SELECT DISTINCT day FROM day_totals WHERE directory IS NOT NULL ORDER BY day")
        .unwrap()
        .query_map([], |row| row.get::<_, i64>(0).map(|day| day - new_year))
        .unwrap()
        .collect::<Result<_, _>>()
        .unwrap()
}

#[test]
fn days_that_are_over_get_totals_the_latest_first() {
    let mut log = Log::new(None);
    for day in 0..5 {
        log.add(day);
    }
    let now = log.come_to(5);
    while counted(&log).is_empty() {
        assert!(log.upkeep.step(&mut log.db, now).unwrap());
    }
    assert_eq!(counted(&log), [3]);
    // The process ends during the count of the next day, and a new one begins.
    while log.count("day_totals WHERE directory IS NULL") == 0 {
        assert!(log.upkeep.step(&mut log.db, now).unwrap());
    }
    // In case the count was why, the next process leaves that day for its second round.
    log.upkeep = Upkeep::new(None, 64);
    log.round(5);
    assert_eq!(counted(&log), [0, 1, 3]);
    log.round(6);
    assert_eq!(counted(&log), [0, 1, 2, 3, 4]);
    // A late visit.
    log.add(1);
    log.seal(1);
    assert_eq!(counted(&log), [0, 2, 3, 4]);
    log.upkeep = Upkeep::new(None, 64);
    log.round(5);
    assert_eq!(counted(&log), [0, 1, 2, 3, 4]);
    assert_eq!(log.count("day_totals WHERE directory IS NULL"), 0);
}

#[test]
fn a_damaged_day_does_not_keep_others_from_their_totals() {
    let mut log = Log::new(None);
    for day in 0..3 {
        log.add(day);
    }
    log.seal(1);
    log.db
        .execute_batch("UPDATE chunk SET directory = x'00' WHERE id = 2")
        .unwrap();
    log.round(4);
    assert_eq!(counted(&log), [0, 2]);
}

#[test]
fn totals_end_with_the_rows_of_their_day() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..3 {
        log.add(day);
    }
    log.round(4);
    assert_eq!(counted(&log), [0, 1, 2]);
    log.round(32);
    assert_eq!(counted(&log), [2]);
    let strays = "day_part WHERE id / 16777216 NOT IN (SELECT day FROM day_totals)";
    assert_eq!(log.count(strays), 0);
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
        while log.upkeep.step(&mut log.db, now).unwrap() {}
        log.days()
    };
    let before = (9..40).collect::<Vec<_>>();
    // The log does not know at first whether the clock is right.
    assert_eq!(round(38), (0..40).collect::<Vec<_>>());
    assert_eq!(round(39), before);
    assert_eq!(round(26_000), before);
    assert_eq!(round(39), before);
    assert_eq!(round(40), before[1..]);
    // The result shows that it is that late.
    assert_eq!(round(100), before[1..]);
    assert_eq!(round(101), [0; 0]);
}

#[test]
fn space_is_given_back_in_portions() {
    let mut log = Log::new(THIRTY_DAYS);
    log.db
        .execute_batch(
            "INSERT INTO chunk (format, day, min_ts, max_ts, n, directory) \
             SELECT 4, 0, 0, 0, 0, zeroblob(1000000) \
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
    // The pages that are kept for later rows, and those of the tables.
    assert!(pages(&log) < open::SPARE_PAGES + 60, "{}", pages(&log));
    assert!(steps > 2_400 / open::PAGES_AT_ONCE, "{steps}");
}

#[test]
fn retention_deletes_whole_chunks_a_few_at_a_time_and_goes_on_after_a_restart() {
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..60 {
        log.add(day);
        log.add(day);
    }
    log.seal(120);
    let parts = |log: &Log| -> Vec<(i64, Vec<u8>)> {
        let sql = "SELECT id, data FROM part ORDER BY id";
        let mut statement = log.db.prepare(sql).unwrap();
        let found = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)));
        found.unwrap().collect::<Result<_, _>>().unwrap()
    };
    let before = parts(&log);
    let mut left = log.count("chunk");
    assert_eq!(left, 60);
    while left > 30 {
        let now = log.come_to(60);
        let before = left;
        // Each life of the process takes a few steps only.
        for _ in 0..6 {
            assert!(log.upkeep.step(&mut log.db, now).unwrap());
            let deleted = left - log.count("chunk");
            assert!(i64::from(deleted) <= CHUNKS_AT_ONCE, "{deleted} at once");
            left -= deleted;
        }
        assert!(left < before);
        log.upkeep = Upkeep::new(THIRTY_DAYS, 64);
    }
    // The remaining chunks were not rewritten.
    let after = parts(&log);
    assert!(after.iter().all(|part| before.contains(part)));
    assert_eq!(log.days().len(), 60);
    log.round(60);
    assert_eq!(log.count("chunk"), 30);
}

#[test]
fn retention_and_the_rest_go_on_past_damaged_pages() {
    const PAGE: usize = 4_096;
    const ROWS: usize = 1_024;
    const DAYS: i64 = 40;
    let mut log = Log::new(THIRTY_DAYS);
    for day in 0..DAYS {
        let mut draft = BlockBuilder::default();
        for number in 0..ROWS {
            let at = NEW_YEAR + day * MILLIS_PER_DAY + i64::try_from(number).unwrap();
            let row = row(at, SplitMix64::mixed(u64::try_from(number).unwrap()));
            draft.push(Numbers::of(&row, 1), &row);
        }
        seal::write(&log.db, &draft, None).unwrap();
    }
    // Small chunks of a later day, which can be merged, and rows of a day that is over.
    for _ in 0..2 {
        log.add(DAYS + 50);
        log.seal(1);
    }
    log.add(DAYS + 51);
    log.add(DAYS + 51);
    let checkpoint = |db: &Connection| {
        db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .unwrap();
    };
    checkpoint(&log.db);
    // The table's page that leads to the visitors of a chunk and of some of its neighbours.
    let path = log.folder.path().join("a.db");
    let longest = "SELECT data FROM part WHERE id / 256 = 20 ORDER BY length(data) DESC";
    let data: Vec<u8> = log.db.query_row(longest, [], |row| row.get(0)).unwrap();
    let mut file = std::fs::read(&path).unwrap();
    let position = file.windows(32).position(|bytes| bytes == &data[..32]);
    let page = position.unwrap() / PAGE * PAGE;
    file[page..page + PAGE].fill(0xa5);
    log.db = schema::open_writer(&log.folder.path().join("other.db")).unwrap();
    std::fs::write(&path, file).unwrap();
    log.db = schema::open_writer(&path).unwrap();

    log.round(DAYS + 53);
    let left = log.count("chunk WHERE n = 1024");
    assert!((1..10).contains(&left), "{left}");
    assert_eq!(log.count("chunk WHERE id = 20"), 1);
    // The small chunks are merged, and the day that is over is sealed.
    assert_eq!((log.count("chunk WHERE n = 2"), log.count("tail")), (2, 0));
    // The next round ends, too.
    log.round(DAYS + 54);
}
