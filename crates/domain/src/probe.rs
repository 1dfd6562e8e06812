//! Checks that a destination answers.

use std::time::Duration;

use thiserror::Error;

use crate::Destination;

/// One destination to check, on behalf of a caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeRequest {
    /// The destination to check.
    pub destination: Destination,
    /// The time limit for the whole answer, redirects included.
    pub timeout: ProbeTimeout,
    /// The parts of the caller's request that the destination sees.
    pub caller: ProbeCaller,
}

/// The parts of the caller's request that the destination sees, because it may
/// answer differently to other languages and programs. Nothing else of the
/// caller is passed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProbeCaller {
    /// The caller's `Accept-Language`.
    pub accept_language: Option<String>,
    /// The caller's `User-Agent`.
    pub user_agent: Option<String>,
}

/// The result of a probe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeOutcome {
    /// The HTTP status after redirects, or the reason why there is none.
    pub result: Result<u16, ProbeFailure>,
    /// The time that the probe took.
    pub duration: Duration,
}

impl ProbeOutcome {
    /// The final status, if there is one.
    pub fn status(&self) -> Option<u16> {
        self.result.as_ref().ok().copied()
    }

    /// Returns whether the destination answered without an error status.
    pub fn ok(&self) -> bool {
        self.status()
            .is_some_and(|status| (1..400).contains(&status))
    }
}

/// The reason why a destination gave no status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProbeFailure {
    /// The destination, or one that it redirects to, is in a network that the
    /// service must not enter.
    NotAllowed,
    /// The server could not be reached, or did not answer in time. The text is
    /// for people.
    Failed(String),
}

/// The time that a destination may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProbeTimeout(Duration);

impl ProbeTimeout {
    /// The longest timeout, in seconds. A page of probes holds a request open
    /// for as long.
    pub const MAX_SECONDS: u8 = 30;
    /// The timeout in seconds if the client names none.
    pub const DEFAULT_SECONDS: u8 = 6;

    /// Checks the bounds.
    ///
    /// # Errors
    /// The number of seconds is outside `1..=MAX_SECONDS`.
    pub fn from_seconds(seconds: i64) -> Result<Self, ProbeBoundError> {
        within(seconds, Self::MAX_SECONDS).map(|seconds| Self(Duration::from_secs(seconds.into())))
    }

    /// The time.
    pub fn get(self) -> Duration {
        self.0
    }
}

impl Default for ProbeTimeout {
    fn default() -> Self {
        Self(Duration::from_secs(Self::DEFAULT_SECONDS.into()))
    }
}

/// The number of links to check at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckSize(u8);

impl CheckSize {
    /// The largest number: each link is a connection to a foreign server.
    pub const MAX: u8 = 10;
    /// The number if the client names none.
    pub const DEFAULT: u8 = 6;

    /// Checks the bounds.
    ///
    /// # Errors
    /// The number is outside `1..=MAX`.
    pub fn new(links: i64) -> Result<Self, ProbeBoundError> {
        within(links, Self::MAX).map(Self)
    }

    /// Links at a time.
    pub fn get(self) -> u8 {
        self.0
    }
}

impl Default for CheckSize {
    fn default() -> Self {
        Self(Self::DEFAULT)
    }
}

/// A number of links or seconds is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{number} is outside 1 to {max}")]
pub struct ProbeBoundError {
    /// The number.
    pub number: i64,
    /// The largest number allowed.
    pub max: u8,
}

fn within(number: i64, max: u8) -> Result<u8, ProbeBoundError> {
    u8::try_from(number)
        .ok()
        .filter(|small| (1..=max).contains(small))
        .ok_or(ProbeBoundError { number, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_hold() {
        assert_eq!(ProbeTimeout::from_seconds(30).unwrap().get().as_secs(), 30);
        assert_eq!(CheckSize::new(10).unwrap().get(), 10);
        for wrong in [i64::MIN, -1, 0, 31, 257] {
            let error = ProbeBoundError {
                number: wrong,
                max: 30,
            };
            assert_eq!(ProbeTimeout::from_seconds(wrong), Err(error));
            let error = ProbeBoundError {
                number: wrong,
                max: 10,
            };
            assert_eq!(CheckSize::new(wrong), Err(error));
        }
    }

    #[test]
    fn only_a_status_below_400_is_ok() {
        for (result, ok) in [
            (Ok(200), true),
            (Ok(304), true),
            (Ok(399), true),
            (Ok(400), false),
            (Ok(503), false),
            (Err(ProbeFailure::NotAllowed), false),
        ] {
            let outcome = ProbeOutcome {
                result,
                duration: Duration::ZERO,
            };
            assert_eq!(outcome.ok(), ok);
        }
    }
}
