//! Counting without repetition, in bounded memory.
//!
//! What is counted, a visitor or a referer, arrives as a 64-bit key in one of
//! many groups, and a question holds all its pairs of group and key. Up to
//! `exact_pairs` of them counts are exact. Beyond, at the latest at twice as
//! many, each group keeps its keys with the smallest hashes only, at least
//! `keys`, which estimates the number of all; groups of fewer keys stay exact.
//! The relative error of an estimate from k keys has a standard deviation of
//! 1/√(k-1): 1.6 % at 4,096.
//!
//! Many large groups, such as the hours of a year, share `sketch_pairs`: the
//! number of keys is halved as long as they need more, down to `fewest_keys`.
//! The pairs of a question are thus at most twice the larger of `sketch_pairs`
//! and twice `fewest_keys` in each group, 8 bytes each, or 12 where visits are sampled.

mod set;

use set::WeightedSet;

/// The memory that a question may take.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Pairs of group and key up to which everything is counted exactly.
    exact_pairs: usize,
    /// Pairs that estimates are made from.
    sketch_pairs: usize,
    /// Keys that a group keeps for its estimate.
    keys: usize,
    /// Keys that a group keeps when there are very many groups.
    fewest_keys: usize,
}

impl Bounds {
    /// Entries at which to look again after there were so many pairs.
    fn most_entries(self, pairs: usize) -> usize {
        let pairs = pairs.max(self.exact_pairs);
        2 * pairs
    }
}

impl Default for Bounds {
    /// Some 18 MB while exact and up to 65 MB after that, half as much again where
    /// visits are sampled; with the fewest keys
    /// the standard deviation is 13 %.
    fn default() -> Self {
        Self {
            exact_pairs: 1 << 20,
            sketch_pairs: 1 << 22,
            keys: 4_096,
            fewest_keys: 64,
        }
    }
}

/// The distinct keys of many groups, each key weighted with the smallest
/// weight it came with.
///
/// For visitors the weight is the sampling interval: a visitor is seen with
/// the probability one over its smallest interval, so the sum of these weights
/// estimates how many there were without bias.
#[derive(Debug)]
pub(crate) struct DistinctCounts {
    bounds: Bounds,
    groups: Vec<WeightedSet>,
    /// Entries of all groups, those included that are there more than once.
    entries: usize,
    /// Entries at which to look how many of them are pairs.
    most_entries: usize,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    #[default]
    Exact,
    /// Groups keep this many keys, and up to as many again until they are cut.
    Sketch { keys: usize },
}

impl Mode {
    /// The mode to go on in when this one has too many pairs.
    fn tighter(self, bounds: Bounds) -> Self {
        let keys = match self {
            Self::Exact => bounds.keys,
            Self::Sketch { keys } => (keys / 2).max(bounds.fewest_keys),
        };
        Self::Sketch { keys }
    }

    fn most_pairs(self, bounds: Bounds) -> usize {
        match self {
            Self::Exact => bounds.exact_pairs,
            Self::Sketch { keys } if keys > bounds.fewest_keys => bounds.sketch_pairs,
            Self::Sketch { .. } => usize::MAX,
        }
    }
}

impl DistinctCounts {
    /// Takes a key. Keys have to be evenly spread, as hashes are. Groups are numbered
    /// from 0 without large gaps.
    pub(crate) fn see(&mut self, group: usize, key: u64, weight: u32) {
        self.see_all(group, &[key], weight);
    }

    /// Takes keys of one weight.
    pub(crate) fn see_all(&mut self, group: usize, keys: &[u64], weight: u32) {
        /// Keys between two looks at the memory.
        const PIECE: usize = 1_024;
        if group >= self.groups.len() {
            self.groups.resize_with(group + 1, WeightedSet::default);
        }
        for piece in keys.chunks(PIECE) {
            let set = &mut self.groups[group];
            self.entries += set.see(piece, weight);
            if set.is_untidy() {
                self.tidy(group);
            }
            if self.entries > self.most_entries {
                self.make_room();
            }
        }
    }

    /// The number of distinct keys of a group, each as often as its weight says.
    pub(crate) fn estimate(&mut self, group: usize) -> u64 {
        if group >= self.groups.len() {
            return 0;
        }
        self.tidy(group);
        self.groups[group].estimate()
    }

    /// True if keys were too many to be counted one by one, so that the counts
    /// of large groups are estimates.
    pub(crate) fn is_sketch(&self) -> bool {
        self.groups.iter().any(WeightedSet::is_cut)
    }

    fn with(bounds: Bounds) -> Self {
        Self {
            bounds,
            groups: Vec::new(),
            entries: 0,
            most_entries: bounds.most_entries(0),
            mode: Mode::default(),
        }
    }

    /// Leaves each key of a group once, and no more of them than the mode
    /// allows.
    fn tidy(&mut self, group: usize) {
        let set = &mut self.groups[group];
        self.entries -= set.tidy();
        if let Mode::Sketch { keys } = self.mode
            && set.len() > 2 * keys
        {
            self.entries -= set.cut(keys);
        }
    }

    /// Finds out how many pairs there are, and makes them fewer if they are
    /// too many.
    fn make_room(&mut self) {
        self.tidy_all();
        while self.entries > self.mode.most_pairs(self.bounds) {
            self.mode = self.mode.tighter(self.bounds);
            self.tidy_all();
        }
        self.most_entries = self.bounds.most_entries(self.entries);
    }

    fn tidy_all(&mut self) {
        for group in 0..self.groups.len() {
            self.tidy(group);
        }
    }
}

impl Default for DistinctCounts {
    fn default() -> Self {
        Self::with(Bounds::default())
    }
}

/// Spreads numbers that are counted up evenly over 64 bits, each to a place of
/// its own. The finisher of `SplitMix64` (Steele, Lea, Flood 2014).
#[cfg(test)]
pub(crate) fn spread(number: u32) -> u64 {
    let number = u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// A 64th of the real ones.
    const SMALL: Bounds = Bounds {
        exact_pairs: 1 << 14,
        sketch_pairs: 1 << 16,
        keys: 256,
        fewest_keys: 4,
    };

    fn counts() -> DistinctCounts {
        DistinctCounts::with(SMALL)
    }

    fn number(n: usize) -> u32 {
        u32::try_from(n).unwrap()
    }

    /// The error of an estimate, in standard deviations of a sketch of
    /// `keys` keys.
    fn deviations(estimate: u64, truth: usize, keys: usize) -> f64 {
        let float = |n: usize| f64::from(number(n));
        let estimate = float(usize::try_from(estimate).unwrap());
        (estimate / float(truth) - 1.0) * float(keys).sqrt()
    }

    #[test]
    fn a_key_weighs_its_smallest_weight_once_in_each_group() {
        let mut counts = counts();
        for (group, key, weight) in [(0, 7, 8), (0, 7, 2), (0, 7, 4), (0, 8, 1), (2, 7, 64)] {
            counts.see(group, key, weight);
        }
        let estimates = [0, 1, 2, 3].map(|group| counts.estimate(group));
        assert_eq!(estimates, [3, 0, 64, 0]);
        assert!(!counts.is_sketch());
    }

    #[test]
    fn counts_are_exact_up_to_the_bound_and_go_on_smoothly_beyond() {
        let mut counts = counts();
        for n in 0..SMALL.exact_pairs {
            counts.see(n % 4, spread(number(n)), 1);
        }
        assert_eq!(counts.estimate(0), 1 << 12);
        assert!(!counts.is_sketch());

        for n in SMALL.exact_pairs..=2 * SMALL.exact_pairs {
            counts.see(n % 4, spread(number(n)), 1);
        }
        assert!(counts.is_sketch());
        for group in 0..4 {
            let off = deviations(counts.estimate(group), 1 << 13, SMALL.keys);
            assert!(off.abs() < 3.0, "group {group} is off by {off}");
        }
        // Ten times what is kept, and what was counted before comes again.
        for n in SMALL.exact_pairs / 2..4 * SMALL.exact_pairs {
            counts.see(n % 4, spread(number(n)), 1);
        }
        for group in 0..4 {
            let off = deviations(counts.estimate(group), 1 << 14, SMALL.keys);
            assert!(off.abs() < 3.0, "group {group} is off by {off}");
        }
        assert!(counts.entries <= 4 * 2 * SMALL.keys);
    }

    #[test]
    fn estimates_are_unbiased_also_with_weights() {
        const TRIALS: usize = 200;
        const TRUTH: usize = 10_000;
        let mut sum = 0.0;
        let mut squares = 0.0;
        for trial in 0..TRIALS {
            let mut set = WeightedSet::default();
            let mut sampled = 0;
            for n in 0..TRUTH {
                let key = spread(number(trial * TRUTH + n));
                // A quarter of the visitors comes to a link with interval 4.
                // Another hash decides if they are seen.
                let interval = if n % 4 == 0 { 4 } else { 1 };
                let luck = spread(!number(trial * TRUTH + n));
                if luck.is_multiple_of(interval.into()) {
                    sampled += 1;
                    set.see(&[key], interval);
                    if set.is_untidy() {
                        set.tidy();
                        if set.len() > 1_024 {
                            set.cut(512);
                        }
                    }
                }
            }
            set.tidy();
            if set.len() > 1_024 {
                set.cut(512);
            }
            assert!(set.len() <= 1_024 && sampled > 7_500);
            let estimate = f64::from(number(usize::try_from(set.estimate()).unwrap()));
            let error = estimate / f64::from(number(TRUTH)) - 1.0;
            sum += error;
            squares += error * error;
        }
        let trials = f64::from(number(TRIALS));
        let (mean, spread) = (sum / trials, (squares / trials).sqrt());
        // 512 keys would give 4.4 % alone; weights add a little and the keys
        // between two cuts take some away.
        assert!(spread < 0.05, "the standard deviation is {spread}");
        assert!(
            mean.abs() < 3.0 * spread / trials.sqrt(),
            "the bias is {mean}"
        );
    }

    #[test]
    fn the_hours_of_a_year_share_the_memory() {
        const HOURS: usize = 8_760;
        const VISITORS: usize = 20;
        let mut counts = counts();
        let mut most = 0;
        for hour in 0..HOURS {
            for n in 0..VISITORS {
                counts.see(hour, spread(number(hour * VISITORS + n)), 1);
            }
            most = most.max(counts.entries);
        }
        assert!(most <= HOURS * 4 * SMALL.fewest_keys, "{most} entries");
        assert_eq!(
            counts.entries,
            counts.groups.iter().map(WeightedSet::len).sum::<usize>()
        );
        // 175,200 pairs are too many: hours keep 4 keys and up to as many
        // again.
        let mut squares = 0.0;
        for hour in 0..HOURS {
            squares += deviations(counts.estimate(hour), VISITORS, 4).powi(2);
        }
        let spread = (squares / f64::from(number(HOURS))).sqrt();
        assert!(
            spread < 1.0,
            "the standard deviation is {spread} of a sketch's"
        );
        assert!(spread > 0.0 && counts.is_sketch());
    }

    #[test]
    fn very_many_small_groups_stay_exact() {
        let mut counts = counts();
        for n in 0..SMALL.exact_pairs + 10 {
            counts.see(n / 3, spread(number(n)), 1);
        }
        assert!((0..1_000).all(|group| counts.estimate(group) == 3));
        assert!(!counts.is_sketch());
    }

    #[test]
    fn spreading_keeps_numbers_apart() {
        let places: HashSet<u64> = (0..10_000).map(spread).collect();
        assert_eq!(places.len(), 10_000);
        let low_half = places.iter().filter(|&&place| place < 1 << 63).count();
        assert!((4_800..5_200).contains(&low_half));
    }
}
