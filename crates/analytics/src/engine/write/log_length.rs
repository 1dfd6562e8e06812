//! The bound on the length of SQLite's write-ahead log.

use std::{
    error::Error as StdError,
    fs,
    path::PathBuf,
    time::{Duration, Instant},
};

use rusqlite::Connection;

use super::append::empty_write_ahead_log;
use crate::engine::{read::renewals::Renewals, store::lock};

/// The length from which on questions are asked for a break. Without questions it stays below
/// some 8 MB: SQLite begins anew once a thousand pages have been moved into the database.
const LONG: u64 = 32 << 20;

/// The time the writer waits for that break. Visits wait in the queue meanwhile.
const PATIENCE: Duration = Duration::from_millis(100);

/// From one attempt to the next: a backup, for example, takes no break.
const PAUSE: Duration = Duration::from_millis(500);

/// Looks after the length.
#[derive(Debug, Default)]
pub(crate) struct LogLength {
    tried: Option<Instant>,
}

impl LogLength {
    /// Cuts the log to nothing if it is long and nobody reads from it. Else questions are asked
    /// for a break, and the next call tries again.
    pub(crate) fn bound(&mut self, db: &Connection, renewals: &Renewals) {
        let is_long = length(db) > LONG;
        renewals.want(is_long);
        if !is_long || self.tried.is_some_and(|tried| tried.elapsed() < PAUSE) {
            return;
        }
        match empty_write_ahead_log(db, PATIENCE) {
            Ok(done) => renewals.want(!done),
            Err(error) => {
                let error: &(dyn StdError + 'static) = &error;
                tracing::warn!(error, "the write-ahead log cannot be shortened yet");
            }
        }
        self.tried = renewals.are_wanted().then(Instant::now);
    }
}

/// The length in bytes; 0 if it is unknown.
fn length(db: &Connection) -> u64 {
    let log = db
        .path()
        .map(|path| lock::beside(&PathBuf::from(path), "-wal"));
    let length = log.and_then(|log| fs::metadata(log).ok());
    length.map_or(0, |log| log.len())
}

#[cfg(test)]
mod tests {
    use std::{
        net::Ipv4Addr,
        path::Path,
        sync::{
            Arc,
            atomic::{AtomicBool, AtomicU32, Ordering},
        },
        thread,
    };

    use slugline_domain::{
        SamplingInterval, UnixMillis, UnixSeconds, Visit, VisitFilter, VisitHeaders,
    };
    use slugline_testkit::{FixedClock, NOON, SeededRandom, link};

    use super::*;
    use crate::utc::MILLIS_PER_DAY;
    use crate::{
        RecorderOptions, RecorderPorts,
        engine::{
            read::{deadline::Deadline, distinct::spread, filter::RowFilter, snapshot::Snapshot},
            store::{columns::Column, schema, tail},
            tests::row,
            write::{
                append::Appender,
                draft::{Draft, Numbers},
                seal,
            },
        },
        row::Kept,
        sampling::Sampled,
        tally::Tally,
        visitor::VisitorHash,
    };

    const CHUNKS: i64 = 60;

    /// Old visits: small chunks, some of one day, and rows of a day that is over in the tail.
    fn fill(path: &Path) -> usize {
        let db = schema::open_writer(path).unwrap();
        for chunk in 0..CHUNKS {
            let mut draft = Draft::default();
            for second in 0..10 {
                let row = row(
                    chunk / 3 * MILLIS_PER_DAY + second * 1_000,
                    chunk.unsigned_abs(),
                );
                draft.push(Numbers::of(&row, 1), &row);
            }
            seal::write(&db, &draft, None).unwrap();
        }
        for second in 0..100 {
            tail::insert(&db, &row(5 * MILLIS_PER_DAY + second * 1_000, 1), 1).unwrap();
        }
        usize::try_from(CHUNKS).unwrap() * 10 + 100
    }

    /// A batch of some five megabytes.
    fn batch() -> Vec<Kept> {
        let link = |number: u32| {
            // No two pieces of them are the same.
            let pieces = (0..750).map(|piece| spread(number * 750 + piece).to_string());
            let url = format!("https://example.com/{}", pieces.collect::<String>());
            Arc::new(link("docs").id("docs-1").to(&url).build())
        };
        let kept = |number: u32| Kept {
            visit: Visit {
                at: UnixMillis::new(NOON.start().get() + i64::from(number)),
                link: link(number),
                client: Ipv4Addr::LOCALHOST.into(),
                headers: VisitHeaders::new("", "", ""),
                place: None,
            },
            visitor: VisitorHash(7),
            sampled: Sampled {
                interval: SamplingInterval::EVERY,
                coherent: true,
            },
        };
        (0..400).map(kept).collect()
    }

    #[test]
    fn the_log_stays_short_while_questions_overlap_and_each_sees_each_row_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db");
        let expected = fill(&path);
        let tally = Arc::new(Tally::default());
        let ports = RecorderPorts::new(
            Arc::new(FixedClock::at(NOON)),
            Arc::new(SeededRandom::new(1)),
        );
        let options = RecorderOptions::default();
        let mut appender = Appender::open(&path, &options, ports, Arc::clone(&tally)).unwrap();

        let over = AtomicBool::new(false);
        let asked = AtomicU32::new(0);
        let ask = || {
            let db = schema::open_reader(&path).unwrap();
            while !over.load(Ordering::Relaxed) {
                let deadline = Deadline::after(Duration::from_mins(5));
                let snapshot = Snapshot::take(&db, deadline).unwrap();
                let snapshot = snapshot.with_breaks(&tally.renewals);
                let filter = VisitFilter {
                    until: UnixSeconds::new(CHUNKS * MILLIS_PER_DAY / 1_000).ok(),
                    ..VisitFilter::default()
                };
                let filter = RowFilter::resolve(&db, &filter).unwrap();
                let mut rows = 0;
                let seen = snapshot.scan(&filter, &[Column::Time], |block| {
                    rows += block.rows;
                    thread::sleep(Duration::from_millis(10));
                    Ok(())
                });
                seen.unwrap();
                assert_eq!(rows, expected);
                asked.fetch_add(1, Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            for delay in [0, 150] {
                scope.spawn(move || {
                    thread::sleep(Duration::from_millis(delay));
                    ask();
                });
            }
            let reader = schema::open_reader(&path).unwrap();
            let (mut cuts, mut was_long) = (0, false);
            let batch = batch();
            while cuts < 3 || asked.load(Ordering::Relaxed) < 6 {
                appender.append(&batch).unwrap();
                let before = length(&reader);
                // Without breaks it would only grow.
                assert!(before < 24 * LONG, "{before} bytes");
                was_long |= before > LONG;
                appender.maintain();
                if was_long && length(&reader) < LONG {
                    was_long = false;
                    cuts += 1;
                }
            }
            over.store(true, Ordering::Relaxed);
        });
    }
}
