//! The seconds of a time range in each hour of the week.

use crate::{HourOfWeek, LocalSeconds, TimeUnit, UnixSeconds, ZoneOffsets};

/// The seconds of a time range that are in each hour of the week, on a clock. An hour that the
/// clock shows twice counts twice, and one that it skips does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WeekSeconds([u64; HOURS]);

const HOURS: usize = 7 * 24;

impl WeekSeconds {
    /// Counts the seconds from the first to the last of a time range, both inclusive.
    pub fn between(zone: &ZoneOffsets, first: UnixSeconds, last: UnixSeconds) -> Self {
        let mut seconds = Self([0; HOURS]);
        let end = last.get().saturating_add(1);
        let mut next = first;
        while next.get() < end {
            let stretch = zone.stretch_at(next.start());
            let change = stretch
                .until
                .and_then(|at| UnixSeconds::new(whole_second(at.get())).ok());
            let until = change.map_or(end, |change| change.get().min(end));
            let local = stretch.local(next.start()).get();
            seconds.add(local, local + (until - next.get()));
            let Some(change) = change else { break };
            next = change;
        }
        seconds
    }

    /// The seconds in an hour of the week.
    pub fn of(&self, hour: HourOfWeek) -> u64 {
        self.0[usize::from(hour.get())]
    }

    /// Adds the time from one reading of a clock to before another, without a change of the clock.
    fn add(&mut self, from: i64, until: i64) {
        const HOUR: i64 = TimeUnit::Hour.seconds();
        const WEEK: i64 = 7 * TimeUnit::Day.seconds();
        let weeks = (until - from) / WEEK;
        self.0
            .iter_mut()
            .for_each(|seconds| *seconds += (weeks * HOUR).unsigned_abs());
        let mut next = from + weeks * WEEK;
        while next < until {
            let reading = LocalSeconds::new(next);
            let end = until.min(reading.start_of(TimeUnit::Hour).get() + HOUR);
            let hour = usize::from(reading.hour_of_week().get());
            self.0[hour] += (end - next).unsigned_abs();
            next = end;
        }
    }
}

/// The first whole second from a moment on.
fn whole_second(millis: i64) -> i64 {
    millis.div_euclid(1_000) + i64::from(millis.rem_euclid(1_000) > 0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{UnixMillis, UtcOffset};

    fn second(seconds: i64) -> UnixSeconds {
        UnixSeconds::new(seconds).unwrap()
    }

    fn offset(minutes: i32) -> UtcOffset {
        UtcOffset::from_seconds(minutes * 60).unwrap()
    }

    fn of(seconds: &WeekSeconds, weekday: u8, hour: u8) -> u64 {
        seconds.of(HourOfWeek::new((weekday - 1) * 24 + hour).unwrap())
    }

    /// Sunday, 25 October 2026, 00:00 in Berlin. Clocks went back at 03:00.
    const AUTUMN: i64 = 1_792_879_200;
    const BACK: i64 = AUTUMN + 3 * 3_600;

    fn berlin() -> ZoneOffsets {
        ZoneOffsets::new(
            offset(120),
            vec![(UnixMillis::new(BACK * 1_000), offset(60))],
        )
    }

    #[test]
    fn thirty_days_have_five_of_some_weekdays() {
        // Thursday, 1 January 1970, and 30 days from then.
        let month =
            WeekSeconds::between(&ZoneOffsets::default(), second(0), second(30 * 86_400 - 1));
        for weekday in 1..=7 {
            let times = if weekday == 4 || weekday == 5 { 5 } else { 4 };
            assert_eq!(of(&month, weekday, 9), times * 3_600, "{weekday}");
        }
    }

    #[test]
    fn the_repeated_hour_of_autumn_counts_twice() {
        let day = WeekSeconds::between(&berlin(), second(AUTUMN), second(AUTUMN + 25 * 3_600 - 1));
        for hour in 0..24 {
            let times = if hour == 2 { 2 } else { 1 };
            assert_eq!(of(&day, 7, hour), times * 3_600, "{hour}");
        }
        assert_eq!(of(&day, 1, 0), 0);
    }

    #[test]
    fn hours_at_both_ends_count_as_far_as_the_range_has_them() {
        let range =
            WeekSeconds::between(&ZoneOffsets::default(), second(1_800), second(7_200 + 59));
        assert_eq!(of(&range, 4, 0), 1_800);
        assert_eq!(of(&range, 4, 1), 3_600);
        assert_eq!(of(&range, 4, 2), 60);
        let nothing = WeekSeconds::between(&ZoneOffsets::default(), second(9), second(8));
        assert_eq!(of(&nothing, 4, 0), 0);
    }

    #[test]
    fn the_largest_range_is_counted_as_well() {
        let (first, last) = (second(UnixSeconds::MIN), second(UnixSeconds::MAX));
        let all = WeekSeconds::between(&berlin(), first, last);
        let sum: u64 = all.0.iter().sum();
        let last = (UnixSeconds::MAX - UnixSeconds::MIN).unsigned_abs();
        assert_eq!(sum, last + 1);
    }

    proptest! {
        /// A zone has up to three changes, at whole minutes, to any offset of whole minutes.
        #[test]
        fn each_hour_has_as_many_minutes_as_a_count_of_minutes_finds(
            first in -60_000_i64..60_000,
            length in 0_i64..30_000,
            start in -900_i32..900,
            changes in prop::collection::vec((-60_000_i64..90_000, -900_i32..900), 0..4),
        ) {
            let at = |minute: i64| UnixMillis::new(minute * 60_000);
            let changes = changes.iter().map(|(minute, by)| (at(*minute), offset(*by)));
            let zone = ZoneOffsets::new(offset(start), changes.collect());
            let mut counted = [0; HOURS];
            for minute in first..first + length {
                let hour = zone.local(at(minute)).hour_of_week();
                counted[usize::from(hour.get())] += 60;
            }
            let last = second((first + length) * 60 - 1);
            let found = WeekSeconds::between(&zone, second(first * 60), last);
            prop_assert_eq!(found, WeekSeconds(counted));
        }
    }
}
