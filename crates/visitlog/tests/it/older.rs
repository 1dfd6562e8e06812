//! Visits that a version stored which did not record when it sampled.

use std::num::NonZeroU32;

use rusqlite::Connection;
use slugline_analytics::{RecorderOptions, SamplingTargets};
use slugline_domain::{
    CountersQuery, SamplingNote, UnixSeconds, VisitFilter,
    ports::{VisitLog, VisitSink},
};
use slugline_visitlog::EmbeddedLog;

use crate::support::{DAY_MS, Fixture, NEW_YEAR_MS, visit};

/// Takes everything from a file that the version before did not have.
fn as_the_version_before_left_it(fixture: &Fixture) {
    let db = Connection::open(fixture.file()).expect("the file is there");
    db.execute_batch("DROP TABLE sampled; PRAGMA user_version = 6")
        .expect("nobody else writes");
}

async fn sampling(log: &EmbeddedLog, day: i64) -> SamplingNote {
    let second = |ms: i64| UnixSeconds::new(ms / 1_000).ok();
    let query = CountersQuery::new(
        VisitFilter::default()
            .with_from(second(NEW_YEAR_MS + day * DAY_MS))
            .with_until(second(NEW_YEAR_MS + (day + 1) * DAY_MS - 1_000)),
    );
    let report = log.counters(&query).await;
    report.expect("the log answers").sampling
}

fn options() -> RecorderOptions {
    RecorderOptions {
        sampling: SamplingTargets {
            per_link: NonZeroU32::new(100),
            ..SamplingTargets::NONE
        },
        ..RecorderOptions::default()
    }
}

#[tokio::test]
async fn older_visits_are_exact_on_days_that_came_near_no_target() {
    let fixture = Fixture::new(options());
    // Days 0, 2 and 7 are calm, day 1 has a minute with more than half of what is sampled, and on
    // day 5 visits were sampled.
    for (day, visits) in [(0, 40), (1, 60), (2, 40), (5, 300), (7, 40)] {
        for client in 0..visits {
            let at = NEW_YEAR_MS + day * DAY_MS + i64::from(client);
            fixture.recorder.record(visit(at, client));
        }
        fixture.recorder.flush().await.unwrap();
    }
    fixture.recorder.shutdown().await;
    as_the_version_before_left_it(&fixture);

    // Without a recorder nobody knows the targets.
    let log = EmbeddedLog::open(&fixture.file(), slugline_analytics::QueryLimits::default());
    let log = log.unwrap();
    assert!(sampling(&log, 0).await.unrecorded && !sampling(&log, 0).await.exact());
    drop(log);

    let fixture = fixture.reopen(options()).await;
    let mut found = Vec::new();
    for day in 0..9 {
        let sampling = sampling(&fixture.log, day).await;
        assert_eq!(sampling.exact(), !sampling.unrecorded);
        found.push((sampling.exact(), sampling.interval_max.get() > 1));
    }
    let (exact, unproved, sampled) = ((true, false), (false, false), (false, true));
    // Sampling may have gone on into the day after.
    let expected = [
        exact, unproved, unproved, exact, exact, sampled, unproved, exact, exact,
    ];
    assert_eq!(found, expected);

    // New visits have a record.
    let at = NEW_YEAR_MS + 8 * DAY_MS;
    fixture.recorder.record(visit(at, 1));
    fixture.recorder.flush().await.unwrap();
    assert!(sampling(&fixture.log, 8).await.exact());
}

#[tokio::test]
async fn visits_after_an_update_are_recorded_on_the_same_day() {
    let fixture = Fixture::new(options());
    // These are the latest visits, later than the clock of the machine.
    let far = 100 * 365 * DAY_MS;
    for client in 0..300 {
        fixture.recorder.record(visit(NEW_YEAR_MS + far, client));
    }
    fixture.recorder.shutdown().await;
    as_the_version_before_left_it(&fixture);
    let fixture = fixture.reopen(options()).await;
    let minute = NEW_YEAR_MS + far + 60_000;
    fixture.recorder.record(visit(minute, 1));
    fixture.recorder.flush().await.unwrap();
    for (from, exact) in [(minute, true), (minute - 60_000, false)] {
        let query = CountersQuery::new(
            VisitFilter::default().with_from(UnixSeconds::new(from / 1_000).ok()),
        );
        let report = fixture.log.counters(&query).await.unwrap();
        assert_eq!(report.sampling.exact(), exact);
    }
}

#[tokio::test]
async fn a_version_that_sampled_at_all_times_is_never_called_exact() {
    let fixture = Fixture::new(options());
    for client in 0..10 {
        fixture.recorder.record(visit(NEW_YEAR_MS, client));
    }
    fixture.recorder.shutdown().await;
    as_the_version_before_left_it(&fixture);
    // A target of one row a minute leaves no minute that proves anything.
    let fixture = fixture
        .reopen(RecorderOptions {
            sampling: SamplingTargets {
                per_link: NonZeroU32::new(1),
                ..SamplingTargets::NONE
            },
            ..RecorderOptions::default()
        })
        .await;
    assert!(!sampling(&fixture.log, 0).await.exact());
}
