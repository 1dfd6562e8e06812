//! Visits that were lost.

use slugline_domain::{UnixMillis, VisitFilter};

use crate::sampled::Asked;

const MILLIS_PER_MINUTE: i64 = 60_000;

/// The most entries of a list: a week of minutes. After that, its last entry is extended.
pub(super) const MOST: usize = 10_080;

/// Visits that were lost in a range of minutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The first minute, counted since 1970.
    pub from: i64,
    /// The last minute, usually the same.
    pub until: i64,
    pub visits: u64,
}

impl Loss {
    /// A number of visits lost between two moments.
    pub fn between(first: UnixMillis, last: UnixMillis, visits: u64) -> Self {
        Self {
            from: minute(first),
            until: minute(last),
            visits,
        }
    }

    /// A number of visits lost in the time span of the others.
    pub fn among(others: &[UnixMillis], visits: u64) -> Self {
        match (others.iter().min(), others.iter().max()) {
            (Some(&first), Some(&last)) => Self::between(first, last, visits.max(1)),
            _ => Self::unknown(),
        }
    }

    /// The same losses as at most `most` entries.
    pub(super) fn few(losses: &[Self], most: usize) -> Vec<Self> {
        let together = losses.len().div_ceil(most).max(1);
        losses.chunks(together).filter_map(Self::of_all).collect()
    }

    /// Several losses as one; `None` if there are none.
    pub(crate) fn of_all(losses: &[Self]) -> Option<Self> {
        Some(Self {
            from: losses.iter().map(|loss| loss.from).min()?,
            until: losses.iter().map(|loss| loss.until).max()?,
            visits: losses
                .iter()
                .fold(0, |visits, loss| visits.saturating_add(loss.visits)),
        })
    }

    /// Returns whether any of these minutes may lack a visit.
    fn is_in(&self, (from, until): (i64, i64)) -> bool {
        self.until >= from && self.from <= until
    }

    /// An unknown number of visits, lost at an unknown time.
    pub fn unknown() -> Self {
        Self::between(UnixMillis::new(i64::MIN), UnixMillis::new(i64::MAX), 1)
    }
}

/// The visits of losses that an answer about this time may lack.
pub fn among(losses: &[Loss], filter: &VisitFilter) -> u64 {
    let Some(minutes) = Asked::by(filter).minutes() else {
        return 0;
    };
    let meant = losses.iter().filter(|loss| loss.is_in(minutes));
    meant.fold(0, |visits, loss| visits.saturating_add(loss.visits))
}

/// The minute of a moment, counted since 1970.
fn minute(at: UnixMillis) -> i64 {
    at.get().div_euclid(MILLIS_PER_MINUTE)
}
