//! The periods of salts, in which a visitor keeps one identity.

use std::str::FromStr;

use slugline_domain::UnixMillis;
use thiserror::Error;

use crate::utc::MILLIS_PER_DAY;

/// The period of one salt, in which a visitor keeps one identity. Periods follow UTC, and begin at
/// midnight of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SaltPeriod {
    /// From midnight to midnight.
    #[default]
    Day,
    /// From Monday to Sunday.
    Week,
    /// A calendar month.
    Month,
    /// One salt forever.
    Never,
}

impl SaltPeriod {
    pub const ALL: &'static [Self] = &[Self::Day, Self::Week, Self::Month, Self::Never];

    /// The name in settings and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
            Self::Month => "month",
            Self::Never => "never",
        }
    }

    /// The span of the salt in use at a moment.
    pub fn span_at(self, at: UnixMillis) -> SaltSpan {
        let day = at.get().div_euclid(MILLIS_PER_DAY);
        let days = match self {
            Self::Day => Some((day, day + 1)),
            Self::Week => {
                // 1970-01-01 was a Thursday, three days after a Monday.
                let monday = (day + 3).div_euclid(7) * 7 - 3;
                Some((monday, monday + 7))
            }
            Self::Month => {
                let (year, month) = civil_month(day);
                let (next_year, next_month) = if month == 12 {
                    (year + 1, 1)
                } else {
                    (year, month + 1)
                };
                Some((
                    first_day_of(year, month),
                    first_day_of(next_year, next_month),
                ))
            }
            Self::Never => None,
        };
        match days {
            Some((first, next)) => SaltSpan {
                start_ms: first * MILLIS_PER_DAY,
                end_ms: next * MILLIS_PER_DAY,
            },
            None => SaltSpan {
                start_ms: i64::MIN,
                end_ms: i64::MAX,
            },
        }
    }
}

impl FromStr for SaltPeriod {
    type Err = SaltPeriodError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .iter()
            .copied()
            .find(|period| period.as_str() == text)
            .ok_or(SaltPeriodError)
    }
}

/// The text is not a salt period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a salt period is one of day, week, month, never")]
pub struct SaltPeriodError;

/// The time in which one salt is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SaltSpan {
    /// First millisecond.
    pub start_ms: i64,
    /// First millisecond after it.
    pub end_ms: i64,
}

impl SaltSpan {
    pub fn contains(self, at: UnixMillis) -> bool {
        (self.start_ms..self.end_ms).contains(&at.get())
    }
}

/// Year and month, 1 to 12, of a day since 1970-01-01. This and
/// [`first_day_of`] are the era arithmetic of Howard Hinnant's "chrono-compatible
/// low-level date algorithms".
fn civil_month(day: i64) -> (i64, i64) {
    let shifted = day + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day_of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let month = if from_march < 10 {
        from_march + 3
    } else {
        from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month)
}

/// Days from 1970-01-01 to the first of a month.
fn first_day_of(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * from_march + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    /// 2026-01-01, a Thursday, as a day since 1970-01-01.
    const NEW_YEAR: i64 = 20_454;

    fn span_in_days(period: SaltPeriod, day: i64) -> (i64, i64) {
        let span = period.span_at(UnixMillis::new(day * MILLIS_PER_DAY + 1));
        (span.start_ms / MILLIS_PER_DAY, span.end_ms / MILLIS_PER_DAY)
    }

    #[rstest]
    #[case(SaltPeriod::Day, NEW_YEAR, (NEW_YEAR, NEW_YEAR + 1))]
    #[case(SaltPeriod::Week, NEW_YEAR, (NEW_YEAR - 3, NEW_YEAR + 4))]
    #[case(SaltPeriod::Week, NEW_YEAR + 3, (NEW_YEAR - 3, NEW_YEAR + 4))]
    #[case(SaltPeriod::Week, NEW_YEAR + 4, (NEW_YEAR + 4, NEW_YEAR + 11))]
    #[case(SaltPeriod::Month, NEW_YEAR, (NEW_YEAR, NEW_YEAR + 31))]
    #[case(SaltPeriod::Month, NEW_YEAR - 1, (NEW_YEAR - 31, NEW_YEAR))]
    // February 2028 is in a leap year.
    #[case(SaltPeriod::Month, 21_240, (21_215, 21_244))]
    #[case(SaltPeriod::Month, 0, (0, 31))]
    fn a_span_is_its_calendar_period(
        #[case] period: SaltPeriod,
        #[case] day: i64,
        #[case] expected: (i64, i64),
    ) {
        assert_eq!(span_in_days(period, day), expected);
    }

    #[test]
    fn spans_follow_one_another_without_gap() {
        for period in [SaltPeriod::Day, SaltPeriod::Week, SaltPeriod::Month] {
            let mut at = UnixMillis::new(-400 * MILLIS_PER_DAY);
            for _ in 0..400 {
                let span = period.span_at(at);
                assert!(span.contains(at));
                let next = UnixMillis::new(span.end_ms);
                assert!(!span.contains(next));
                assert_eq!(period.span_at(next).start_ms, span.end_ms);
                at = next;
            }
        }
        let always = SaltPeriod::Never.span_at(UnixMillis::new(0));
        assert!(always.contains(UnixMillis::new(i64::MAX)));
    }

    #[test]
    fn periods_are_read_from_their_words() {
        assert_eq!("week".parse(), Ok(SaltPeriod::Week));
        assert_eq!("Weekly".parse::<SaltPeriod>(), Err(SaltPeriodError));
    }
}
