//! UTC days. Time ranges are in milliseconds, both ends inclusive.

pub const MILLIS_PER_DAY: i64 = 86_400_000;

/// The UTC day of a moment, as its number since 1970.
pub fn day_of(moment_ms: i64) -> i64 {
    moment_ms.div_euclid(MILLIS_PER_DAY)
}

/// The first and the last UTC day that lie wholly in a time range.
pub fn whole_days((from, until): (i64, i64)) -> Option<(i64, i64)> {
    let first = day_of(from.saturating_add(MILLIS_PER_DAY - 1));
    let last = day_of(until.saturating_add(1)) - 1;
    (first <= last).then_some((first, last))
}

/// A time range without some UTC days, which are in order.
pub fn without_days(
    (from, until): (i64, i64),
    days: impl IntoIterator<Item = i64>,
) -> Vec<(i64, i64)> {
    let mut ranges = Vec::new();
    let mut next = from;
    for day in days {
        let start = day.saturating_mul(MILLIS_PER_DAY);
        if next < start {
            ranges.push((next, start - 1));
        }
        next = start.saturating_add(MILLIS_PER_DAY);
    }
    if next <= until {
        ranges.push((next, until));
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: i64 = MILLIS_PER_DAY;

    #[test]
    fn days_are_whole_if_both_ends_are_in_the_range() {
        assert_eq!(whole_days((DAY, 4 * DAY - 1)), Some((1, 3)));
        assert_eq!(whole_days((DAY + 1, 4 * DAY - 1)), Some((2, 3)));
        assert_eq!(whole_days((DAY, 4 * DAY - 2)), Some((1, 2)));
        assert_eq!(whole_days((1, 2 * DAY - 2)), None);
        assert!(whole_days((i64::MIN, i64::MAX)).is_some());
    }

    #[test]
    fn the_rest_of_a_range_lies_between_the_days() {
        assert_eq!(without_days((5, 9), []), [(5, 9)]);
        let rest = without_days((5, 4 * DAY), [1, 2]);
        assert_eq!(rest, [(5, DAY - 1), (3 * DAY, 4 * DAY)]);
        assert_eq!(without_days((DAY, 3 * DAY - 1), [1, 2]), []);
        let rest = without_days((i64::MIN, i64::MAX), [0]);
        assert_eq!(rest, [(i64::MIN, -1), (DAY, i64::MAX)]);
    }
}
