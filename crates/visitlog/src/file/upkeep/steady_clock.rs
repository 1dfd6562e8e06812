//! The rule that decides whether the clock may delete visits.
//!
//! Deleted visits are gone for good, so a clock that jumps to 2099 for a minute must delete
//! nothing. The log believes a clock that advances steadily, by at most a day from one look to the
//! next. After a jump ahead the log doubts the clock, and believes it again once it has advanced
//! steadily for a day. That leaves time to set the clock right, or to read the warning.
//!
//! The log keeps the last look, so that a service that restarts every night can believe its clock,
//! too. At a start within a day of the last look, doubts and trust continue.
//!
//! At any other start, after the clock was set back, or with kept doubts, the visits decide whether
//! the clock is right: the last one that came is at most a day old, and the visits before it go
//! back for a day or more, without a gap of more than a week. The last visit alone would confirm a
//! clock that has been wrong for a minute. If the log is too short to tell, deletion waits one day.

use std::error::Error as StdError;

use rusqlite::{Connection, OptionalExtension, params};
use slugline_analytics::utc::MILLIS_PER_DAY;
use slugline_domain::UnixMillis;

use crate::file::tail;

const WEEK_MS: i64 = 7 * MILLIS_PER_DAY;

/// The interval at which the log keeps the clock's moment if nothing else changes.
const KEEP_EVERY_MS: i64 = 3_600_000;

/// A clock under observation.
#[derive(Debug, Default)]
pub(crate) struct SteadyClock {
    /// The time of the last look.
    seen_ms: Option<i64>,
    /// The time at which doubts began, by this clock.
    doubted_since_ms: Option<i64>,
    /// The last kept moment, and the kept beginning of doubts.
    kept: Option<(i64, Option<i64>)>,
}

impl SteadyClock {
    /// Returns whether the clock, which now shows this time, may delete visits.
    pub(crate) fn is_believed(
        &mut self,
        now: UnixMillis,
        log: &Connection,
    ) -> Result<bool, rusqlite::Error> {
        let now_ms = now.get();
        if self.seen_ms.is_none() {
            self.recall(log, now_ms)?;
        }
        let passed = self.seen_ms.map(|seen| now_ms - seen);
        match passed {
            Some(ahead) if ahead > MILLIS_PER_DAY => {
                tracing::warn!(
                    days = ahead / MILLIS_PER_DAY,
                    "the clock jumped ahead; visits that are too old by it are kept for a day, \
                     in case it is wrong"
                );
                self.doubted_since_ms = Some(now_ms);
            }
            Some(passed) if passed >= -MILLIS_PER_DAY => {
                let over = |since| now_ms - since >= MILLIS_PER_DAY;
                if self.doubted_since_ms.is_some_and(over) {
                    tracing::info!("the clock has been steady for a day and is believed");
                    self.doubted_since_ms = None;
                }
            }
            Some(_) | None => {
                let doubted = !vouches(log, now_ms)?;
                self.doubted_since_ms = doubted.then_some(now_ms);
            }
        }
        self.seen_ms = Some(now_ms);
        self.keep(log, now_ms);
        Ok(self.doubted_since_ms.is_none())
    }

    /// Continues from the last look of an earlier process, if that was within a day.
    fn recall(&mut self, log: &Connection, now_ms: i64) -> Result<(), rusqlite::Error> {
        let kept: Option<(i64, Option<i64>)> = log
            .prepare_cached("SELECT seen_ms, doubted_since_ms FROM clock")?
            .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
            .optional()?;
        self.kept = kept;
        if let Some((seen_ms, doubted_since_ms)) = kept
            && now_ms.abs_diff(seen_ms) <= MILLIS_PER_DAY.unsigned_abs()
        {
            self.seen_ms = Some(seen_ms);
            self.doubted_since_ms = match doubted_since_ms {
                Some(since) if !vouches(log, now_ms)? => Some(since),
                Some(_) | None => None,
            };
        }
        Ok(())
    }

    /// Saves the last look now and then. If that fails, a restart has less to go by: visits are
    /// kept longer, and never deleted too early.
    fn keep(&mut self, log: &Connection, now_ms: i64) {
        if let Some((seen_ms, doubted_since_ms)) = self.kept
            && doubted_since_ms == self.doubted_since_ms
            && now_ms.abs_diff(seen_ms) < KEEP_EVERY_MS.unsigned_abs()
        {
            return;
        }
        let sql = "INSERT OR REPLACE INTO clock (only, seen_ms, doubted_since_ms) \
                   VALUES (1, ?1, ?2)";
        if let Err(error) = log.execute(sql, params![now_ms, self.doubted_since_ms]) {
            let error: &(dyn StdError + 'static) = &error;
            tracing::warn!(error, "what the clock shows cannot be kept for a restart");
        }
        self.kept = Some((now_ms, self.doubted_since_ms));
    }

    /// A clock that has come to this moment steadily.
    #[cfg(test)]
    pub(crate) fn steady_until(now: UnixMillis) -> Self {
        Self {
            seen_ms: Some(now.get()),
            ..Self::default()
        }
    }
}

/// Returns whether the recorded visits confirm this time: from the last one that came, they go back
/// for a day or more without a gap.
fn vouches(log: &Connection, now_ms: i64) -> Result<bool, rusqlite::Error> {
    // Uses the order of arrival, not time: visits that came while the clock was wrong are the
    // newest for ever. The tail's visits came after those in chunks.
    let tail = tail::times(log)?.into_iter().rev();
    let mut statement = log.prepare("SELECT min_ts, max_ts FROM chunk ORDER BY id DESC")?;
    let chunks = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    let mut earliest_ms = None;
    for span in tail.map(|time| Ok((time, time))).chain(chunks) {
        let (first_ms, last_ms): (i64, i64) = span?;
        // The visit came while the clock was further ahead than it is now.
        if last_ms > now_ms {
            continue;
        }
        let (after_ms, leap_ms) = earliest_ms.map_or((now_ms, MILLIS_PER_DAY), |ms| (ms, WEEK_MS));
        if after_ms.saturating_sub(last_ms) > leap_ms {
            return Ok(false);
        }
        let reached_ms = after_ms.min(first_ms);
        if now_ms.saturating_sub(reached_ms) >= MILLIS_PER_DAY {
            return Ok(true);
        }
        earliest_ms = Some(reached_ms);
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;
    use crate::{
        file::{schema, seal, tail},
        tests::rows::row,
    };

    /// 2026-01-01 and 2099-01-01, both 00:00:00 UTC.
    const NEW_YEAR: i64 = 1_767_225_600_000;
    const FAR_FUTURE: i64 = 4_070_908_800_000;
    const MINUTE: i64 = 60_000;

    struct Log {
        _folder: TempDir,
        db: Connection,
        clock: SteadyClock,
    }

    impl Log {
        /// With visits at these moments, in this order.
        fn with(moments: &[i64]) -> Self {
            let folder = tempfile::tempdir().unwrap();
            let log = Self {
                db: schema::open_writer(&folder.path().join("a.db")).unwrap(),
                _folder: folder,
                clock: SteadyClock::default(),
            };
            log.visits(moments);
            log
        }

        fn visits(&self, moments: &[i64]) {
            for &moment in moments {
                tail::insert(&self.db, &row(moment, 1), 1).unwrap();
            }
        }

        fn looks(&mut self, now_ms: i64) -> bool {
            let now = UnixMillis::new(now_ms);
            self.clock.is_believed(now, &self.db).unwrap()
        }

        fn restart(&mut self) {
            self.clock = SteadyClock::default();
        }

        /// Restarts as if nothing had been kept.
        fn forget(&mut self) {
            self.db.execute_batch("DELETE FROM clock").unwrap();
            self.restart();
        }
    }

    /// A visit every six hours until the new year.
    fn a_month() -> Vec<i64> {
        (0..=120)
            .map(|n| NEW_YEAR - (120 - n) * MILLIS_PER_DAY / 4)
            .collect()
    }

    #[test]
    fn a_steady_clock_is_believed_from_the_start_when_the_log_vouches_for_it() {
        let mut log = Log::with(&a_month());
        for hour in 0..100 {
            assert!(log.looks(NEW_YEAR + hour * MILLIS_PER_DAY / 24));
        }
        // The same once everything is in chunks.
        seal::seal(&mut log.db, 121).unwrap();
        log.forget();
        assert!(log.looks(NEW_YEAR + MILLIS_PER_DAY));
        log.forget();
        assert!(!log.looks(NEW_YEAR + MILLIS_PER_DAY + 1));
    }

    #[test]
    fn a_quiet_log_that_is_restarted_every_few_hours_comes_to_believe_its_clock() {
        let mut log = Log::with(&[NEW_YEAR - 40 * MILLIS_PER_DAY]);
        for hour in 0..24 {
            if hour % 5 == 0 {
                log.restart();
            }
            assert!(!log.looks(NEW_YEAR + hour * MILLIS_PER_DAY / 24), "{hour}");
        }
        log.restart();
        assert!(log.looks(NEW_YEAR + MILLIS_PER_DAY));
        log.restart();
        assert!(log.looks(NEW_YEAR + MILLIS_PER_DAY + MINUTE));
        // A stop of more than a day is like a jump.
        log.restart();
        assert!(!log.looks(NEW_YEAR + 3 * MILLIS_PER_DAY));
    }

    #[test]
    fn a_jump_is_doubted_over_restarts() {
        let mut log = Log::with(&a_month());
        assert!(log.looks(NEW_YEAR));
        assert!(!log.looks(FAR_FUTURE));
        for minute in 1..9 {
            log.restart();
            assert!(!log.looks(FAR_FUTURE + minute * MINUTE));
        }
        log.restart();
        assert!(log.looks(NEW_YEAR + MINUTE), "set right again");
    }

    #[test]
    fn a_disk_that_keeps_nothing_costs_trust_after_a_restart_and_no_visits() {
        let mut log = Log::with(&[NEW_YEAR - 40 * MILLIS_PER_DAY]);
        log.db
            .execute_batch(
                "CREATE TEMP TRIGGER disk_full BEFORE INSERT ON clock \
                 BEGIN SELECT RAISE(ABORT, 'full'); END",
            )
            .unwrap();
        assert!(!log.looks(NEW_YEAR));
        assert!(log.looks(NEW_YEAR + MILLIS_PER_DAY));
        log.restart();
        assert!(!log.looks(NEW_YEAR + MILLIS_PER_DAY + MINUTE));
    }

    #[test]
    fn a_jump_for_a_minute_and_back_is_never_believed() {
        let mut log = Log::with(&a_month());
        assert!(log.looks(NEW_YEAR));
        for round in 0..4 {
            // Visits come by the wrong clock, even before anybody looks at it.
            let wrong = FAR_FUTURE + round * MILLIS_PER_DAY;
            log.visits(&[wrong, wrong + 1]);
            assert!(!log.looks(wrong + 2));
            assert!(!log.looks(wrong + MINUTE));
            // The operator restarts the service before setting the clock right.
            log.restart();
            assert!(!log.looks(wrong + 2 * MINUTE));
            let right = NEW_YEAR + round * MILLIS_PER_DAY + MINUTE;
            log.visits(&[right]);
            assert!(log.looks(right), "back again");
        }
    }

    #[test]
    fn a_machine_that_always_wakes_up_in_the_far_future_loses_nothing() {
        let mut log = Log::with(&a_month());
        for round in 0..9 {
            let wrong = FAR_FUTURE + round * MILLIS_PER_DAY / 2;
            log.restart();
            assert!(!log.looks(wrong), "{round}");
            log.visits(&[wrong + 1]);
            assert!(!log.looks(wrong + MINUTE));
            let right = NEW_YEAR + round * MILLIS_PER_DAY / 2;
            log.visits(&[right]);
            assert!(log.looks(right));
        }
    }

    #[test]
    fn a_jump_that_persists_for_a_day_is_believed() {
        let mut log = Log::with(&a_month());
        assert!(log.looks(NEW_YEAR));
        let later = NEW_YEAR + 90 * MILLIS_PER_DAY;
        for minute in 0..24 * 60 {
            assert!(!log.looks(later + minute * MINUTE));
        }
        assert!(log.looks(later + MILLIS_PER_DAY));
        assert!(log.looks(later + 2 * MILLIS_PER_DAY));
        // And another jump meanwhile begins anew.
        assert!(!log.looks(later + 4 * MILLIS_PER_DAY));
        assert!(!log.looks(later + 6 * MILLIS_PER_DAY));
        assert!(log.looks(later + 7 * MILLIS_PER_DAY));
    }

    #[test]
    fn a_log_that_cannot_vouch_costs_a_day() {
        for moments in [
            &[][..],
            &[NEW_YEAR - 40 * MILLIS_PER_DAY],
            &[NEW_YEAR - MINUTE],
            &[NEW_YEAR - 9 * MILLIS_PER_DAY, NEW_YEAR - MINUTE],
        ] {
            let mut log = Log::with(moments);
            assert!(!log.looks(NEW_YEAR), "{moments:?}");
            assert!(!log.looks(NEW_YEAR + MILLIS_PER_DAY - 1));
            assert!(log.looks(NEW_YEAR + MILLIS_PER_DAY));
        }
    }

    #[test]
    fn a_clock_that_is_set_a_little_is_steady() {
        let mut log = Log::with(&a_month());
        assert!(log.looks(NEW_YEAR));
        for now in [
            NEW_YEAR - MILLIS_PER_DAY,
            NEW_YEAR,
            NEW_YEAR - 5,
            NEW_YEAR + MILLIS_PER_DAY - 5,
        ] {
            assert!(log.looks(now));
        }
    }
}
