//! A clock and a random source under a test's control.

use std::{
    env,
    sync::atomic::{AtomicI64, AtomicU64, Ordering},
};

use slugline_domain::{
    SplitMix64, UnixMillis, UnixSeconds,
    ports::{Clock, Random},
};

/// A clock that only the test moves.
#[derive(Debug)]
pub struct FixedClock(AtomicI64);

impl FixedClock {
    /// A clock that shows the start of this second.
    pub fn at(moment: UnixSeconds) -> Self {
        Self(AtomicI64::new(moment.start().get()))
    }

    /// Moves the clock forward.
    pub fn advance_seconds(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1000, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> UnixMillis {
        UnixMillis::new(self.0.load(Ordering::Relaxed))
    }
}

/// Bytes that look random and repeat with the seed.
#[derive(Debug)]
pub struct SeededRandom(AtomicU64);

impl SeededRandom {
    /// A source that gives the same bytes for the same seed.
    pub fn new(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }
}

impl Random for SeededRandom {
    fn fill(&self, buffer: &mut [u8]) {
        for byte in buffer {
            let state = self.0.fetch_add(SplitMix64::STEP, Ordering::Relaxed);
            *byte = SplitMix64::mixed(state).to_be_bytes()[0];
        }
    }
}

/// The number of random cases of a suite: `PROPTEST_CASES`, as for property tests, or 64.
pub(crate) fn random_cases() -> usize {
    let cases = env::var_os("PROPTEST_CASES").unwrap_or_default();
    cases
        .to_str()
        .and_then(|cases| cases.parse().ok())
        .unwrap_or(64)
}
