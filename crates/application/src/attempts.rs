//! How often somebody may get something wrong.

use std::{
    convert::Infallible,
    hash::Hash,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use quick_cache::sync::Cache;
use slugline_domain::UnixMillis;
use thiserror::Error;

/// Limits wrong attempts per key over a sliding minute, for a bounded number of
/// keys.
///
/// An attempt counts as wrong from its beginning until it turns out right:
/// otherwise any number of guesses could be under way at once. The limit is
/// checked before the attempt is looked at, so that a right guess behind the
/// limit is not told apart from a wrong one. Under a flood of keys old ones are
/// forgotten, which errs towards letting people try.
#[derive(Debug)]
pub struct AttemptLimit<K> {
    max_per_minute: u32,
    attempts: Cache<K, Arc<Mutex<Window>>>,
}

/// Attempts of one key. Two adjacent one-minute windows, of which the older
/// counts in proportion to how much of it lies within the last minute.
#[derive(Clone, Copy, Debug, Default)]
struct Window {
    minute: i64,
    current: u32,
    previous: u32,
}

/// Too many wrong attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("too many failed attempts, wait {} seconds", retry_after.as_secs())]
pub struct TooManyAttempts {
    /// When to try again.
    pub retry_after: Duration,
}

/// The same minute, for arithmetic on moments and on counts.
const MINUTE_MS: i64 = 60_000;
const MINUTE_MS_U64: u64 = 60_000;

impl<K: Eq + Hash + Clone> AttemptLimit<K> {
    /// Allows this many wrong attempts a minute, remembering about this many
    /// keys.
    pub fn new(max_per_minute: u32, keys: usize) -> Self {
        Self {
            max_per_minute,
            attempts: Cache::new(keys),
        }
    }

    /// Begins an attempt, which counts as wrong until
    /// [`AttemptLimit::succeeded`] is called.
    ///
    /// # Errors
    /// The key failed too often in the last minute.
    pub fn begin(&self, key: &K, now: UnixMillis) -> Result<(), TooManyAttempts> {
        let new_window = || Ok::<_, Infallible>(Arc::default());
        let Ok(window) = self.attempts.get_or_insert_with(key, new_window);
        let mut window = window.lock().unwrap_or_else(PoisonError::into_inner);
        *window = window.at(now);
        if window.weight(now) >= u64::from(self.max_per_minute) * MINUTE_MS_U64 {
            let left = u64::try_from(MINUTE_MS - now.get().rem_euclid(MINUTE_MS)).unwrap_or(0);
            return Err(TooManyAttempts {
                retry_after: Duration::from_secs(left.div_ceil(1000)),
            });
        }
        window.current = window.current.saturating_add(1);
        Ok(())
    }

    /// Takes back an attempt that turned out right.
    pub fn succeeded(&self, key: &K) {
        if let Some(window) = self.attempts.get(key) {
            let mut window = window.lock().unwrap_or_else(PoisonError::into_inner);
            window.current = window.current.saturating_sub(1);
        }
    }
}

impl Window {
    fn at(self, now: UnixMillis) -> Self {
        let minute = now.get().div_euclid(MINUTE_MS);
        match minute - self.minute {
            0 => self,
            1 => Self {
                minute,
                current: 0,
                previous: self.current,
            },
            _ => Self {
                minute,
                current: 0,
                previous: 0,
            },
        }
    }

    /// Failures in the last minute, times the milliseconds in a minute.
    fn weight(self, now: UnixMillis) -> u64 {
        let into = u64::try_from(now.get().rem_euclid(MINUTE_MS)).unwrap_or(0);
        u64::from(self.current) * MINUTE_MS_U64 + u64::from(self.previous) * (MINUTE_MS_U64 - into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> UnixMillis {
        UnixMillis::new(6_000_000 + seconds * 1000)
    }

    #[test]
    fn failures_are_limited_per_key_and_forgiven_with_time() {
        let limit = AttemptLimit::new(3, 100);
        for _ in 0..3 {
            assert_eq!(limit.begin(&"a", at(10)), Ok(()));
        }
        let denied = limit.begin(&"a", at(10)).unwrap_err();
        assert_eq!(denied.retry_after, Duration::from_secs(50));
        assert_eq!(limit.begin(&"b", at(10)), Ok(()));
        assert!(
            limit.begin(&"a", at(60)).is_err(),
            "a new minute does not start afresh"
        );
        assert_eq!(limit.begin(&"a", at(61)), Ok(()));
        assert_eq!(limit.begin(&"a", at(200)), Ok(()));
    }

    #[test]
    fn right_attempts_do_not_count_and_unfinished_ones_do() {
        let limit = AttemptLimit::new(2, 100);
        for _ in 0..10 {
            assert_eq!(limit.begin(&"a", at(1)), Ok(()));
            limit.succeeded(&"a");
        }
        assert_eq!(limit.begin(&"a", at(1)), Ok(()));
        assert_eq!(limit.begin(&"a", at(1)), Ok(()));
        assert!(limit.begin(&"a", at(1)).is_err(), "two are under way");
    }
}
