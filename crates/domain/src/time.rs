//! Moments in time: whole seconds for links, milliseconds for visits.

use std::{fmt, num::ParseIntError, str::FromStr, time::Duration};

use thiserror::Error;

/// Whole seconds since 1970-01-01 00:00:00 UTC.
///
/// Bounded to what a JavaScript number holds exactly (±(2^53 - 1)), because
/// clients read it as one. Every such value fits [`UnixMillis`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixSeconds(i64);

impl UnixSeconds {
    /// The latest moment.
    pub const MAX: i64 = (1 << 53) - 1;
    /// The earliest moment.
    pub const MIN: i64 = -Self::MAX;

    /// Checks the bounds.
    ///
    /// # Errors
    /// The number is outside `MIN..=MAX`.
    pub const fn new(seconds: i64) -> Result<Self, TimeError> {
        if seconds < Self::MIN || seconds > Self::MAX {
            return Err(TimeError { seconds });
        }
        Ok(Self(seconds))
    }

    /// The number of seconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The first millisecond of this second.
    pub const fn start(self) -> UnixMillis {
        UnixMillis(self.0 * 1000)
    }
}

/// Milliseconds since 1970-01-01 00:00:00 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UnixMillis(i64);

impl UnixMillis {
    /// Takes a moment and moves it into the range of [`UnixSeconds`]. No clock
    /// reports one outside of it.
    pub const fn new(millis: i64) -> Self {
        const END: i64 = UnixSeconds::MAX * 1000;
        Self(if millis > END {
            END
        } else if millis < -END {
            -END
        } else {
            millis
        })
    }

    /// The number of milliseconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The moment this long after.
    #[must_use]
    pub fn later(self, by: Duration) -> Self {
        let by = i64::try_from(by.as_millis()).unwrap_or(i64::MAX);
        Self::new(self.0.saturating_add(by))
    }

    /// The second that contains this moment.
    pub const fn second(self) -> UnixSeconds {
        UnixSeconds(self.0.div_euclid(1000))
    }
}

impl FromStr for UnixSeconds {
    type Err = MomentError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Ok(Self::new(text.parse()?)?)
    }
}

impl fmt::Display for UnixSeconds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for UnixMillis {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self::new)
    }
}

impl fmt::Display for UnixMillis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A number of seconds is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{seconds} is not a moment between -(2^53-1) and 2^53-1 seconds")]
pub struct TimeError {
    /// The number.
    pub seconds: i64,
}

/// The reason why a text is not a moment.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum MomentError {
    /// It is not a whole number.
    #[error("not a whole number: {0}")]
    NotANumber(#[from] ParseIntError),
    /// The number is out of range.
    #[error(transparent)]
    OutOfRange(#[from] TimeError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_hold_what_javascript_holds_exactly() {
        let last = UnixSeconds::new(9_007_199_254_740_991).unwrap().get();
        assert_eq!(last, UnixSeconds::MAX);
        assert!(UnixSeconds::new(9_007_199_254_740_992).is_err());
        assert_eq!(
            UnixSeconds::new(UnixSeconds::MAX)
                .unwrap()
                .start()
                .second()
                .get(),
            UnixSeconds::MAX
        );
    }

    #[test]
    fn a_moment_before_1970_lies_in_the_second_that_began_before_it() {
        assert_eq!(UnixMillis::new(-1).second().get(), -1);
        assert_eq!(UnixMillis::new(1999).second().get(), 1);
    }
}
