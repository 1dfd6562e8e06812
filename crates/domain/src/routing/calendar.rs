//! Days and times of the day, by the clocks of a place.

use std::ops::Range;

use super::value::Value;
use crate::{LocalSeconds, TimeUnit, UnixSeconds};

/// A day of the calendar, counted from 1970-01-01.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Day(i64);

impl Day {
    pub(super) fn of(local: LocalSeconds) -> Self {
        Self(local.get().div_euclid(TimeUnit::Day.seconds()))
    }

    /// `2026-12-01`, in the years from 1970 on.
    fn parse(text: &str) -> Option<Self> {
        let shape = text.len() == "2026-12-01".len()
            && text.bytes().enumerate().all(|(i, byte)| match i {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !shape {
            return None;
        }
        let number = |range: Range<usize>| text.get(range)?.parse::<i64>().ok();
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        if year < 1970 || !(1..=12).contains(&month) {
            return None;
        }
        let first = days_from_civil(year, month);
        let next = if month == 12 {
            days_from_civil(year + 1, 1)
        } else {
            days_from_civil(year, month + 1)
        };
        (1..=next - first)
            .contains(&day)
            .then(|| Self(first + day - 1))
    }

    fn show(self) -> String {
        let mut year = 1970 + self.0 / 366;
        while days_from_civil(year + 1, 1) <= self.0 {
            year += 1;
        }
        let month = (1..=12)
            .rev()
            .find(|&month| days_from_civil(year, month) <= self.0);
        let month = month.unwrap_or(1);
        let day = self.0 - days_from_civil(year, month) + 1;
        format!("{year:04}-{month:02}-{day:02}")
    }
}

/// Days from 1970-01-01 to the first of a month: the era arithmetic of Howard Hinnant's
/// "chrono-compatible low-level date algorithms", for years from 1970 on.
fn days_from_civil(year: i64, month: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let era = year / 400;
    let year_of_era = year % 400;
    let day_of_year = (153 * from_march + 2) / 5;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The begin or the end of a time: a moment, or a day of the rule's time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bound {
    Moment(UnixSeconds),
    Day(Day),
}

impl Value for Bound {
    const EXPECTED: &'static str = "a moment, or a day such as 2026-12-01";

    fn parse(text: &str) -> Option<Self> {
        let moment = || text.parse().ok().map(Self::Moment);
        Day::parse(text).map(Self::Day).or_else(moment)
    }

    fn show(&self) -> String {
        match self {
            Self::Moment(moment) => moment.to_string(),
            Self::Day(day) => day.show(),
        }
    }
}

/// A day of the week: 1 for Monday to 7 for Sunday.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Weekday(u8);

const WEEKDAYS: [&str; 7] = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

impl Weekday {
    pub(super) fn of(local: LocalSeconds) -> Self {
        Self(local.hour_of_week().weekday())
    }

    /// True if every day is among them.
    pub(super) fn are_all(days: &[Self]) -> bool {
        (1..=7).all(|day| days.contains(&Self(day)))
    }
}

impl Value for Weekday {
    const EXPECTED: &'static str = "mon, tue, wed, thu, fri, sat or sun";

    fn parse(text: &str) -> Option<Self> {
        let index = WEEKDAYS.iter().position(|name| *name == text)?;
        u8::try_from(index + 1).ok().map(Self)
    }

    fn show(&self) -> String {
        let name = WEEKDAYS.get(usize::from(self.0) - 1);
        name.copied().unwrap_or_default().to_owned()
    }
}

/// A part of the day in minutes after midnight, over midnight if it ends before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hours {
    from: u16,
    until: u16,
}

impl Hours {
    const DAY: u16 = 24 * 60;

    pub(super) fn has(self, local: LocalSeconds) -> bool {
        let minute = local.get().rem_euclid(TimeUnit::Day.seconds()) / TimeUnit::Minute.seconds();
        let minute = u16::try_from(minute).unwrap_or_default();
        if self.from < self.until {
            (self.from..self.until).contains(&minute)
        } else {
            minute >= self.from || minute < self.until
        }
    }

    /// The time on a clock, such as `17:05`.
    pub(super) fn clock(local: LocalSeconds) -> String {
        let minutes = local.get().rem_euclid(TimeUnit::Day.seconds()) / TimeUnit::Minute.seconds();
        format!("{:02}:{:02}", minutes / 60, minutes % 60)
    }

    pub(super) fn is_whole_day(self) -> bool {
        self.from == 0 && self.until == Self::DAY
    }

    fn minute(text: &str) -> Option<u16> {
        let (hour, minute) = text.split_once(':')?;
        let number = |text: &str| {
            let digits = text.len() == 2 && text.bytes().all(|b| b.is_ascii_digit());
            digits.then(|| text.parse::<u16>().ok()).flatten()
        };
        let (hour, minute) = (number(hour)?, number(minute)?);
        let of_day = hour * 60 + minute;
        (minute < 60 && of_day <= Self::DAY).then_some(of_day)
    }
}

impl Value for Hours {
    const EXPECTED: &'static str = "a part of the day such as 08:00-18:00 or 22:00-06:00";

    fn parse(text: &str) -> Option<Self> {
        let (from, until) = text.split_once('-')?;
        let (from, until) = (
            Self::minute(from.trim_end())?,
            Self::minute(until.trim_start())?,
        );
        (from != until && from < Self::DAY).then_some(Self { from, until })
    }

    fn show(&self) -> String {
        let Self { from, until } = self;
        let (from_hour, until_hour) = (from / 60, until / 60);
        format!(
            "{from_hour:02}:{:02}-{until_hour:02}:{:02}",
            from % 60,
            until % 60
        )
    }
}

#[cfg(test)]
mod tests {
    use rstest::rstest;

    use super::*;

    #[rstest]
    #[case("1970-01-01", 0)]
    #[case("1970-12-31", 364)]
    #[case("2000-02-29", 11_016)]
    #[case("2026-11-25", 20_782)]
    #[case("9999-12-31", 2_932_896)]
    fn days_are_those_of_the_calendar(#[case] text: &str, #[case] number: i64) {
        assert_eq!(Day::parse(text), Some(Day(number)));
        assert_eq!(Day(number).show(), text);
    }

    #[test]
    fn every_day_of_four_centuries_is_read_back() {
        for day in 0..146_097 {
            assert_eq!(Day::parse(&Day(day).show()), Some(Day(day)));
        }
    }

    #[rstest]
    #[case("2026-02-29")]
    #[case("2026-13-01")]
    #[case("2026-00-01")]
    #[case("2026-01-00")]
    #[case("1969-12-31")]
    #[case("2026-1-01")]
    #[case("+026-01-01")]
    #[case("2026-01-0ü")]
    #[case("")]
    fn what_is_no_day_is_refused(#[case] text: &str) {
        assert_eq!(Day::parse(text), None);
    }

    #[test]
    fn hours_may_go_over_midnight() {
        let at = |text: &str, hour: i64| {
            let hours = <Hours as Value>::parse(text).unwrap();
            assert_eq!(hours.show(), text);
            hours.has(LocalSeconds::new(hour * 3_600 - 86_400))
        };
        for (hour, day, night, late) in [
            (0, false, true, false),
            (6, false, false, false),
            (8, true, false, false),
            (18, false, false, false),
            (22, false, true, true),
        ] {
            assert_eq!(at("08:00-18:00", hour), day);
            assert_eq!(at("22:00-06:00", hour), night);
            assert_eq!(at("20:00-24:00", hour), late);
        }
        let wrong = [
            "",
            "08:00",
            "08:00-08:00",
            "24:00-08:00",
            "8:00-9:00",
            "08:60-09:00",
            "08:00-25:00",
        ];
        for text in wrong {
            assert_eq!(<Hours as Value>::parse(text), None, "{text}");
        }
    }

    #[test]
    fn weekdays_follow_the_local_clock() {
        let thursday = Weekday::of(LocalSeconds::new(0));
        assert_eq!(thursday.show(), "thu");
        let all: Vec<Weekday> = WEEKDAYS
            .iter()
            .map(|name| <Weekday as Value>::parse(name).unwrap())
            .collect();
        assert!(Weekday::are_all(&all) && !Weekday::are_all(&all[1..]));
    }
}
