//! Counts groups of rows: visits, visitors and referring hosts.

use std::{hash::BuildHasher, ops::Range};

use hashbrown::DefaultHashBuilder;
use slugline_analytics::{
    columns::{TEXTS, text_of},
    moments::Crowd,
};
use slugline_domain::{Counters, Dimension, Variance};

use super::distinct::{DistinctCounts, Estimate, RecentKeys};
use crate::{
    file::limits::QuestionMemory,
    format::{
        block::{Block, Column},
        dictionary::Texts,
        selection::{index, number},
        values::Values,
    },
};

/// Visits and distinct visitors of groups, which are numbered from 0 without
/// large gaps.
#[derive(Debug)]
pub(crate) struct Crowds {
    visits: Vec<u64>,
    visitors: DistinctCounts,
    /// The variance of visits that chance kept; empty as long as there are none.
    by_chance: Vec<u64>,
    /// Visits and visitors from day totals. None of these visitors is in a row.
    known: Vec<Crowd>,
}

impl Crowds {
    /// The columns that [`Crowds::add`] reads.
    pub(crate) const COLUMNS: [Column; 3] = [Column::Interval, Column::Coherent, Column::Visitor];

    pub(crate) fn within(memory: QuestionMemory) -> Self {
        Self {
            visits: Vec::new(),
            visitors: DistinctCounts::within(memory.visitors()),
            by_chance: Vec::new(),
            known: Vec::new(),
        }
    }

    /// Adds the rows of a block, each to its group by `group_of`, if it has one, and passes each
    /// run of rows of one group to `see`.
    pub(crate) fn add(
        &mut self,
        block: &Block,
        mut group_of: impl FnMut(usize) -> Option<usize>,
        mut see: impl FnMut(usize, Range<usize>),
    ) {
        let mut start = 0;
        let mut next = (block.rows > 0).then(|| group_of(0));
        while let Some(group) = next {
            next = None;
            let mut end = start + 1;
            while end < block.rows {
                let of_row = group_of(end);
                if of_row != group {
                    next = Some(of_row);
                    break;
                }
                end += 1;
            }
            if let Some(group) = group {
                self.add_run(group, block, start..end);
                see(group, start..end);
            }
            start = end;
        }
    }

    fn add_run(&mut self, group: usize, block: &Block, rows: Range<usize>) {
        let visits = slot(&mut self.visits, group);
        let visitors = &mut self.visitors;
        match (&block.interval, &block.coherent, &block.visitor) {
            (&Values::Same(interval), &Values::Same(coherent), Values::Each(visitor)) => {
                let number = number(rows.len());
                *visits += number * u64::from(interval);
                if coherent == 1 {
                    visitors.see_all(group, &visitor[rows], interval);
                } else {
                    self.add_chance(group, variance_of(interval).saturating_mul(number));
                }
            }
            (intervals, coherent, visitor) => {
                let mut by_chance = 0;
                for row in rows {
                    let interval = intervals.at(row);
                    *visits += u64::from(interval);
                    if coherent.at(row) == 1 {
                        visitors.see(group, visitor.at(row), interval);
                    } else {
                        by_chance = variance_of(interval).saturating_add(by_chance);
                    }
                }
                self.add_chance(group, by_chance);
            }
        }
    }

    /// Adds to the variance of visits that chance kept.
    fn add_chance(&mut self, group: usize, variance: u64) {
        if variance > 0 {
            let sum = slot(&mut self.by_chance, group);
            *sum = sum.saturating_add(variance);
        }
    }

    /// Adds visits and visitors of a group from day totals. No row has one of these visitors.
    pub(crate) fn add_known(&mut self, group: usize, known: Crowd) {
        *slot(&mut self.known, group) += known;
    }

    pub(crate) fn get(&mut self, group: usize) -> Crowd {
        let Estimate {
            distinct,
            variance,
            drawn,
        } = self.visitors.estimate(group);
        let by_chance = self.by_chance.get(group).copied().unwrap_or(0);
        let mut crowd = Crowd {
            visits: self.visits.get(group).copied().unwrap_or(0),
            visitors: distinct,
            variance: Variance {
                visits: by_chance.saturating_add(drawn),
                visitors: variance,
            },
        };
        crowd += self.known.get(group).copied().unwrap_or_default();
        crowd
    }

    /// Returns the crowd of a group that gets no further row. Another group may then use its
    /// number.
    pub(crate) fn take(&mut self, group: usize) -> Crowd {
        let crowd = self.get(group);
        self.visitors.free(group);
        for sums in [&mut self.visits, &mut self.by_chance] {
            if let Some(sum) = sums.get_mut(group) {
                *sum = 0;
            }
        }
        if let Some(known) = self.known.get_mut(group) {
            *known = Crowd::default();
        }
        crowd
    }

    /// Returns whether there were too many visitors to count one by one.
    pub(crate) fn are_sketched(&self) -> bool {
        self.visitors.is_sketch()
    }
}

/// Visits, distinct visitors and distinct referring hosts of groups.
#[derive(Debug)]
pub(crate) struct Totals {
    crowds: Crowds,
    referers: DistinctCounts,
    /// The referring hosts from day totals; `None` as long as there are none. A host of one day is
    /// mostly one of the next day, too.
    recent: Option<RecentKeys>,
    key: DefaultHashBuilder,
}

impl Totals {
    pub(crate) fn within(memory: QuestionMemory) -> Self {
        Self {
            crowds: Crowds::within(memory),
            referers: DistinctCounts::within(memory.referers()),
            recent: None,
            key: DefaultHashBuilder::default(),
        }
    }

    /// The columns that [`Totals::add`] reads.
    pub(crate) fn columns() -> Vec<Column> {
        let referer = Column::Text(text_of(Dimension::Referer));
        [&Crowds::COLUMNS[..], &[referer]].concat()
    }

    /// The columns that [`Totals::add_all`] reads.
    pub(crate) fn columns_of_all() -> Vec<Column> {
        let referer = Column::Different(text_of(Dimension::Referer));
        [&Crowds::COLUMNS[..], &[referer]].concat()
    }

    /// Adds the rows of a block, each to its group by `group_of`, if it has one.
    pub(crate) fn add(&mut self, block: &Block, group_of: impl FnMut(usize) -> Option<usize>) {
        let referer = text_of(Dimension::Referer);
        let (entries, texts) = (block.codes(TEXTS[referer].family), block.texts(referer));
        let hosts = hosts(&self.key, texts);
        // The last group with each host: the rows of a group follow one another.
        let mut seen = vec![usize::MAX; hosts.len()];
        self.crowds.add(block, group_of, |group, rows| {
            for row in rows {
                let host = index(texts.number(entries.at(row)));
                if seen[host] != group {
                    seen[host] = group;
                    if let Some(key) = hosts[host] {
                        self.referers.see(group, key, 1);
                    }
                }
            }
        });
    }

    /// Adds all rows of a block to group 0.
    pub(crate) fn add_all(&mut self, block: &Block) {
        let referer = text_of(Dimension::Referer);
        if block.codes[TEXTS[referer].family.index()].is_some() {
            return self.add(block, |_| Some(0));
        }
        // Each text belongs to some row.
        self.crowds.add_run(0, block, 0..block.rows);
        for key in hosts(&self.key, block.texts(referer)).into_iter().flatten() {
            self.referers.see(0, key, 1);
        }
    }

    /// Adds visits, visitors and referring hosts of group 0 from day totals. No row has one of
    /// these visitors.
    pub(crate) fn add_all_known(&mut self, known: Crowd, referers: &Texts) {
        self.crowds.add_known(0, known);
        let recent = self.recent.get_or_insert_default();
        let hosts = referers.of_each().filter(|host| !host.is_empty());
        let mut hosts: Vec<u64> = hosts.map(|host| self.key.hash_one(host)).collect();
        recent.keep_new(&mut hosts);
        self.referers.see_all(0, &hosts, 1);
    }

    pub(crate) fn counters(&mut self, group: usize) -> (Counters, Variance) {
        let crowd = self.crowds.get(group);
        (self.with_referers(group, crowd), crowd.variance)
    }

    /// Returns the counters of a group that gets no further row. Another group may then use its
    /// number.
    pub(crate) fn take(&mut self, group: usize) -> (Counters, Variance) {
        let crowd = self.crowds.take(group);
        let counters = self.with_referers(group, crowd);
        self.referers.free(group);
        (counters, crowd.variance)
    }

    fn with_referers(&mut self, group: usize, crowd: Crowd) -> Counters {
        Counters {
            visits: crowd.visits,
            visitors: crowd.visitors,
            referers: self.referers.estimate(group).distinct,
        }
    }

    /// Returns whether estimates would be better with fewer than this many groups.
    pub(crate) fn are_crowded(&self, groups: usize) -> bool {
        self.crowds.visitors.is_crowded(groups) || self.referers.is_crowded(groups)
    }

    /// True if there were too many visitors or referers to count one by one.
    pub(crate) fn are_sketched(&self) -> bool {
        self.crowds.are_sketched() || self.referers.is_sketch()
    }
}

/// The variance of a visit that chance kept.
pub(crate) fn variance_of(interval: u32) -> u64 {
    u64::from(interval) * u64::from(interval.saturating_sub(1))
}

/// The number of a group in a list that grows.
fn slot<T: Clone + Default>(list: &mut Vec<T>, group: usize) -> &mut T {
    if group >= list.len() {
        list.resize(group + 1, T::default());
    }
    &mut list[group]
}

/// Evenly spread keys of the hosts among some texts.
fn hosts(key: &DefaultHashBuilder, texts: &Texts) -> Vec<Option<u64>> {
    let hosts = texts.dictionary.iter();
    hosts
        .map(|host| (!host.is_empty()).then(|| key.hash_one(host)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::values::Values;

    fn block(visitors: impl Iterator<Item = u64>) -> Block {
        let visitors: Vec<u64> = visitors.collect();
        let mut block = Block {
            rows: visitors.len(),
            interval: Values::Same(1),
            coherent: Values::Same(1),
            visitor: Values::Each(visitors),
            ..Block::default()
        };
        block.forget(text_of(Dimension::Referer));
        block
    }

    #[test]
    fn visitors_with_any_numbers_are_counted_within_the_stated_error() {
        const VISITORS: u64 = 3_000_000;
        // An import may number visitors one by one, from below, from above or in steps.
        let numberings: [fn(u64) -> u64; 4] = [|n| n, |n| !n, |n| n << 32, |n| n * 1_000];
        for numbering in numberings {
            let mut totals = Totals::within(QuestionMemory::default());
            totals.add(&block((1..=VISITORS).map(numbering)), |_| Some(0));
            assert!(totals.are_sketched());
            let visitors = totals.counters(0).0.visitors;
            // Four standard deviations of 1.6 %.
            let error = visitors.abs_diff(VISITORS);
            assert!(error < VISITORS * 64 / 1_000, "{visitors}");
        }
    }

    #[test]
    fn sums_of_estimates_do_not_wrap() {
        let mut crowds = Crowds::within(QuestionMemory::default());
        let most = Crowd {
            visits: 1,
            visitors: u64::MAX,
            variance: Variance::default(),
        };
        for _ in 0..2 {
            crowds.add_known(0, most);
        }
        crowds.add(&block(1..=9), |_| Some(0), |_, _| {});
        assert_eq!(crowds.get(0).visitors, u64::MAX);
        assert_eq!(crowds.take(0).visitors, u64::MAX);
    }

    #[test]
    fn totals_of_very_many_visitors_say_that_they_are_estimates() {
        const EXACT: u64 = 1 << 20;
        let mut totals = Totals::within(QuestionMemory::default());
        totals.add(&block(1..=EXACT), |_| Some(0));
        assert_eq!(totals.counters(0).0.visitors, EXACT);
        assert!(!totals.are_sketched());
        totals.add(&block(0..=2 * EXACT), |_| Some(0));
        let visits = totals.counters(0).0.visits;
        assert_eq!(visits, 3 * EXACT + 1);
        assert!(totals.are_sketched());
    }
}
