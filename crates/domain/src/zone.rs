//! Local clocks: the time that a clock in a place shows at a moment.
//!
//! An engine needs no table of time zones. The caller gives the clocks' offset from UTC and the
//! times of its changes. The rest is arithmetic: local seconds divided by 60, 3,600 or 86,400.

use crate::UnixMillis;

/// The time by which local clocks are ahead of UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcOffset(i32);

impl UtcOffset {
    /// No difference.
    pub const UTC: Self = Self(0);

    /// Just under 26 hours, the largest offset that RFC 9636 and its
    /// implementations know.
    pub const MAX_SECONDS: i32 = 26 * 3_600 - 1;

    /// Seconds ahead, negative for those behind; `None` beyond
    /// [`UtcOffset::MAX_SECONDS`] either way.
    pub const fn from_seconds(seconds: i32) -> Option<Self> {
        if seconds.unsigned_abs() <= Self::MAX_SECONDS.unsigned_abs() {
            Some(Self(seconds))
        } else {
            None
        }
    }

    /// Seconds ahead.
    pub const fn seconds(self) -> i32 {
        self.0
    }
}

/// The clocks of a place over time: a first offset, and the moments at which it
/// changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ZoneOffsets {
    first: UtcOffset,
    /// In order of time; each changes the offset.
    changes: Vec<(UnixMillis, UtcOffset)>,
}

/// A stretch of time without a change of clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// The first moment; `None` if there is no beginning.
    pub from: Option<UnixMillis>,
    /// The moment after the last; `None` if there is no end.
    pub until: Option<UnixMillis>,
    /// The offset of the clocks.
    pub offset: UtcOffset,
}

impl Stretch {
    /// Returns whether the stretch contains a moment.
    pub fn contains(&self, moment: UnixMillis) -> bool {
        self.from.is_none_or(|from| from <= moment) && self.until.is_none_or(|until| moment < until)
    }

    /// The local time at a moment in the stretch.
    pub fn local(&self, moment: UnixMillis) -> LocalSeconds {
        LocalSeconds(moment.second().get() + i64::from(self.offset.0))
    }
}

impl ZoneOffsets {
    /// The same offset at all times.
    pub fn fixed(offset: UtcOffset) -> Self {
        Self::new(offset, Vec::new())
    }

    /// Takes a first offset and the moments from which others apply, in any
    /// order. Drops changes to the offset that is already in force.
    pub fn new(first: UtcOffset, mut changes: Vec<(UnixMillis, UtcOffset)>) -> Self {
        changes.sort_by_key(|(at, _)| *at);
        let mut in_force = first;
        changes.retain(|(_, offset)| std::mem::replace(&mut in_force, *offset) != *offset);
        Self { first, changes }
    }

    /// The offset before the first change.
    pub fn first(&self) -> UtcOffset {
        self.first
    }

    /// The changes: the time and the new offset of each, in order of time.
    pub fn changes(&self) -> &[(UnixMillis, UtcOffset)] {
        &self.changes
    }

    /// The stretch that contains a moment.
    pub fn stretch_at(&self, moment: UnixMillis) -> Stretch {
        let passed = self.changes.partition_point(|(at, _)| *at <= moment);
        let begun = passed.checked_sub(1).map(|index| self.changes[index]);
        Stretch {
            from: begun.map(|(at, _)| at),
            until: self.changes.get(passed).map(|(at, _)| *at),
            offset: begun.map_or(self.first, |(_, offset)| offset),
        }
    }

    /// The local time at a moment.
    pub fn local(&self, moment: UnixMillis) -> LocalSeconds {
        self.stretch_at(moment).local(moment)
    }
}

/// A local time: the seconds that the clock has advanced since it showed the
/// beginning of 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LocalSeconds(i64);

impl LocalSeconds {
    const PER_HOUR: i64 = 3_600;
    const PER_DAY: i64 = 86_400;

    /// Takes a number of seconds. [`ZoneOffsets::local`] gives those of real
    /// moments.
    pub const fn new(seconds: i64) -> Self {
        Self(seconds)
    }

    /// The number of seconds.
    pub const fn get(self) -> i64 {
        self.0
    }

    /// The beginning of the minute, hour or day that contains it.
    #[must_use]
    pub const fn start_of(self, unit: TimeUnit) -> Self {
        Self(self.0 - self.0.rem_euclid(unit.seconds()))
    }

    /// The hour of the week.
    pub fn hour_of_week(self) -> HourOfWeek {
        /// 1970 began on a Thursday.
        const DAYS_SINCE_MONDAY: i64 = 3;
        let hours = self.0.div_euclid(Self::PER_HOUR) + DAYS_SINCE_MONDAY * 24;
        HourOfWeek(u8::try_from(hours.rem_euclid(7 * 24)).expect("a week has 168 hours"))
    }
}

/// The length of time of a row of views.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimeUnit {
    /// A minute.
    Minute,
    /// An hour of the clock.
    Hour,
    /// A day of the calendar.
    Day,
}

impl TimeUnit {
    /// The length in seconds.
    pub const fn seconds(self) -> i64 {
        match self {
            Self::Minute => 60,
            Self::Hour => LocalSeconds::PER_HOUR,
            Self::Day => LocalSeconds::PER_DAY,
        }
    }
}

/// One of the 168 hours of a week, counted from Monday at midnight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HourOfWeek(u8);

impl HourOfWeek {
    /// The number of hours in a week.
    pub const COUNT: u8 = 7 * 24;

    /// The hour with this number, from 0; `None` from 168 on.
    pub fn new(hour: u8) -> Option<Self> {
        (hour < Self::COUNT).then_some(Self(hour))
    }

    /// The number, from 0.
    pub const fn get(self) -> u8 {
        self.0
    }

    /// The day of the week: 1 for Monday to 7 for Sunday.
    pub const fn weekday(self) -> u8 {
        self.0 / 24 + 1
    }

    /// The hour of the day: 0 to 23.
    pub const fn hour(self) -> u8 {
        self.0 % 24
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(hours: i32) -> UtcOffset {
        UtcOffset::from_seconds(hours * 3_600).unwrap()
    }

    fn at(seconds: i64) -> UnixMillis {
        UnixMillis::new(seconds * 1_000)
    }

    #[test]
    fn an_offset_applies_from_its_moment_on() {
        let zone = ZoneOffsets::new(
            offset(-5),
            vec![(at(200), offset(-5)), (at(100), offset(-4))],
        );
        for (moment, hours) in [(0, -5), (99, -5), (100, -4), (199, -4), (200, -5)] {
            let stretch = zone.stretch_at(at(moment));
            assert_eq!(stretch.offset, offset(hours), "{moment}");
            assert!(stretch.contains(at(moment)));
            assert_eq!(
                zone.local(at(moment)).get(),
                moment + i64::from(hours) * 3_600
            );
        }
        let middle = zone.stretch_at(at(150));
        assert_eq!((middle.from, middle.until), (Some(at(100)), Some(at(200))));
        assert!(!middle.contains(at(200)) && !middle.contains(UnixMillis::new(99_999)));
    }

    #[test]
    fn what_changes_nothing_is_no_change() {
        let zone = ZoneOffsets::new(
            offset(1),
            vec![
                (at(30), offset(2)),
                (at(10), offset(1)),
                (at(20), offset(2)),
            ],
        );
        assert_eq!(zone.changes(), [(at(20), offset(2))]);
    }

    #[test]
    fn offsets_beyond_those_of_the_earth_are_refused() {
        assert!(UtcOffset::from_seconds(93_599).is_some());
        assert!(UtcOffset::from_seconds(-93_599).is_some());
        assert!(UtcOffset::from_seconds(93_600).is_none());
        assert!(UtcOffset::from_seconds(i32::MIN).is_none());
    }

    #[test]
    fn weeks_begin_on_monday_also_before_1970() {
        // 1970-01-01 was a Thursday, 1969-12-28 a Sunday.
        for (seconds, weekday, hour) in [
            (0, 4, 0),
            (-1, 3, 23),
            (4 * 86_400 + 3_599, 1, 0),
            (-4 * 86_400 + 13 * 3_600, 7, 13),
        ] {
            let found = LocalSeconds::new(seconds).hour_of_week();
            assert_eq!((found.weekday(), found.hour()), (weekday, hour));
        }
    }

    #[test]
    fn a_stretch_of_time_begins_where_its_unit_does() {
        let moment = LocalSeconds::new(-1);
        assert_eq!(moment.start_of(TimeUnit::Minute).get(), -60);
        assert_eq!(moment.start_of(TimeUnit::Hour).get(), -3_600);
        assert_eq!(moment.start_of(TimeUnit::Day).get(), -86_400);
        let day = LocalSeconds::new(86_400).start_of(TimeUnit::Day).get();
        assert_eq!(day, 86_400);
    }
}
