//! Decides whether the clock may delete what nothing brings back.
//!
//! A clock can be wrong for a while: a computer without a battery starts in the past, a person sets
//! it, a virtual machine wakes up. Old visits and ended salts are therefore deleted only by a clock
//! that has gone on for some time.

use rusqlite::{Connection, OptionalExtension};
use slugline_domain::UnixMillis;

use crate::utc::MILLIS_PER_DAY;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;

/// The longest time between two looks in a row of a clock that goes on. A recorder without visits
/// looks every minute.
const GOES_ON_MS: i64 = 2 * MINUTE_MS;

/// Returns true if the clock has run for a day, and no two looks in a row were more than a day
/// apart.
///
/// A clock that jumps to 2099 therefore deletes nothing unless it runs on from there for a day, in
/// which the operator can set it right. The file keeps the last look, so a restart within a day of
/// it changes nothing. Any other start, and each jump, makes deletions a day late.
pub fn clock_is_steady(db: &Connection, now_ms: i64) -> Result<bool, rusqlite::Error> {
    let last: Option<(i64, Option<i64>)> = db
        .prepare_cached("SELECT seen_ms, doubted_since_ms FROM clock")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let goes_on = |seen_ms| now_ms.abs_diff(seen_ms) <= MILLIS_PER_DAY.unsigned_abs();
    let doubted_since_ms = match last {
        Some((seen_ms, since)) if goes_on(seen_ms) => {
            since.filter(|since| now_ms - since < MILLIS_PER_DAY)
        }
        jumped => {
            if jumped.is_some() {
                tracing::warn!(
                    "the clock is more than a day from where it was; in case it is wrong, no \
                     visits and no salts are deleted by their age until it has gone on for a day"
                );
            }
            Some(now_ms)
        }
    };
    db.prepare_cached(
        "INSERT OR REPLACE INTO clock (only, seen_ms, doubted_since_ms) VALUES (1, ?1, ?2)",
    )?
    .execute((now_ms, doubted_since_ms))?;
    Ok(doubted_since_ms.is_none())
}

/// The clock that ends salts. Without the salt of today, every visitor who comes back counts twice.
#[derive(Debug, Default)]
pub struct SaltClock {
    last_ms: Option<i64>,
    /// The clock has gone on since this moment.
    since_ms: i64,
    /// The last time that the file was asked whether the clock is steady, and its answer.
    asked_ms: Option<i64>,
    is_steady: bool,
}

impl SaltClock {
    /// The moment before which salts have ended for certain. Call this at least every minute.
    ///
    /// That is the present if the clock has gone on for an hour. Otherwise it may have jumped by up
    /// to a day, so it is a day before; and if the clock is not steady, no salt has ended.
    pub fn ended_before(
        &mut self,
        db: &Connection,
        now: UnixMillis,
    ) -> Result<UnixMillis, rusqlite::Error> {
        let now_ms = now.get();
        let goes_on = |last_ms| (0..=GOES_ON_MS).contains(&(now_ms - last_ms));
        if !self.last_ms.is_some_and(goes_on) {
            self.since_ms = now_ms;
        }
        self.last_ms = Some(now_ms);
        let recent = |asked_ms: i64| now_ms.abs_diff(asked_ms) < HOUR_MS.unsigned_abs();
        if !self.asked_ms.is_some_and(recent) {
            self.asked_ms = Some(now_ms);
            self.is_steady = false;
            self.is_steady = clock_is_steady(db, now_ms)?;
        }
        Ok(UnixMillis::new(if !self.is_steady {
            i64::MIN
        } else if now_ms - self.since_ms >= HOUR_MS {
            now_ms
        } else {
            now_ms - MILLIS_PER_DAY
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::journal::blank;

    const NOON: i64 = 1_767_268_800_000;
    const DAY: i64 = MILLIS_PER_DAY;

    #[test]
    fn a_clock_is_steady_when_it_has_gone_on_for_a_day() {
        const FAR: i64 = NOON + 26_000 * DAY;
        const HOUR: i64 = HOUR_MS;
        let folder = tempfile::tempdir().unwrap();
        let db = blank::open(&folder.path().join("a.db"));
        let is_steady = |now_ms| clock_is_steady(&db, now_ms).unwrap();
        for hour in 0..60 {
            assert_eq!(is_steady(NOON + hour * HOUR), hour >= 24, "{hour}");
        }
        // Set a little.
        assert!(is_steady(NOON + 36 * HOUR));
        assert!(is_steady(NOON + 60 * HOUR));
        // A machine that always wakes up in the far future.
        for day in 0..9 {
            assert!(!is_steady(FAR + day * DAY), "{day}");
            assert!(!is_steady(FAR + day * DAY + HOUR), "{day}");
            assert!(!is_steady(NOON + day * DAY), "{day}");
        }
        // A jump while another one is doubted.
        assert!(!is_steady(FAR));
        assert!(!is_steady(FAR + 20 * HOUR));
        assert!(!is_steady(FAR + 45 * HOUR));
        assert!(!is_steady(FAR + 68 * HOUR));
        assert!(is_steady(FAR + 69 * HOUR));
    }

    struct Fixture {
        _folder: tempfile::TempDir,
        db: Connection,
        clock: SaltClock,
    }

    impl Fixture {
        /// A file whose clock was steady at noon.
        fn steady() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let db = blank::open(&folder.path().join("a.db"));
            db.execute("INSERT INTO clock VALUES (1, ?1, NULL)", [NOON])
                .unwrap();
            Self {
                _folder: folder,
                db,
                clock: SaltClock::default(),
            }
        }

        fn look(&mut self, now_ms: i64) -> i64 {
            let ended = self.clock.ended_before(&self.db, UnixMillis::new(now_ms));
            ended.unwrap().get()
        }

        /// Looks every minute, and returns the result of the last look.
        fn go_on(&mut self, from_ms: i64, until_ms: i64) -> i64 {
            let mut ended = i64::MIN;
            for minute in 0..=(until_ms - from_ms) / MINUTE_MS {
                ended = self.look(from_ms + minute * MINUTE_MS);
            }
            ended
        }
    }

    #[test]
    fn a_clock_that_goes_on_ends_salts_at_once() {
        let mut file = Fixture::steady();
        assert_eq!(file.look(NOON), NOON - DAY);
        let later = NOON + 13 * HOUR_MS;
        assert_eq!(file.go_on(NOON, later), later);
        // The queue never empties, or the computer sleeps.
        assert_eq!(
            file.look(later + 3 * MINUTE_MS),
            later + 3 * MINUTE_MS - DAY
        );
    }

    #[test]
    fn a_clock_that_jumps_for_a_minute_ends_no_salt_of_its_day() {
        for jump in [13 * HOUR_MS, DAY, 2 * DAY, 400 * DAY, -DAY, -400 * DAY] {
            let mut file = Fixture::steady();
            let before = NOON + 2 * HOUR_MS;
            file.go_on(NOON, before);
            let wrong = before + jump;
            let end_of_day = NOON + DAY / 2;
            assert!(file.go_on(wrong, wrong + MINUTE_MS) < end_of_day, "{jump}");
            assert!(file.go_on(before, before + 90 * MINUTE_MS) < end_of_day);
            // The salt ends a day late at most.
            let late = NOON + 5 * DAY / 2;
            assert!(file.go_on(before, late) >= end_of_day, "{jump}");
        }
    }

    #[test]
    fn a_process_that_never_runs_for_long_ends_salts_a_day_late() {
        let mut file = Fixture::steady();
        for hour in 1..36 {
            file.clock = SaltClock::default();
            let now = NOON + hour * HOUR_MS;
            assert_eq!(file.look(now), now - DAY);
        }
    }
}
