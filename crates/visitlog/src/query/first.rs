//! The first of many rows, some of which were dropped.

use std::cmp::Ordering;

use slugline_domain::RowLimit;

use super::distinct::DistinctCounts;
use crate::format::selection::number;

/// The memory for estimating the number of all rows.
pub(crate) const BYTES_TO_COUNT_ALL: usize = 1 << 20;

/// The first of some rows.
#[derive(Debug)]
pub(crate) struct First<K> {
    pub(crate) rows: Vec<(K, u64)>,
    /// A lower bound of the number of rows.
    pub(crate) all: u64,
    /// The visits of all other rows.
    pub(crate) others: u64,
    /// True if other rows may belong to the first.
    pub(crate) is_estimate: bool,
}

impl<K> First<K> {
    /// Describes the first of `all` rows, which have this many visits together. Rows with up to
    /// `lost` visits may have been dropped.
    pub(crate) fn of(
        rows: Vec<(K, u64)>,
        limit: RowLimit,
        lost: u64,
        all: u64,
        visits: u64,
    ) -> Self {
        let shown: u64 = rows.iter().map(|(_, visits)| visits).sum();
        let fewest = rows.last().map_or(0, |(_, visits)| *visits);
        let proven = lost == 0 || rows.len() == limit.as_usize() && fewest > lost;
        Self {
            all: all.max(number(rows.len())),
            others: visits.saturating_sub(shown),
            rows,
            is_estimate: !proven,
        }
    }
}

/// A number of visits that at least half of the rows do not exceed: the smallest such number below
/// 64, and above that at most twice the smallest.
pub(crate) fn few(visits: impl Iterator<Item = u64>) -> u64 {
    const EACH: usize = 64;
    const BITS: usize = 64;
    let mut with = [0_usize; EACH + BITS];
    let mut all = 0;
    for visits in visits {
        let position = match usize::try_from(visits) {
            Ok(few) if few < EACH => few,
            Ok(_) | Err(_) => EACH + usize::try_from(visits.ilog2()).expect("it is below 64"),
        };
        with[position] += 1;
        all += 1;
    }
    let mut so_far = 0;
    let half = with.iter().position(|count| {
        so_far += count;
        2 * so_far >= all
    });
    let half = half.unwrap_or(0);
    match half.checked_sub(EACH) {
        None => number(half),
        Some(log) => u64::MAX >> (BITS - 1 - log),
    }
}

/// The number of keys of the only group, or a lower bound if it is estimated.
pub(crate) fn at_least(counts: &mut DistinctCounts) -> u64 {
    /// Four standard deviations of an estimate from 4,096 keys.
    const ERROR: u64 = 16;
    let estimate = counts.estimate(0).distinct;
    if counts.is_sketch() {
        estimate - estimate / ERROR
    } else {
        estimate
    }
}

/// Orders by visits, most first, then by the shown value.
pub(crate) fn most_first<K: Ord>(one: &(K, u64), other: &(K, u64)) -> Ordering {
    other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_half_have_few_visits() {
        for (visits, expected) in [
            (vec![1, 1, 5], 1),
            (vec![1, 2, 3, 4], 2),
            (vec![63, 63, 1], 63),
            (vec![64, 100, 127, 1], 127),
            (vec![u64::MAX], u64::MAX),
            (vec![], 0),
        ] {
            assert_eq!(few(visits.into_iter()), expected);
        }
    }
}
