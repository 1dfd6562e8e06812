//! The most frequent of very many numbers, in bounded memory.
//!
//! The first pass over the log counts all numbers as long as they fit. When they do not,
//! the rarest are let go, and it is written down how many visits each of those may have
//! had at most. The second pass, which is only taken then, counts those that are left
//! anew, from the first row on. So every count is exact, and the first ones are proven to
//! be the first if each has more visits than anything that was let go.

use slugline_domain::RowLimit;

use super::{
    distinct::DistinctCounts,
    selection::{keep_first, number},
};

/// Lists of numbers, each of which fits the processor's cache.
const LISTS: usize = 256;

/// Visits by number. Numbers have to be evenly spread, as hashes are.
#[derive(Debug)]
pub(crate) struct Frequent {
    lists: Vec<List>,
    /// Entries that a list may have.
    most: usize,
    /// The most visits that a number can have that was let go.
    lost: u64,
}

/// Some numbers with their visits.
#[derive(Debug, Default)]
struct List {
    entries: Vec<(u64, u64)>,
    /// The number of entries at the beginning that are in order and distinct.
    tidy: usize,
}

impl Frequent {
    /// Counts that take at most so many bytes.
    pub(crate) fn within(bytes: usize) -> Self {
        let mut lists = Vec::new();
        lists.resize_with(LISTS, List::default);
        Self {
            lists,
            most: (bytes / size_of::<(u64, u64)>() / LISTS).max(8),
            lost: 0,
        }
    }

    /// Adds visits of a number.
    pub(crate) fn add(&mut self, number: u64, visits: u32) {
        let list = &mut self.lists[place(number)];
        if list.entries.len() == self.most {
            list.tidy();
            while self.lists[place(number)].entries.len() > self.most / 2 {
                self.let_go();
            }
        }
        self.lists[place(number)].push((number, visits.into()), self.most);
    }

    /// Counts all numbers that are left anew, if some were let go.
    pub(crate) fn again(mut self) -> Result<Counted, Recount> {
        for list in &mut self.lists {
            list.tidy();
        }
        if self.lost == 0 {
            return Ok(Counted {
                lists: self.lists,
                lost: 0,
                all: None,
            });
        }
        let entries = self.lists.iter_mut().flat_map(|list| &mut list.entries);
        for (_, visits) in entries {
            *visits = 0;
        }
        Err(Recount {
            lists: self.lists,
            lost: self.lost,
            all: DistinctCounts::within(BYTES_TO_COUNT_ALL),
        })
    }

    /// Lets at least half of the numbers go, those with the fewest visits.
    fn let_go(&mut self) {
        for list in &mut self.lists {
            list.tidy();
        }
        let visits = self.lists.iter().flat_map(|list| &list.entries);
        let fewest = few(visits.map(|&(_, visits)| visits));
        for list in &mut self.lists {
            list.entries.retain(|&(_, visits)| visits > fewest);
            list.tidy = list.entries.len();
        }
        self.lost += fewest;
    }
}

/// The memory of an estimate of how many there are.
pub(crate) const BYTES_TO_COUNT_ALL: usize = 1 << 20;

/// The second pass.
#[derive(Debug)]
pub(crate) struct Recount {
    lists: Vec<List>,
    lost: u64,
    all: DistinctCounts,
}

impl Recount {
    pub(crate) fn add(&mut self, number: u64, visits: u32) {
        self.all.see(0, number, 1);
        let entries = &mut self.lists[place(number)].entries;
        if let Ok(found) = entries.binary_search_by_key(&number, |&(number, _)| number) {
            entries[found].1 += u64::from(visits);
        }
    }

    pub(crate) fn finish(mut self) -> Counted {
        Counted {
            lists: self.lists,
            lost: self.lost,
            all: Some(at_least(&mut self.all)),
        }
    }
}

/// Numbers with all of their visits.
#[derive(Debug)]
pub(crate) struct Counted {
    lists: Vec<List>,
    lost: u64,
    /// The least number of different values, if some were let go.
    all: Option<u64>,
}

/// The first of some rows.
#[derive(Debug)]
pub(crate) struct First<K> {
    pub(crate) rows: Vec<(K, u64)>,
    /// The least number of rows that there are.
    pub(crate) all: u64,
    /// True if others may be among the first.
    pub(crate) is_estimate: bool,
}

impl<K> First<K> {
    /// Rows, some of which with up to `lost` visits are not among them.
    pub(crate) fn of(rows: Vec<(K, u64)>, limit: RowLimit, lost: u64, all: u64) -> Self {
        let fewest = rows.last().map_or(0, |(_, visits)| *visits);
        let proven = lost == 0 || rows.len() == limit.as_usize() && fewest > lost;
        Self {
            all: all.max(number(rows.len())),
            rows,
            is_estimate: !proven,
        }
    }
}

impl Counted {
    /// The numbers with the most visits, then in their order.
    pub(crate) fn first(self, limit: RowLimit) -> First<u64> {
        let mut first = Vec::new();
        let mut all = 0;
        for mut list in self.lists {
            // Of those that are left, some may only have seemed to be there.
            list.entries.retain(|&(_, visits)| visits > 0);
            all += number(list.entries.len());
            first.append(&mut list.entries);
            keep_first(&mut first, limit, super::groups::most_first);
        }
        First::of(first, limit, self.lost, self.all.unwrap_or(all))
    }
}

impl List {
    fn push(&mut self, entry: (u64, u64), most: usize) {
        if self.entries.len() == self.entries.capacity() {
            let more = self.entries.len().max(8);
            let more = more.min(most - self.entries.len());
            self.entries.reserve_exact(more);
        }
        self.entries.push(entry);
    }

    /// Leaves each number once, with all of its visits.
    fn tidy(&mut self) {
        if self.tidy == self.entries.len() {
            return;
        }
        self.entries.sort_unstable_by_key(|&(number, _)| number);
        self.entries.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        self.tidy = self.entries.len();
    }
}

/// A number of visits that at least half of some numbers do not exceed, the least one
/// below 64, and above at most twice as much.
pub(crate) fn few(visits: impl Iterator<Item = u64>) -> u64 {
    const EACH: usize = 64;
    const BITS: usize = 64;
    let mut with = [0_usize; EACH + BITS];
    let mut all = 0;
    for visits in visits {
        let place = match usize::try_from(visits) {
            Ok(few) if few < EACH => few,
            Ok(_) | Err(_) => EACH + usize::try_from(visits.ilog2()).expect("it is below 64"),
        };
        with[place] += 1;
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

/// The number of keys of the only group, or what it is at least if it was estimated.
pub(crate) fn at_least(counts: &mut DistinctCounts) -> u64 {
    /// Four standard deviations of an estimate from 4,096 keys.
    const ERROR: u64 = 16;
    let estimate = counts.estimate(0);
    if counts.is_sketch() {
        estimate - estimate / ERROR
    } else {
        estimate
    }
}

/// The list that a number is in.
fn place(number: u64) -> usize {
    usize::try_from(number >> (u64::BITS - LISTS.ilog2())).expect("it is below `LISTS`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::read::distinct::spread;

    fn limit(rows: i64) -> RowLimit {
        RowLimit::new(rows, RowLimit::MAX).unwrap()
    }

    /// Every so often one of a few numbers, and else one that never comes again.
    fn stream() -> impl Iterator<Item = (u64, u32)> {
        (0..400_000_u32).map(|n| match n % 10 {
            0 => (spread(n % 17_000 / 1_000), 2),
            _ => (spread(1_000 + n), 1),
        })
    }

    fn counted(bytes: usize) -> Counted {
        let mut frequent = Frequent::within(bytes);
        for (number, visits) in stream() {
            frequent.add(number, visits);
            let room = frequent.lists.iter().map(|list| list.entries.capacity());
            assert!(visits == 1 || room.sum::<usize>() * 16 <= bytes);
        }
        match frequent.again() {
            Ok(counted) => counted,
            Err(mut again) => {
                for (number, visits) in stream() {
                    again.add(number, visits);
                }
                again.finish()
            }
        }
    }

    #[test]
    fn the_first_of_more_numbers_than_fit_are_exact_and_proven() {
        let truth = counted(16 << 20);
        assert_eq!(truth.lost, 0);
        let truth = truth.first(limit(17));
        assert_eq!((truth.all, truth.is_estimate), (360_017, false));

        let found = counted(1 << 20);
        assert!((1..100).contains(&found.lost), "{}", found.lost);
        let found = found.first(limit(17));
        assert_eq!(found.rows, truth.rows);
        assert!(!found.is_estimate);
        assert!((310_000..=360_017).contains(&found.all), "{}", found.all);
    }

    #[test]
    fn what_cannot_be_proven_is_an_estimate() {
        // The eighteenth is one of very many.
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
