//! The machine's clock and random bytes, behind the ports of the domain.
//!
//! Every rule of Slugline takes its clock and its random source as arguments. A program passes
//! these two; a test passes doubles that it controls.
//!
//! ```
//! use slugline_domain::ports::{Clock, Random};
//! use slugline_system::{OsRandom, SystemClock};
//!
//! let now = SystemClock.now();
//! let mut token = [0; 16];
//! OsRandom.fill(&mut token);
//! assert!(now.get() > 0 && token != [0; 16]);
//! ```

use std::time::{SystemTime, UNIX_EPOCH};

use slugline_domain::{
    UnixMillis,
    ports::{Clock, Random},
};

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

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
#[derive(Clone, Copy, Debug, Default)]
pub struct OsRandom;

impl Random for OsRandom {
    /// Fills the buffer.
    ///
    /// # Panics
    /// The operating system gives no random bytes: every secret made after that would be weak.
    fn fill(&self, buffer: &mut [u8]) {
        getrandom::fill(buffer).expect("an operating system has random bytes to give");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clock_shows_a_moment_after_this_was_written() {
        let written = UnixMillis::new(1_750_000_000_000);
        assert!(SystemClock.now() > written);
    }

    #[test]
    fn random_bytes_do_not_repeat() {
        let (mut a, mut b) = ([0; 32], [0; 32]);
        OsRandom.fill(&mut a);
        OsRandom.fill(&mut b);
        assert_ne!(a, b);
    }
}
