//! Counting without repetition.
//!
//! Exact, in memory that grows with what is counted: about 20 bytes for each
//! visitor in each group.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasherDefault, Hasher},
};

/// Visitors, each weighted with the smallest interval among its rows.
///
/// A visitor is seen with the probability one over its smallest interval, so
/// the sum of these weights estimates how many there were without bias.
#[derive(Debug, Default)]
pub(super) struct VisitorSet {
    smallest: HashMap<u64, u32, BuildHasherDefault<NumberHasher>>,
}

impl VisitorSet {
    /// Takes a row that was kept coherently.
    pub(super) fn see(&mut self, visitor: u64, interval: u32) {
        self.smallest
            .entry(visitor)
            .and_modify(|smallest| *smallest = interval.min(*smallest))
            .or_insert(interval);
    }

    /// The number of visitors.
    pub(super) fn estimate(&self) -> u64 {
        self.smallest.values().copied().map(u64::from).sum()
    }
}

/// Dictionary ids.
#[derive(Debug, Default)]
pub(super) struct IdCount {
    seen: HashSet<u32, BuildHasherDefault<NumberHasher>>,
}

impl IdCount {
    pub(super) fn see(&mut self, id: u32) {
        self.seen.insert(id);
    }

    pub(super) fn count(&self) -> u64 {
        u64::try_from(self.seen.len()).unwrap_or(u64::MAX)
    }
}

/// A hash for numbers that no attacker can choose: visitors are keyed hashes
/// already, and ids are counted up. The standard hash would take longer than
/// everything else in a scan.
#[derive(Debug, Default)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        // The multiplication carries low bits upwards only, and the table takes
        // its bits from both ends, hence the fold.
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visitor_weighs_its_smallest_interval_once() {
        let mut visitors = VisitorSet::default();
        for (visitor, interval) in [(7, 8), (7, 2), (7, 4), (8, 1), (8, 64)] {
            visitors.see(visitor, interval);
        }
        assert_eq!(visitors.estimate(), 3);
    }

    #[test]
    fn an_id_counts_once() {
        let mut ids = IdCount::default();
        for id in [3, 9, 3, 3] {
            ids.see(id);
        }
        assert_eq!(ids.count(), 2);
    }
}
