//! Rows put together by what is shown of them.

use std::{
    cmp::Ordering,
    hash::{BuildHasher, Hash, RandomState},
};

use slugline_domain::RowLimit;

use super::{
    answer::{keep_first, number},
    block::Block,
    columns::Family,
    selection::index,
    values::Values,
};
use crate::number_map::NumberMap;

/// Groups by labels. They are numbered from 0 in the order in which they come.
#[derive(Debug)]
pub(super) struct Groups<K> {
    key: RandomState,
    known: NumberMap<usize>,
    pub(super) labels: Vec<K>,
}

impl<K> Default for Groups<K> {
    fn default() -> Self {
        Self {
            key: RandomState::new(),
            known: NumberMap::default(),
            labels: Vec::new(),
        }
    }
}

impl<K> Groups<K> {
    /// The group of what is shown so. Each chunk shows a text once again, so they
    /// are told apart by fingerprints of 64 bits.
    pub(super) fn of(&mut self, shown: impl Hash, label: impl FnOnce() -> K) -> usize {
        let next = self.labels.len();
        let group = *self.known.entry(self.key.hash_one(shown)).or_insert(next);
        if group == next {
            self.labels.push(label());
        }
        group
    }
}

/// The groups with their visits.
#[derive(Debug)]
pub(super) struct Ranking<K> {
    groups: Groups<K>,
    visits: Vec<u64>,
}

impl<K> Default for Ranking<K> {
    fn default() -> Self {
        Self {
            groups: Groups::default(),
            visits: Vec::new(),
        }
    }
}

impl<K: Ord> Ranking<K> {
    /// Adds visits to a group.
    pub(super) fn add(&mut self, visits: u64, shown: impl Hash, label: impl FnOnce() -> K) {
        let group = self.groups.of(shown, label);
        if group == self.visits.len() {
            self.visits.push(0);
        }
        self.visits[group] += visits;
    }

    /// The groups with the most visits, then in order of their labels; and how
    /// many groups there are.
    pub(super) fn finish(self, limit: RowLimit) -> (Vec<(K, u64)>, u64) {
        let all = number(self.visits.len());
        let mut ranked: Vec<(K, u64)> = self.groups.labels.into_iter().zip(self.visits).collect();
        keep_first(&mut ranked, limit, |one, other| most_first(one, other));
        (ranked, all)
    }
}

/// More visits come first, then what is shown decides.
pub(super) fn most_first<K: Ord>(one: &(K, u64), other: &(K, u64)) -> Ordering {
    other.1.cmp(&one.1).then_with(|| one.0.cmp(&other.0))
}

/// The visits of each entry of a family.
pub(super) fn visits_of_entries(block: &Block, family: Family) -> Vec<u64> {
    let mut visits = vec![0_u64; block.entries(family)];
    match (block.codes(family), &block.interval) {
        (Values::Same(entry), Values::Same(interval)) => {
            visits[index(*entry)] = number(block.rows) * u64::from(*interval);
        }
        (Values::Each(entries), Values::Same(interval)) => {
            for &entry in entries {
                visits[index(entry)] += 1;
            }
            for visits in &mut visits {
                *visits *= u64::from(*interval);
            }
        }
        (entries, Values::Each(intervals)) => {
            for (row, &interval) in intervals.iter().enumerate() {
                visits[index(entries.at(row))] += u64::from(interval);
            }
        }
    }
    visits
}
