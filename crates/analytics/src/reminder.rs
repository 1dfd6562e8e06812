//! When to say again that something still does not work.

use std::time::{Duration, Instant};

/// From the first warning to the second one, and the most between two. The
/// time between doubles from one to the next.
const FIRST_PAUSE: Duration = Duration::from_mins(1);
const LONGEST_PAUSE: Duration = Duration::from_hours(1);

/// Something that is tried again and again.
#[derive(Debug, Default)]
pub(crate) struct Reminder {
    failing: Option<Failing>,
}

#[derive(Debug)]
struct Failing {
    since: Instant,
    warn_at: Instant,
    pause: Duration,
}

/// What a warning is to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Warning {
    /// It does not work any more.
    First,
    /// It has not worked for so long.
    Again(Duration),
}

impl Reminder {
    /// It failed; whether that is worth a warning now.
    pub(crate) fn failed(&mut self, now: Instant) -> Option<Warning> {
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

    /// It works; whether it did not before.
    pub(crate) fn works(&mut self) -> bool {
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
            // Tried far more often than told of.
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
