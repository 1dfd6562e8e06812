//! Visits and who made them.

use super::{block::Block, column::Column, distinct::DistinctCounts};

/// Visits and distinct visitors of rows in groups, which are numbered from 0
/// without large gaps.
#[derive(Debug, Default)]
pub(super) struct Crowds {
    visits: Vec<u64>,
    visitors: DistinctCounts,
}

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Crowd {
    pub(super) visits: u64,
    pub(super) visitors: u64,
}

impl Crowds {
    /// What [`Crowds::add`] looks at.
    pub(super) const COLUMNS: [Column; 3] = [Column::Interval, Column::Coherent, Column::Visitor];

    pub(super) fn add(&mut self, group: usize, block: &Block, row: usize) {
        let interval = block.interval[row];
        if group >= self.visits.len() {
            self.visits.resize(group + 1, 0);
        }
        self.visits[group] += u64::from(interval);
        if block.coherent[row] == 1 {
            self.visitors.see(group, block.visitor[row], interval);
        }
    }

    pub(super) fn get(&mut self, group: usize) -> Crowd {
        Crowd {
            visits: self.visits.get(group).copied().unwrap_or(0),
            visitors: self.visitors.estimate(group),
        }
    }

    /// Whether visitors were too many to be counted one by one.
    pub(super) fn are_sketched(&self) -> bool {
        self.visitors.is_sketch()
    }
}
