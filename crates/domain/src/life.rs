//! The life of a link: when it starts, for how many visits it lasts, and where visitors go before
//! and after.

use thiserror::Error;

use crate::{Destination, UnixSeconds};

/// The members that bound a link's life. Its expiry stands
/// beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Life {
    /// The second from which the link leads to its destination.
    pub starts_at: Option<UnixSeconds>,
    /// The destination before the start.
    pub start_url: Option<Destination>,
    /// The destination after the end, by date or by use.
    pub expired_url: Option<Destination>,
    /// The number of visits after which the link is used up.
    pub max_visits: Option<MaxVisits>,
    /// `true` hides the link from visitors.
    pub disabled: bool,
}

impl Life {
    /// Checks the members against one another and against the author's expiry.
    ///
    /// # Errors
    /// Names the first rule that they break.
    pub fn check(&self, expires_at: Option<UnixSeconds>) -> Result<(), LifeFault> {
        match (self.starts_at, expires_at) {
            (Some(starts_at), Some(expires_at)) if starts_at >= expires_at => {
                Err(LifeFault::StartsAfterExpiry {
                    starts_at,
                    expires_at,
                })
            }
            (None, _) if self.start_url.is_some() => Err(LifeFault::StartUrlWithoutStart),
            (Some(_) | None, _) => Ok(()),
        }
    }
}

/// A number of visits, one or more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct VisitCount(u32);

/// The visits after which a link is used up.
pub type MaxVisits = VisitCount;

/// The visits that a link had elsewhere, before it came here. No statistic counts them.
pub type VisitsBefore = VisitCount;

impl VisitCount {
    /// The largest number.
    pub const MAX: u32 = 1_000_000_000;

    /// Checks the bounds.
    ///
    /// # Errors
    /// The number is outside `1..=MAX`.
    pub fn new(visits: i64) -> Result<Self, VisitCountError> {
        let number = u32::try_from(visits).ok();
        let number = number.filter(|number| (1..=Self::MAX).contains(number));
        number.map(Self).ok_or(VisitCountError { visits })
    }

    /// The number.
    pub fn get(self) -> u32 {
        self.0
    }

    /// The number of visits that are left after so many.
    pub fn left_after(self, used: u32) -> u32 {
        self.0.saturating_sub(used)
    }
}

/// A number of visits is out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{visits} is not a number of visits from 1 to {}", VisitCount::MAX)]
pub struct VisitCountError {
    /// The number.
    pub visits: i64,
}

/// Members of a link that are right alone and wrong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum LifeFault {
    /// The link would be over before it starts.
    #[error("the link starts at {}, which is not before its expiry, {}", starts_at.get(), expires_at.get())]
    StartsAfterExpiry {
        /// The start.
        starts_at: UnixSeconds,
        /// The expiry.
        expires_at: UnixSeconds,
    },
    /// There is a destination before the start, but no start.
    #[error("there is a destination before the start, but no start")]
    StartUrlWithoutStart,
    /// There is an end of the split, but no split.
    #[error("there is an end of the split, but no split")]
    SplitEndWithoutSplit,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn second(number: i64) -> UnixSeconds {
        UnixSeconds::new(number).unwrap()
    }

    #[test]
    fn a_number_of_visits_is_bounded() {
        for wrong in [i64::MIN, -1, 0, 1_000_000_001, i64::MAX] {
            assert!(MaxVisits::new(wrong).is_err(), "{wrong}");
        }
        let ten = MaxVisits::new(10).unwrap();
        let left = [0, 9, 10, 11].map(|used| ten.left_after(used));
        assert_eq!(left, [10, 1, 0, 0]);
        assert!(MaxVisits::new(i64::from(MaxVisits::MAX)).is_ok());
    }

    #[test]
    fn a_link_starts_before_it_expires_and_has_a_start_if_it_leads_anywhere_before() {
        let mut life = Life {
            start_url: Some("https://soon.example/".parse().unwrap()),
            ..Life::default()
        };
        assert_eq!(life.check(None), Err(LifeFault::StartUrlWithoutStart));
        life.starts_at = Some(second(5));
        assert_eq!(life.check(None), Ok(()));
        for (expiry, fits) in [(5, false), (6, true)] {
            assert_eq!(life.check(Some(second(expiry))).is_ok(), fits, "{expiry}");
        }
    }
}
