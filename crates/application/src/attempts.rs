//! How often somebody may get something wrong.

use std::{hash::Hash, time::Duration};

use quick_cache::sync::Cache;
use slugline_domain::UnixMillis;
use thiserror::Error;

/// Counts failures per key over a sliding minute, for a bounded number of keys.
///
/// The limit is checked before the attempt is looked at, so that a right guess
/// behind the limit is not told apart from a wrong one. Under a flood of keys
/// old ones are forgotten, which errs towards letting people try.
#[derive(Debug)]
pub struct AttemptLimit<K> {
    max_per_minute: u32,
    failures: Cache<K, Window>,
}

/// Failures of one key. Two adjacent one-minute windows, of which the older
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
    /// Allows this many failures a minute, remembering about this many keys.
    pub fn new(max_per_minute: u32, keys: usize) -> Self {
        Self {
            max_per_minute,
            failures: Cache::new(keys),
        }
    }

    /// Whether the key may try now.
    ///
    /// # Errors
    /// It failed too often in the last minute.
    pub fn check(&self, key: &K, now: UnixMillis) -> Result<(), TooManyAttempts> {
        let Some(window) = self.failures.get(key) else {
            return Ok(());
        };
        let window = window.at(now);
        if window.weight(now) < u64::from(self.max_per_minute) * MINUTE_MS_U64 {
            return Ok(());
        }
        let left = u64::try_from(MINUTE_MS - now.get().rem_euclid(MINUTE_MS)).unwrap_or(0);
        Err(TooManyAttempts {
            retry_after: Duration::from_secs(left.div_ceil(1000)),
        })
    }

    /// Notes a failure.
    pub fn failed(&self, key: K, now: UnixMillis) {
        // Two failures at the same instant may count as one. The limit stays
        // one of order of magnitude, and the path stays free of a lock.
        let mut window = self.failures.get(&key).unwrap_or_default().at(now);
        window.current = window.current.saturating_add(1);
        self.failures.insert(key, window);
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
            assert_eq!(limit.check(&"a", at(10)), Ok(()));
            limit.failed("a", at(10));
        }
        let denied = limit.check(&"a", at(10)).unwrap_err();
        assert_eq!(denied.retry_after, Duration::from_secs(50));
        assert_eq!(limit.check(&"b", at(10)), Ok(()));
        assert!(
            limit.check(&"a", at(60)).is_err(),
            "a new minute does not start afresh"
        );
        assert_eq!(limit.check(&"a", at(61)), Ok(()));
        assert_eq!(limit.check(&"a", at(200)), Ok(()));
    }
}
