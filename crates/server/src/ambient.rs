//! The real clock and the real random source. No other module uses either directly.

use std::time::{SystemTime, UNIX_EPOCH};

use slugline_domain::{
    UnixMillis,
    ports::{Clock, Random},
};

/// The machine's clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the clock that everything else takes"
    )]
    fn now(&self) -> UnixMillis {
        // A clock before 1970 is wrong; the epoch is an equally good answer.
        let since = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        UnixMillis::new(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }
}

/// The operating system's random bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OsRandom;

impl Random for OsRandom {
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("an operating system has random bytes to give");
    }
}
