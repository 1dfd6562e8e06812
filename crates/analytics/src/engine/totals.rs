//! Visits, visitors and referring hosts.

use slugline_domain::Counters;

use super::{
    block::Block,
    column::Column,
    crowd::Crowds,
    dictionary::EMPTY,
    distinct::{self, DistinctCounts},
};

/// The totals of rows in groups, which are numbered from 0 without large gaps.
#[derive(Debug, Default)]
pub(super) struct Totals {
    crowds: Crowds,
    referers: DistinctCounts,
}

impl Totals {
    /// What [`Totals::add`] looks at.
    pub(super) const COLUMNS: [Column; 4] = {
        let [interval, coherent, visitor] = Crowds::COLUMNS;
        [interval, coherent, visitor, Column::Referer]
    };

    pub(super) fn add(&mut self, group: usize, block: &Block, row: usize) {
        self.crowds.add(group, block, row);
        let referer = block.referer[row];
        if referer != EMPTY {
            self.referers.see(group, distinct::spread(referer), 1);
        }
    }

    pub(super) fn counters(&mut self, group: usize) -> Counters {
        let crowd = self.crowds.get(group);
        Counters {
            visits: crowd.visits,
            visitors: crowd.visitors,
            referers: self.referers.estimate(group),
        }
    }

    /// Whether visitors or referers were too many to be counted one by one.
    pub(super) fn are_sketched(&self) -> bool {
        self.crowds.are_sketched() || self.referers.is_sketch()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn totals_of_very_many_visitors_say_that_they_are_estimates() {
        const EXACT: usize = 1 << 20;
        const VISITORS: usize = 2 * EXACT + 1;
        let mut totals = Totals::default();
        let block = Block {
            rows: VISITORS,
            interval: vec![1; VISITORS],
            coherent: vec![1; VISITORS],
            referer: vec![EMPTY; VISITORS],
            visitor: (0..=2 << 20).map(distinct::spread).collect(),
            ..Block::default()
        };
        for row in 0..EXACT {
            totals.add(0, &block, row);
        }
        assert_eq!(totals.counters(0).visitors, 1 << 20);
        assert!(!totals.are_sketched());
        for row in EXACT..VISITORS {
            totals.add(0, &block, row);
        }
        assert_eq!(totals.counters(0).visits, (2 << 20) + 1);
        assert!(totals.are_sketched());
    }
}
