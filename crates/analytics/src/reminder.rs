//! Decides when to repeat the warning about a lasting failure.

use std::time::{Duration, Instant};

/// The time between the first two warnings, and the longest between any two. It
/// doubles from one to the next.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// An action that is retried.
#[derive(Debug, Default)]
pub struct Reminder {
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Failing {
    since: Instant,
    warn_at: Instant,
    pause: Duration,
}

/// The text of a warning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The first failure.
    First,
    /// The action has failed for this long.
    Again(Duration),
}

impl Reminder {
    /// Notes a failure, and returns a warning if one is due.
    pub fn failed(&mut self, now: Instant) -> Option<Warning> {
        let Some(failing) = &mut self.failing else {
            self.failing = Some(Failing {
                since: now,
                warn_at: now + FIRST_PAUSE,
                pause: FIRST_PAUSE,
            });
            return Some(Warning::First);
        };
        if now < failing.warn_at {
            return None;
        }
        failing.pause = (failing.pause * 2).min(LONGEST_PAUSE);
        failing.warn_at = now + failing.pause;
        Some(Warning::Again(now - failing.since))
    }

    /// Notes a success. Returns whether it failed before.
    pub fn works(&mut self) -> bool {
        self.failing.take().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_that_lasts_is_told_again_at_growing_intervals() {
        let start = Instant::now();
        let mut reminder = Reminder::default();
        assert!(!reminder.works());
        let mut told = Vec::new();
        for minute in 0..=300 {
            let passed = Duration::from_mins(minute);
            // The action fails far more often than this warns.
            for second in [0, 20, 40] {
                match reminder.failed(start + passed + Duration::from_secs(second)) {
                    Some(Warning::First) => told.push(0),
                    Some(Warning::Again(since)) => told.push(since.as_secs() / 60),
                    None => {}
                }
            }
        }
        assert_eq!(told, [0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
        assert!(reminder.works() && !reminder.works());
        assert_eq!(reminder.failed(start), Some(Warning::First));
    }
}
