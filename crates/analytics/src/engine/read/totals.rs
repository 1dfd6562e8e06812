//! The totals of groups of rows: visits, visitors and referring hosts.

use std::hash::{BuildHasher, RandomState};

use slugline_domain::{Counters, Dimension};

use super::{block::Block, distinct::DistinctCounts, selection::index};
use crate::engine::store::columns::{Column, TEXTS, text_of};

/// Visits and distinct visitors of groups, which are numbered from 0 without
/// large gaps.
#[derive(Debug, Default)]
pub(crate) struct Crowds {
    visits: Vec<u64>,
    visitors: DistinctCounts,
}

/// Those of one group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Crowd {
    pub(crate) visits: u64,
    pub(crate) visitors: u64,
}

impl Crowds {
    /// The columns that [`Crowds::add`] reads.
    pub(crate) const COLUMNS: [Column; 3] = [Column::Interval, Column::Coherent, Column::Visitor];

    #[inline]
    pub(crate) fn add(&mut self, group: usize, block: &Block, row: usize) {
        let interval = block.interval.at(row);
        if group >= self.visits.len() {
            self.visits.resize(group + 1, 0);
        }
        self.visits[group] += u64::from(interval);
        if block.coherent.at(row) == 1 {
            self.visitors.see(group, block.visitor.at(row), interval);
        }
    }

    pub(crate) fn get(&mut self, group: usize) -> Crowd {
        Crowd {
            visits: self.visits.get(group).copied().unwrap_or(0),
            visitors: self.visitors.estimate(group),
        }
    }

    /// True if visitors were too many to be counted one by one.
    pub(crate) fn are_sketched(&self) -> bool {
        self.visitors.is_sketch()
    }
}

/// The same with distinct referring hosts.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    crowds: Crowds,
    referers: DistinctCounts,
    key: RandomState,
}

impl Totals {
    /// The columns that [`Totals::add`] reads.
    pub(crate) fn columns() -> Vec<Column> {
        let referer = Column::Text(text_of(Dimension::Referer));
        [&Crowds::COLUMNS[..], &[referer]].concat()
    }

    /// Adds all rows of a block, each to the group that `group_of` says.
    pub(crate) fn add(&mut self, block: &Block, mut group_of: impl FnMut(usize) -> usize) {
        let referer = text_of(Dimension::Referer);
        let (entries, texts) = (block.codes(TEXTS[referer].family), block.texts(referer));
        // Keys, which are evenly spread, of the hosts that there are.
        let hosts = texts.dictionary.iter();
        let hosts = hosts.map(|host| (!host.is_empty()).then(|| self.key.hash_one(host)));
        let hosts: Vec<Option<u64>> = hosts.collect();
        // The group that had each of them last: rows of a group come together.
        let mut seen = vec![usize::MAX; hosts.len()];
        for row in 0..block.rows {
            let group = group_of(row);
            self.crowds.add(group, block, row);
            let host = index(texts.number(entries.at(row)));
            if seen[host] != group {
                seen[host] = group;
                if let Some(key) = hosts[host] {
                    self.referers.see(group, key, 1);
                }
            }
        }
    }

    pub(crate) fn counters(&mut self, group: usize) -> Counters {
        let crowd = self.crowds.get(group);
        Counters {
            visits: crowd.visits,
            visitors: crowd.visitors,
            referers: self.referers.estimate(group),
        }
    }

    /// True if visitors or referers were too many to be counted one by one.
    pub(crate) fn are_sketched(&self) -> bool {
        self.crowds.are_sketched() || self.referers.is_sketch()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::read::{distinct, values::Values};

    #[test]
    fn totals_of_very_many_visitors_say_that_they_are_estimates() {
        const EXACT: usize = 1 << 20;
        let block = |visitors: std::ops::RangeInclusive<u32>| {
            let mut block = Block {
                rows: visitors.clone().count(),
                interval: Values::Same(1),
                coherent: Values::Same(1),
                visitor: Values::Each(visitors.map(distinct::spread).collect()),
                ..Block::default()
            };
            block.forget(text_of(Dimension::Referer));
            block
        };
        let mut totals = Totals::default();
        totals.add(&block(1..=1 << 20), |_| 0);
        assert_eq!(totals.counters(0).visitors, 1 << 20);
        assert!(!totals.are_sketched());
        totals.add(&block(0..=2 << 20), |_| 0);
        let visits = totals.counters(0).visits;
        assert_eq!(usize::try_from(visits), Ok(3 * EXACT + 1));
        assert!(totals.are_sketched());
    }
}
