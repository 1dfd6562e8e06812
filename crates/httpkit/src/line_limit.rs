//! Limits how often the log output repeats a line.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Limits the log output to this many lines of one kind each minute, and counts the others:
/// neither strangers nor an outage may fill the disk.
#[derive(Debug)]
pub(crate) struct LineLimit {
    per_minute: u32,
    minute: Mutex<Minute>,
}

#[derive(Debug)]
struct Minute {
    began: Option<Instant>,
    lines: u32,
    left_out: u64,
}

impl LineLimit {
    const MINUTE: Duration = Duration::from_mins(1);

    pub(crate) const fn new(per_minute: u32) -> Self {
        Self {
            per_minute,
            minute: Mutex::new(Minute {
                began: None,
                lines: 0,
                left_out: 0,
            }),
        }
    }

    /// Returns the number of lines that were left out before this one; `None` if the caller
    /// must leave this one out too.
    pub(crate) fn admit(&self, now: Instant) -> Option<u64> {
        let mut minute = self.minute.lock().unwrap_or_else(PoisonError::into_inner);
        let is_new = |began| now.saturating_duration_since(began) >= Self::MINUTE;
        if minute.began.is_none_or(is_new) {
            minute.began = Some(now);
            minute.lines = 0;
        }
        if minute.lines >= self.per_minute {
            minute.left_out += 1;
            return None;
        }
        minute.lines += 1;
        Some(std::mem::take(&mut minute.left_out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_minute_has_no_room_for_is_counted_by_the_next_line() {
        let limit = LineLimit::new(2);
        let start = Instant::now();
        let at = |seconds| limit.admit(start + Duration::from_secs(seconds));
        assert_eq!([at(0), at(1)], [Some(0), Some(0)]);
        assert_eq!([at(2), at(3), at(59)], [None; 3]);
        assert_eq!([at(60), at(61), at(62)], [Some(3), Some(0), None]);
        assert_eq!(at(500), Some(1));
    }
}
