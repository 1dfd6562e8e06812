use std::{
    num::NonZeroU32,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use rusqlite::Connection;
use slugline_analytics::{
    QueryLimits, RecorderClosed, RecorderOptions, RecorderPorts, SaltPeriod, SamplingTargets,
};
use slugline_domain::{
    CountersQuery, LogTrouble, UnixSeconds, Visit, VisitFilter, VisitHeaders, VisitRecord,
    ports::{VisitLog, VisitLogError, VisitObserver, VisitSink},
};
use slugline_testkit::questions;
use slugline_visitlog::EmbeddedLog;

use crate::support::{DAY_MS, Fixture, NEW_YEAR_MS, eventually, file, ports, total, visit, visits};

fn sealing_at(rows_per_chunk: usize) -> RecorderOptions {
    RecorderOptions {
        rows_per_chunk,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    }
}

#[tokio::test]
async fn a_visit_is_durable_soon_without_anybody_asking() {
    let fixture = Fixture::new(RecorderOptions::default());
    let start = Instant::now();
    fixture.recorder.record(visit(NEW_YEAR_MS, 1));
    while visits(&fixture.log).await == 0 {
        // The promise is one second; a busy machine may take a few more.
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn a_full_batch_does_not_wait_for_its_age() {
    let fixture = Fixture::new(RecorderOptions {
        batch_rows: 10,
        batch_age: Duration::from_hours(1),
        ..RecorderOptions::default()
    });
    for client in 0..10 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    let start = Instant::now();
    while visits(&fixture.log).await < 10 {
        assert!(start.elapsed() < Duration::from_secs(10));
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_full_queue_drops_and_counts_and_never_waits() {
    let fixture = Fixture::new(RecorderOptions {
        queue: 8,
        sampling: SamplingTargets::NONE,
        batch_rows: 4,
        batch_age: Duration::ZERO,
        ..RecorderOptions::default()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();

    let start = Instant::now();
    for client in 0..1_000 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    // Waiting for the lock even once would take a second per batch.
    assert!(start.elapsed() < Duration::from_secs(10));
    let dropped = fixture.recorder.dropped();
    assert!((1_000 - 8 - 4..1_000).contains(&dropped), "{dropped}");

    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    let report = fixture
        .log
        .counters(&CountersQuery::default())
        .await
        .unwrap();
    assert_eq!(report.rows[0].counters.visits + dropped, 1_000);
    assert_eq!(report.sampling.dropped, dropped);
    assert!(!report.sampling.exact());
}

#[tokio::test]
async fn the_queue_takes_bounded_memory_whatever_visitors_send() {
    let fixture = Fixture::new(RecorderOptions {
        queue_bytes: 100_000,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let long = "x".repeat(128 * 1_024);
    for client in 0..1_000 {
        fixture.recorder.record(Visit {
            headers: VisitHeaders::new(&long, &long, &long),
            ..visit(NEW_YEAR_MS, client)
        });
    }
    // At some 3.2 KB each, 31 or 32 wait, and the writer handles one.
    let kept = 1_000 - fixture.recorder.dropped();
    assert!((31..=33).contains(&kept), "{kept}");
    // Far more small visits can wait.
    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = fixture.recorder.dropped();
    for client in 0..400 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    assert_eq!(fixture.recorder.dropped(), before);
    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    assert_eq!(visits(&fixture.log).await, kept + 400);
}

#[tokio::test]
async fn lost_visits_are_known_after_a_restart_and_of_their_time_only() {
    let options = RecorderOptions {
        queue: 8,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    };
    let fixture = Fixture::new(options);
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..100 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    fixture.recorder.record(visit(NEW_YEAR_MS + DAY_MS, 1));
    let dropped = fixture.recorder.dropped();
    assert!(dropped >= 100 - 9, "{dropped}");

    let fixture = fixture.reopen(options).await;
    assert_eq!(fixture.recorder.dropped(), 0, "since this start");
    let lost = async |from_ms: i64, until_ms: i64| {
        let query = questions::total(questions::between(from_ms / 1_000, until_ms / 1_000));
        let report = fixture.log.counters(&query).await.unwrap();
        assert_eq!(report.sampling.exact(), report.sampling.dropped == 0);
        report.sampling.dropped
    };
    let (day, minute) = (DAY_MS, 60_000);
    assert_eq!(lost(NEW_YEAR_MS - day, NEW_YEAR_MS + day).await, dropped);
    assert_eq!(lost(NEW_YEAR_MS, NEW_YEAR_MS).await, dropped);
    assert_eq!(lost(NEW_YEAR_MS + minute, NEW_YEAR_MS + 2 * day).await, 0);
    assert_eq!(lost(NEW_YEAR_MS - day, NEW_YEAR_MS - 1_000).await, 0);
}

#[tokio::test]
async fn a_shutdown_that_gives_up_counts_visits_and_not_rows() {
    // The same visits and the same random numbers make the same rows.
    let lose_or_store = async |lose: bool| {
        let fixture = Fixture::new(RecorderOptions {
            batch_age: Duration::from_hours(1),
            sampling: SamplingTargets {
                per_link: NonZeroU32::new(60),
                ..SamplingTargets::NONE
            },
            shutdown_timeout: Duration::ZERO,
            ..RecorderOptions::default()
        });
        // The salt exists already, so only the batch needs the disk.
        fixture.recorder.record(visit(NEW_YEAR_MS, 0));
        fixture.recorder.flush().await.unwrap();
        let other = Connection::open(fixture.file()).unwrap();
        if lose {
            other.execute_batch("BEGIN IMMEDIATE").unwrap();
        }
        for client in 0..2_000 {
            fixture.recorder.record(visit(NEW_YEAR_MS, client));
        }
        fixture.recorder.shutdown().await;
        (visits(&fixture.log).await, fixture.recorder.dropped())
    };
    let (stored, none) = lose_or_store(false).await;
    let (one, lost) = lose_or_store(true).await;
    assert_eq!((none, one), (0, 1));
    assert_eq!(lost, stored - 1);
    assert!(lost > 1_000, "{lost}");
}

async fn says_that_it_cannot_write(fixture: &Fixture) {
    eventually("the log says that it cannot write", || {
        fixture.log.troubles() == [LogTrouble::NotStoring]
    })
    .await;
}

#[tokio::test]
async fn a_log_that_cannot_write_says_so_until_it_can() {
    let fixture = Fixture::new(RecorderOptions {
        batch_age: Duration::ZERO,
        ..RecorderOptions::default()
    });
    assert_eq!(fixture.log.troubles(), []);
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    fixture.recorder.record(visit(NEW_YEAR_MS, 1));
    says_that_it_cannot_write(&fixture).await;
    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    assert_eq!(fixture.log.troubles(), []);
}

#[tokio::test]
async fn a_queue_that_filled_is_sampled_until_it_is_half_empty() {
    let fixture = Fixture::new(RecorderOptions {
        queue: 64,
        ..RecorderOptions::default()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..100 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    other.execute_batch("COMMIT").unwrap();
    fixture.recorder.flush().await.unwrap();
    // The last visit came in another minute, when the queue had room again.
    fixture.recorder.record(visit(NEW_YEAR_MS + 60_000, 1_000));
    fixture.recorder.flush().await.unwrap();
    let largest_from = async |second: i64| {
        let filter = VisitFilter {
            from: UnixSeconds::new(second).ok(),
            ..VisitFilter::default()
        };
        let query = questions::total(filter);
        let report = fixture.log.counters(&query).await.unwrap();
        report.sampling.interval_max.get()
    };
    let last = NEW_YEAR_MS / 1_000 + 60;
    assert_eq!((largest_from(0).await, largest_from(last).await), (4, 1));
}

#[tokio::test]
async fn visits_outlast_a_lock_longer_than_the_database_waits() {
    let fixture = Fixture::new(RecorderOptions {
        batch_age: Duration::ZERO,
        ..RecorderOptions::default()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..100 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    let flushed = fixture.recorder.flush();
    let unlocked = async {
        // The first attempt has waited in vain.
        says_that_it_cannot_write(&fixture).await;
        other.execute_batch("COMMIT").unwrap();
    };
    let (flushed, ()) = tokio::join!(flushed, unlocked);
    flushed.unwrap();
    let counters = total(&fixture.log, VisitFilter::default()).await;
    assert_eq!((counters.visits, counters.visitors), (100, 100));
    assert_eq!(fixture.recorder.dropped(), 0);
}

#[tokio::test]
async fn a_shutdown_stores_what_is_left_and_takes_no_more() {
    let fixture = Fixture::new(RecorderOptions {
        batch_age: Duration::from_hours(1),
        batch_rows: 700,
        sampling: SamplingTargets::NONE,
        ..RecorderOptions::default()
    });
    for client in 0..3_000 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.shutdown().await;
    assert_eq!(visits(&fixture.log).await, 3_000);
    assert_eq!(fixture.recorder.stored(), 3_000);

    fixture.recorder.record(visit(NEW_YEAR_MS, 1));
    assert_eq!(fixture.recorder.dropped(), 1);
    assert_eq!(fixture.recorder.flush().await, Err(RecorderClosed));
    fixture.recorder.shutdown().await;
    assert_eq!(visits(&fixture.log).await, 3_000);
}

#[tokio::test]
async fn dropping_the_recorder_stores_what_is_left() {
    let Fixture {
        recorder,
        log,
        folder: _folder,
    } = Fixture::new(RecorderOptions {
        batch_age: Duration::from_hours(1),
        ..RecorderOptions::default()
    });
    for client in 0..100 {
        recorder.record(visit(NEW_YEAR_MS, client));
    }
    tokio::task::spawn_blocking(move || drop(recorder))
        .await
        .unwrap();
    assert_eq!(visits(&log).await, 100);
}

#[tokio::test]
async fn a_shutdown_gives_up_on_a_disk_that_refuses_and_says_how_much_is_lost() {
    let fixture = Fixture::new(RecorderOptions {
        shutdown_timeout: Duration::ZERO,
        ..RecorderOptions::default()
    });
    let other = Connection::open(fixture.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for client in 0..7 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.shutdown().await;
    assert_eq!(fixture.recorder.dropped(), 7);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn visits_from_many_threads_are_all_stored() {
    let fixture = Fixture::new(sealing_at(64));
    let recorder = &fixture.recorder;
    std::thread::scope(|scope| {
        for thread in 0..4_u32 {
            scope.spawn(move || {
                for number in 0..500 {
                    recorder.record(visit(NEW_YEAR_MS, thread * 1_000 + number));
                }
            });
        }
    });
    recorder.flush().await.unwrap();
    let counters = total(&fixture.log, VisitFilter::default()).await;
    assert_eq!((counters.visits, counters.visitors), (2_000, 2_000));
}

#[tokio::test]
async fn reopening_keeps_rows_ids_and_visitors() {
    let ids = |fixture: &Fixture| -> Vec<(i64, String)> {
        Connection::open(fixture.file())
            .unwrap()
            .prepare("SELECT number, link_id FROM link ORDER BY number")
            .unwrap()
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap()
    };
    let mut fixture = Fixture::new(sealing_at(64));
    for client in 0..100 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.flush().await.unwrap();
    let before = ids(&fixture);

    fixture = fixture.reopen(sealing_at(64)).await;
    for client in 50..150 {
        fixture.recorder.record(visit(NEW_YEAR_MS + 1, client));
    }
    fixture.recorder.flush().await.unwrap();
    assert_eq!(ids(&fixture), before);
    let counters = total(&fixture.log, VisitFilter::default()).await;
    assert_eq!((counters.visits, counters.visitors), (200, 150));
}

#[tokio::test]
async fn a_visitor_counts_once_per_salt_period() {
    for (salt_period, visitors) in [(SaltPeriod::Day, 6), (SaltPeriod::Never, 2)] {
        let fixture = Fixture::new(RecorderOptions {
            salt_period,
            ..RecorderOptions::default()
        });
        for day in 0..3 {
            for client in [1, 1, 2] {
                let at = NEW_YEAR_MS + day * DAY_MS + i64::from(client);
                fixture.recorder.record(visit(at, client));
            }
        }
        fixture.recorder.flush().await.unwrap();
        let counters = total(&fixture.log, VisitFilter::default()).await;
        assert_eq!((counters.visits, counters.visitors), (9, visitors));
    }
}

#[tokio::test]
async fn a_question_that_cannot_start_before_its_deadline_says_so() {
    let fixture = Fixture::new(RecorderOptions::default());
    let limits = QueryLimits {
        concurrent: 1,
        deadline: Duration::ZERO,
        ..QueryLimits::default()
    };
    let impatient = EmbeddedLog::open(&fixture.file(), limits).unwrap();
    let error = impatient
        .counters(&CountersQuery::default())
        .await
        .unwrap_err();
    assert!(matches!(error, VisitLogError::TooSlow { .. }));
    assert_eq!(
        error.to_string(),
        "access log could not count visits within 0 ms"
    );
}

/// Records the programs of the visits that it learns of.
#[derive(Debug, Default)]
struct Heard(Mutex<Vec<String>>);

impl VisitObserver for Heard {
    fn observe(&self, record: &VisitRecord<'_>) {
        let mut heard = self.0.lock().expect("no test panics with the lock");
        heard.push(record.browser.to_owned());
    }
}

#[tokio::test]
async fn bots_are_neither_stored_nor_told_of_where_that_is_set() {
    let user_agents = [
        "Mozilla/5.0 (compatible; Googlebot/2.1)",
        "curl/8.7.1",
        "WhatsApp/2.23.20.0",
        "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    ];
    for (skip_bots, stored) in [
        (false, vec!["Googlebot", "curl", "WhatsApp", "Firefox"]),
        (true, vec!["curl", "Firefox"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let heard = Arc::new(Heard::default());
        let options = RecorderOptions {
            skip_bots,
            ..RecorderOptions::default()
        };
        let ports = RecorderPorts {
            observers: vec![heard.clone()],
            ..ports()
        };
        let (recorder, log) =
            slugline_visitlog::start(&file(folder.path()), options, ports).unwrap();
        for user_agent in user_agents {
            recorder.record(Visit {
                headers: VisitHeaders::new(user_agent, "", ""),
                ..visit(NEW_YEAR_MS, 1)
            });
        }
        recorder.flush().await.unwrap();
        assert_eq!(usize::try_from(visits(&log).await), Ok(stored.len()));
        assert_eq!(*heard.0.lock().unwrap(), stored);
        // An excluded visit does not count as lost.
        assert_eq!(recorder.dropped(), 0);
        recorder.shutdown().await;
    }
}
