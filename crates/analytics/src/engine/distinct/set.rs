//! The distinct keys of one group, or those with the smallest hashes.

use crate::number_map::NumberMap;

/// Keys below a threshold, each with the smallest weight it came with.
///
/// Keys are evenly spread, so the share of all keys that lies below the
/// threshold is known. Since the threshold only ever falls, a key that is
/// there now has been from its first time on, and its weight is right.
#[derive(Debug, Default)]
pub(super) struct WeightedSet {
    smallest: NumberMap<u32>,
    /// Keys from here on are left out; `None` as long as all are kept.
    threshold: Option<u64>,
}

impl WeightedSet {
    /// Takes a key, and says whether it is a new one that is kept.
    pub(super) fn see(&mut self, key: u64, weight: u32) -> bool {
        if self.threshold.is_some_and(|threshold| key >= threshold) {
            return false;
        }
        let before = self.smallest.len();
        self.smallest
            .entry(key)
            .and_modify(|smallest| *smallest = weight.min(*smallest))
            .or_insert(weight);
        self.smallest.len() > before
    }

    pub(super) fn len(&self) -> usize {
        self.smallest.len()
    }

    pub(super) fn is_cut(&self) -> bool {
        self.threshold.is_some()
    }

    /// Leaves the `keys` smallest keys and says how many went. The next larger
    /// one becomes the threshold, as in a bottom-k sketch (Cohen, Kaplan 2007).
    pub(super) fn cut(&mut self, keys: usize) -> usize {
        let before = self.smallest.len();
        if before <= keys {
            return 0;
        }
        let mut sorted: Vec<u64> = self.smallest.keys().copied().collect();
        let (_, &mut threshold, _) = sorted.select_nth_unstable(keys);
        self.smallest.retain(|&key, _| key < threshold);
        self.smallest.shrink_to(2 * keys);
        self.threshold = Some(threshold);
        before - self.smallest.len()
    }

    /// The sum of the weights of all keys, those left out included.
    pub(super) fn estimate(&self) -> u64 {
        let kept: u64 = self.smallest.values().copied().map(u64::from).sum();
        match self.threshold {
            None => kept,
            // kept / (threshold / 2^64), rounded.
            Some(threshold) => {
                let threshold = u128::from(threshold.max(1));
                let scaled = ((u128::from(kept) << 64) + threshold / 2) / threshold;
                u64::try_from(scaled).unwrap_or(u64::MAX)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_leaves_the_smallest_keys_and_their_weights() {
        let mut set = WeightedSet::default();
        for key in [50, 10, 40, 20, 30] {
            assert!(set.see(key, 2));
        }
        assert!(!set.see(10, 1));
        assert_eq!(set.estimate(), 9);
        assert_eq!(set.cut(5), 0);
        assert!(!set.is_cut());

        assert_eq!(set.cut(2), 3);
        assert!(set.is_cut());
        assert_eq!((set.len(), set.threshold), (2, Some(30)));
        assert!(!set.see(30, 1) && !set.see(99, 1) && !set.see(20, 2));
        assert!(set.see(15, 2));
        assert_eq!(set.len(), 3);
    }

    #[test]
    fn an_estimate_is_scaled_by_the_share_below_the_threshold() {
        let mut set = WeightedSet::default();
        for eighth in 0..8 {
            set.see(eighth << 61, 3);
        }
        set.cut(4);
        assert_eq!(set.threshold, Some(1 << 63));
        assert_eq!(set.estimate(), 24);
    }
}
