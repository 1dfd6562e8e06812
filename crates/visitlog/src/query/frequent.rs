//! The most frequent of very many numbers, in bounded memory.
//!
//! The first pass counts all numbers while they fit. When they do not, it drops the rarest ones,
//! and notes the most visits that a dropped number can have. Only then a second pass counts the
//! remaining numbers from the first row on. So every count is exact, and the order is proven if
//! each shown number has more visits than any dropped one.

use std::cmp::Ordering;

use slugline_analytics::number_map::NumberMap;
use slugline_domain::RowLimit;

use super::distinct::DistinctCounts;
use crate::format::selection::{keep_first, number};

/// Numbers with their visits.
#[derive(Debug)]
pub(crate) struct Frequent {
    visits: NumberMap<u64>,
    /// The visits of all numbers, dropped ones included.
    all_visits: u64,
    /// The most numbers for which there is room.
    most: usize,
    /// The most visits that a dropped number can have.
    lost: u64,
    /// All numbers, in the second pass.
    all: Option<DistinctCounts>,
}

impl Frequent {
    pub(crate) fn within(bytes: usize) -> Self {
        /// The bytes of a number, its visits and a byte of the table, which is half empty after it
        /// has grown.
        const EACH: usize = 2 * (2 * size_of::<u64>() + 1);
        Self {
            visits: NumberMap::default(),
            all_visits: 0,
            most: bytes / EACH,
            lost: 0,
            all: None,
        }
    }

    /// Adds visits of a number.
    pub(crate) fn add(&mut self, number: u64, visits: u32) {
        self.all_visits += u64::from(visits);
        if let Some(all) = &mut self.all {
            all.see(0, number, 1);
            if let Some(known) = self.visits.get_mut(&number) {
                *known += u64::from(visits);
            }
            return;
        }
        *self.visits.entry(number).or_default() += u64::from(visits);
        if self.visits.len() > self.most {
            let fewest = few(self.visits.values().copied());
            self.visits.retain(|_, visits| *visits > fewest);
            self.lost += fewest;
        }
    }

    /// Begins the second pass if one is needed, in which the caller adds everything again. Returns
    /// whether it began.
    pub(crate) fn begins_again(&mut self) -> bool {
        let again = self.lost > 0;
        if again {
            self.visits.values_mut().for_each(|visits| *visits = 0);
            self.all_visits = 0;
            self.all = Some(DistinctCounts::within(BYTES_TO_COUNT_ALL));
        }
        again
    }

    /// The numbers with the most visits, then in their order.
    pub(crate) fn first(mut self, limit: RowLimit) -> First<u64> {
        let all = self.all.as_mut().map(at_least);
        let mut rows: Vec<(u64, u64)> = self.visits.into_iter().collect();
        let all = all.unwrap_or(number(rows.len()));
        keep_first(&mut rows, limit, most_first);
        First::of(rows, limit, self.lost, all, self.all_visits)
    }
}

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

    fn limit(rows: i64) -> RowLimit {
        RowLimit::new(rows, RowLimit::MAX).unwrap()
    }

    /// Now and then one of a few numbers; otherwise one that never comes again.
    fn stream() -> impl Iterator<Item = (u64, u32)> {
        (0..400_000_u32).map(|n| match n % 10 {
            0 => ((n % 17_000 / 1_000).into(), 2),
            _ => ((1_000 + n).into(), 1),
        })
    }

    fn counted(bytes: usize) -> Frequent {
        let mut frequent = Frequent::within(bytes);
        for (number, visits) in stream() {
            frequent.add(number, visits);
            assert!(frequent.visits.capacity() * 17 <= bytes);
        }
        if frequent.begins_again() {
            for (number, visits) in stream() {
                frequent.add(number, visits);
            }
        }
        frequent
    }

    #[test]
    fn the_first_of_more_numbers_than_fit_are_exact_and_proven() {
        let truth = counted(32 << 20);
        assert_eq!(truth.lost, 0);
        let truth = truth.first(limit(17));
        assert_eq!((truth.all, truth.is_estimate), (360_017, false));

        let found = counted(1 << 20);
        assert!((1..100).contains(&found.lost), "{}", found.lost);
        let found = found.first(limit(17));
        assert_eq!(found.rows, truth.rows);
        assert_eq!(found.others, 360_000, "dropped numbers count as others");
        assert_eq!(truth.others, 360_000);
        assert!(!found.is_estimate);
        assert!((310_000..=360_017).contains(&found.all), "{}", found.all);
    }

    #[test]
    fn what_cannot_be_proven_is_an_estimate() {
        // The eighteenth number is one of very many.
        let found = counted(1 << 20).first(limit(18));
        assert_eq!(found.rows.len(), 18);
        assert!(found.is_estimate);
    }

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
