//! Measures a rate, and how often it has to be halved.

use std::num::NonZeroU32;

/// The largest interval is 2 to the power of this.
pub(super) const MOST_HALVINGS: u32 = 16;

/// The weight of the latest second in the moving average. Half of a change of
/// rate shows within three seconds.
const LATEST: f64 = 0.25;

/// The most seconds between two counts. A larger gap, in either direction,
/// resets the meter: the average is stale, or the clock was set.
const LONGEST_GAP: i64 = 60;

/// A moving average over seconds, and the spent part of a minute's target.
///
/// The average alone would start sampling at a handful of visits in one second.
/// So there is an allowance of one minute's target, which recovers steadily
/// within a minute: as long as no 60 seconds bring more than the target,
/// nothing is halved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meter {
    /// The second since 1970 that is being counted.
    second: i64,
    /// The amount counted in this second so far.
    latest: f64,
    /// The average per second, over the seconds before.
    average: f64,
    /// The spent part of the allowance before this second; at most the target.
    spent: f64,
}

impl Meter {
    /// Counts an amount in a second, and returns how often it has to be halved
    /// to meet a target per minute.
    pub(super) fn count(&mut self, second: i64, amount: f64, target: NonZeroU32) -> u32 {
        let target = f64::from(target.get());
        self.move_to(second, target);
        self.latest += amount;
        if self.spent + self.latest <= target {
            return 0;
        }
        // A minute brings at least what this second has already brought.
        let per_minute = (self.average * 60.0).max(self.latest);
        (0..MOST_HALVINGS)
            .find(|&halvings| f64::from(1_u32 << halvings) * target >= per_minute)
            .unwrap_or(MOST_HALVINGS)
    }

    /// The loss from forgetting this meter: its current rate.
    pub(super) fn heat(&self, second: i64) -> f64 {
        if (second - self.second).abs() > LONGEST_GAP {
            0.0
        } else {
            self.average + self.latest
        }
    }

    fn move_to(&mut self, second: i64, target: f64) {
        let passed = second - self.second;
        if passed.abs() > LONGEST_GAP {
            *self = Self {
                second,
                ..Self::default()
            };
        } else if passed > 0 {
            self.average += (self.latest - self.average) * LATEST;
            self.spent += self.latest;
            self.latest = 0.0;
            for empty in 0..passed {
                if empty > 0 {
                    self.average -= self.average * LATEST;
                }
                self.spent = (self.spent - target / 60.0).clamp(0.0, target);
            }
            self.second = second;
        }
    }
}

/// The number of slots that a key can take.
const WAYS: usize = 4;

/// Values by key. A new key replaces the coldest of the few others that share its slots, so every
/// operation takes constant time and space.
pub(super) struct HotTable<V> {
    slots: Vec<(u64, V)>,
    room: usize,
}

impl<V: Clone + Default> HotTable<V> {
    /// A table for `room` values, a power of two. It allocates at the first value.
    pub(super) fn new(room: usize) -> Self {
        debug_assert!(room.is_power_of_two() && room >= WAYS);
        Self {
            slots: Vec::new(),
            room,
        }
    }

    /// The value of a key, new if it has none. The lower bits of keys must be
    /// evenly spread. A new value has to be among the coldest.
    pub(super) fn entry(&mut self, key: u64, heat: impl Fn(&V) -> f64) -> &mut V {
        if self.slots.is_empty() {
            self.slots.resize(self.room, (0, V::default()));
        }
        let mask = u64::try_from(self.room / WAYS - 1).expect("a table is small");
        let set = usize::try_from(key & mask).expect("a table is small") * WAYS;
        let ways = &mut self.slots[set..set + WAYS];
        let found = ways.iter().position(|(present, _)| *present == key);
        let way = found.unwrap_or_else(|| {
            let coldest = (0..WAYS).min_by(|&a, &b| heat(&ways[a].1).total_cmp(&heat(&ways[b].1)));
            coldest.expect("there are several ways")
        });
        if found.is_none() {
            ways[way] = (key, V::default());
        }
        &mut ways[way].1
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.slots = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: NonZeroU32 = NonZeroU32::new(600).expect("600 is not 0");

    /// Counts this many in a second and returns the last answer.
    fn count(meter: &mut Meter, second: i64, amount: u32) -> u32 {
        (0..amount).fold(0, |_, _| meter.count(second, 1.0, TARGET))
    }

    #[test]
    fn a_minutes_target_may_come_at_once() {
        let mut meter = Meter::default();
        for minute in 0..5 {
            assert_eq!(count(&mut meter, 1_000 + minute * 60, 600), 0);
        }
        // Half of the allowance has recovered after half a minute.
        assert_eq!(count(&mut meter, 1_270, 300), 0);
        assert!(count(&mut meter, 1_271, 300) > 0);
    }

    #[test]
    fn a_steady_rate_at_the_target_is_never_halved() {
        let mut meter = Meter::default();
        for second in 0..1_000 {
            assert_eq!(count(&mut meter, second, 10), 0, "second {second}");
        }
    }

    #[test]
    fn a_higher_rate_is_halved_to_the_target_once_the_allowance_is_spent() {
        for (rate, halvings) in [(11, 1), (20, 1), (21, 2), (80, 3), (1_000, 7)] {
            let mut meter = Meter::default();
            let spent_after = 600 / (rate - 10) + 15;
            let told: Vec<u32> = (0..spent_after + 100)
                .map(|second| count(&mut meter, second.into(), rate))
                .collect();
            let settled = told.iter().rev().take_while(|&&now| now == halvings);
            assert!(settled.count() >= 100, "{rate}: {told:?}");
        }
    }

    #[test]
    fn a_burst_is_answered_within_its_first_second() {
        let mut meter = Meter::default();
        assert_eq!(count(&mut meter, 5, 600), 0);
        assert_eq!(count(&mut meter, 5, 600), 1);
        // 200,000 have come, which is 333 times the target.
        assert_eq!(count(&mut meter, 5, 198_800), 9);
    }

    #[test]
    fn nothing_is_halved_any_more_once_a_burst_is_over() {
        let mut meter = Meter::default();
        for second in 0..60 {
            count(&mut meter, second, 500);
        }
        for second in 60..80 {
            count(&mut meter, second, 5);
        }
        assert_eq!(count(&mut meter, 80, 5), 0);
        assert_eq!(count(&mut meter, 1_000_000, 600), 0);
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_stop_the_meter() {
        let mut meter = Meter::default();
        count(&mut meter, 10_000, 2_000);
        assert!(count(&mut meter, 9_990, 1) > 0);
        assert_eq!(count(&mut meter, 5_000, 1), 0);
    }

    fn again(table: &mut HotTable<u16>, key: u64) -> u16 {
        let value = table.entry(key, |&value| f64::from(value));
        *value += 1;
        *value
    }

    #[test]
    fn a_value_is_found_again() {
        let mut table = HotTable::new(64);
        for key in 0..64 {
            assert_eq!(again(&mut table, key), 1);
        }
        for key in 0..64 {
            assert_eq!(again(&mut table, key), 2);
        }
        table.clear();
        assert_eq!(again(&mut table, 7), 1);
    }

    #[test]
    fn the_coldest_goes_when_there_is_no_room() {
        let mut table = HotTable::new(WAYS);
        for _ in 0..100 {
            again(&mut table, 1_000);
        }
        for key in 0..500 {
            assert_eq!(again(&mut table, key), 1);
        }
        assert_eq!(again(&mut table, 1_000), 101);
        assert_eq!(again(&mut table, 0), 1);
        assert_eq!(table.slots.len(), WAYS);
    }
}
