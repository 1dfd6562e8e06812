//! Night and day, weekdays and weekends in each area.

use super::{
    areas::AREAS,
    dice::{Dice, index},
};

/// Visits at each local hour, as parts of the busiest hour's.
const BY_HOUR: [f64; 24] = [
    0.38, 0.24, 0.15, 0.11, 0.10, 0.14, 0.27, 0.46, 0.63, 0.74, 0.80, 0.84, 0.88, 0.86, 0.84, 0.83,
    0.84, 0.87, 0.92, 0.97, 1.0, 0.98, 0.83, 0.60,
];

/// The visits of a weekend day, as a part of another day's.
const WEEKEND: f64 = 0.7;

const QUARTERS_OF_A_WEEK: i64 = 7 * 24 * 4;

const QUARTER_MINUTES: i64 = 15;

/// For each quarter of an hour of a week, sums of the areas' weights in order of the areas.
#[derive(Debug)]
pub(super) struct Calendar(Vec<Vec<f64>>);

impl Calendar {
    pub(super) fn new() -> Self {
        let sums_of = |quarter: i64| {
            let mut sum = 0.0;
            AREAS
                .iter()
                .map(|area| {
                    let local = quarter * QUARTER_MINUTES + i64::from(area.ahead);
                    sum += f64::from(area.people) * activity(local);
                    sum
                })
                .collect()
        };
        Self((0..QUARTERS_OF_A_WEEK).map(sums_of).collect())
    }

    fn quarter(&self, minute: i64) -> &[f64] {
        let quarter = (minute / QUARTER_MINUTES).rem_euclid(QUARTERS_OF_A_WEEK);
        &self.0[usize::try_from(quarter).expect("a remainder is not negative")]
    }

    /// The number of people who are about in a minute since 1970, in some unit.
    pub(super) fn people(&self, minute: i64) -> f64 {
        self.quarter(minute).last().copied().unwrap_or_default()
    }

    /// The area of one of them.
    pub(super) fn area(&self, minute: i64, dice: &mut Dice) -> usize {
        let sums = self.quarter(minute);
        let drawn = dice.unit() * self.people(minute);
        sums.partition_point(|sum| *sum <= drawn)
            .min(sums.len() - 1)
    }
}

/// How much happens in a minute of local time since the beginning of a week of 1970, which is a
/// Thursday.
fn activity(local: i64) -> f64 {
    let hour = local.div_euclid(60);
    let part = f64::from(i32::try_from(local.rem_euclid(60)).unwrap_or_default()) / 60.0;
    let of = |hour: i64| BY_HOUR[index(u32::try_from(hour.rem_euclid(24)).unwrap_or_default())];
    let is_weekend = matches!(hour.div_euclid(24).rem_euclid(7), 2 | 3);
    let of_day = of(hour) * (1.0 - part) + of(hour + 1) * part;
    of_day * if is_weekend { WEEKEND } else { 1.0 }
}
