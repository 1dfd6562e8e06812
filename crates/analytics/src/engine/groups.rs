//! Rows put together by what is shown of them.

use std::cmp::Ordering;

use slugline_domain::RowLimit;

use super::{
    answer::{keep_first, number},
    block::Block,
    columns::Family,
    dictionary::Interner,
    selection::index,
    values::Values,
};

/// Texts with their visits. Each chunk shows a text once again.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    texts: Interner,
    visits: Vec<u64>,
}

impl Ranking {
    /// Adds visits to those of a text.
    pub(super) fn add(&mut self, visits: u64, text: &str) {
        let group = index(self.texts.number(text));
        if group == self.visits.len() {
            self.visits.push(0);
        }
        self.visits[group] += visits;
    }

    /// The labels with the most visits, then in their order; and how many there
    /// are.
    pub(super) fn finish<'r, K: Ord>(
        &'r self,
        limit: RowLimit,
        label: impl Fn(&'r str) -> K,
    ) -> (Vec<(K, u64)>, u64) {
        let labels = self.texts.texts.iter().map(label);
        let mut ranked: Vec<(K, u64)> = labels.zip(self.visits.iter().copied()).collect();
        keep_first(&mut ranked, limit, most_first);
        (ranked, number(self.visits.len()))
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
