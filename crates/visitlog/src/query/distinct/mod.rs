//! Counts distinct keys in bounded memory.
//!
//! A visitor or referer is a 64-bit key in one of many groups. A question keeps all its pairs of
//! group and key within a number of bytes. Counts are exact up to one pair for each 64 of these
//! bytes. Beyond that, at twice as many pairs at the latest, each group keeps only its keys with
//! the smallest hashes, from which it estimates the number of all its keys; groups of fewer keys
//! stay exact. The hash of a key is a bijection, so keys may be any numbers, and none is lost.
//!
//! The relative error of an estimate from k keys has a standard deviation of 1/√(k-1). A few large
//! groups keep 4,096 keys each in 64 MiB: 1.6 %. Many large groups share the memory: k is halved as
//! long as they need more. In 64 MiB, each of G groups then keeps at least half a million divided
//! by G keys: 64 for the hours of a year (13 %), 8 for 65,536 groups (38 %).
//!
//! There is room for one group in each 256 bytes, a quarter of a million in 64 MiB. Questions keep
//! to that number; keys of further groups are left out, and the counts are estimates.

mod recent;
mod set;

use slugline_domain::SplitMix64;

use super::distinct::set::WeightedSet;

pub(crate) use recent::RecentKeys;
pub(crate) use set::Estimate;

/// The bytes for each pair that is counted exactly: the pair, room for another one, for a third
/// while lists are sorted or grow, and for a fourth for groups. Pairs of sampled rows take twice as
/// many, for the variance.
const PAIR_BYTES: usize = 64;

/// The most keys that a group keeps for its estimate.
const MOST_KEYS: usize = 4_096;

/// The fewest keys that a group keeps.
const FEWEST_KEYS: usize = 4;

/// The distinct keys of many groups, each with the smallest weight with which it came.
///
/// For visitors the weight is the sampling interval: a visitor is seen with
/// the probability one over its smallest interval, so the sum of these weights
/// estimates how many there were without bias.
#[derive(Debug)]
pub(crate) struct DistinctCounts {
    /// The number of pairs up to which all counts are exact.
    exact_pairs: usize,
    groups: Vec<WeightedSet>,
    /// The number of entries for which the lists of all groups have room.
    room: usize,
    mode: Mode,
    /// True if a key was left out.
    cut: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    #[default]
    Exact,
    /// Groups keep this many keys, and up to twice as many until they are cut.
    Sketch { keys: usize },
}

impl DistinctCounts {
    /// Makes counts that take at most this many bytes.
    pub(crate) fn within(bytes: usize) -> Self {
        Self {
            exact_pairs: (bytes / PAIR_BYTES).max(FEWEST_KEYS * FEWEST_KEYS),
            groups: Vec::new(),
            room: 0,
            mode: Mode::default(),
            cut: false,
        }
    }

    /// Adds a key, which may be any number. Groups are numbered from 0 without large gaps.
    pub(crate) fn see(&mut self, group: usize, key: u64, weight: u32) {
        self.see_all(group, &[key], weight);
    }

    /// Adds keys of one weight.
    pub(crate) fn see_all(&mut self, group: usize, keys: &[u64], weight: u32) {
        /// The number of keys between two checks of the memory.
        const PIECE: usize = 1_024;
        if group >= self.groups.len() {
            if group >= self.most_groups() {
                self.cut = true;
                return;
            }
            self.groups.resize_with(group + 1, WeightedSet::default);
        }
        let mut rest = keys;
        while !rest.is_empty() {
            // A list that grows by itself would take room for twice as many keys.
            let set = &mut self.groups[group];
            let (piece, later) = rest.split_at(set.left().clamp(1, PIECE).min(rest.len()));
            rest = later;
            let room = set.room();
            // Visitors of an import may have any numbers, such as 1 to 3,000,000.
            set.see(piece.iter().copied().map(SplitMix64::mixed), weight);
            self.room += set.room() - room;
            if set.is_untidy() {
                self.tidy(group);
                self.extend(group);
            }
            if self.room > self.most_room() {
                self.make_room();
            }
        }
    }

    /// The sum of the weights of the distinct keys of a group.
    pub(crate) fn estimate(&mut self, group: usize) -> Estimate {
        if group >= self.groups.len() {
            return Estimate::default();
        }
        self.tidy(group);
        self.groups[group].estimate()
    }

    /// Frees the group's memory and number for other groups.
    pub(crate) fn free(&mut self, group: usize) {
        if let Some(set) = self.groups.get_mut(group) {
            let set = std::mem::take(set);
            self.room -= set.room();
            if self.room <= self.exact_pairs / 2 {
                self.mode = Mode::Exact;
            }
        }
    }

    /// Returns whether there were too many keys to count one by one, so that the counts of large
    /// groups are estimates.
    pub(crate) fn is_sketch(&self) -> bool {
        self.cut
    }

    /// Returns whether estimates would be better with fewer than this many groups.
    pub(crate) fn is_crowded(&self, groups: usize) -> bool {
        const ENOUGH_KEYS: usize = 128;
        let too_few_keys = match self.mode {
            Mode::Exact => false,
            Mode::Sketch { keys } => keys <= ENOUGH_KEYS,
        };
        too_few_keys || groups > self.most_groups() / 2
    }

    /// The number of groups for which there is room.
    pub(crate) fn most_groups(&self) -> usize {
        self.exact_pairs / FEWEST_KEYS
    }

    /// The number of entries for which lists may have room.
    fn most_room(&self) -> usize {
        2 * self.exact_pairs
    }

    /// Keeps each key of a group once, and at most as many keys as the mode allows.
    fn tidy(&mut self, group: usize) {
        let set = &mut self.groups[group];
        let room = set.room();
        set.tidy();
        if let Mode::Sketch { keys } = self.mode
            && set.len() > 2 * keys
        {
            set.cut(keys);
            self.cut = true;
        }
        self.room -= room - set.room();
    }

    /// Gives a tidy list room for more keys, if the memory of all lists allows it.
    fn extend(&mut self, group: usize) {
        let set = &self.groups[group];
        if self.room + set.wants() > self.most_room() {
            self.make_room();
        }
        let set = &mut self.groups[group];
        let room = set.room();
        set.extend();
        self.room += set.room() - room;
    }

    /// Counts the pairs, and reduces them if there are too many.
    fn make_room(&mut self) {
        self.shrink();
        while self.room > self.exact_pairs {
            let keys = match self.mode {
                Mode::Exact => (self.exact_pairs / FEWEST_KEYS).min(MOST_KEYS),
                Mode::Sketch { keys } if keys > FEWEST_KEYS => keys / 2,
                Mode::Sketch { .. } => break,
            };
            self.mode = Mode::Sketch { keys };
            self.shrink();
        }
    }

    /// Makes each list as short as the mode allows, without room for more keys.
    fn shrink(&mut self) {
        self.room = 0;
        for set in &mut self.groups {
            set.tidy();
            if let Mode::Sketch { keys } = self.mode
                && set.len() > keys
            {
                set.cut(keys);
                self.cut = true;
            }
            set.shrink();
            self.room += set.room();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A 64th of the real limit.
    const BYTES: usize = 1 << 20;
    const EXACT_PAIRS: usize = BYTES / PAIR_BYTES;
    const KEYS: usize = EXACT_PAIRS / 16;

    fn counts() -> DistinctCounts {
        DistinctCounts::within(BYTES)
    }

    /// The bytes that the counts take, without those of a running sort.
    fn bytes(counts: &DistinctCounts) -> usize {
        let lists: usize = counts.groups.iter().map(WeightedSet::room).sum();
        assert_eq!(lists, counts.room);
        // The system's allocator takes 16 bytes beside each list.
        lists * size_of::<(u64, u32)>() + counts.groups.capacity() * (size_of::<WeightedSet>() + 16)
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
        let estimates = [0, 1, 2, 3].map(|group| counts.estimate(group).distinct);
        assert_eq!(estimates, [3, 0, 64, 0]);
        assert!(!counts.is_sketch());
    }

    #[test]
    fn counts_are_exact_up_to_the_bound_and_go_on_smoothly_beyond() {
        let mut counts = counts();
        for n in 0..EXACT_PAIRS {
            counts.see(n % 4, number(n).into(), 1);
        }
        assert_eq!(counts.estimate(0).distinct, 1 << 12);
        assert!(!counts.is_sketch());

        for n in EXACT_PAIRS..=2 * EXACT_PAIRS {
            counts.see(n % 4, number(n).into(), 1);
        }
        assert!(counts.is_sketch());
        for group in 0..4 {
            let off = deviations(counts.estimate(group).distinct, 1 << 13, KEYS);
            assert!(off.abs() < 3.0, "group {group} is off by {off}");
        }
        // Ten times as many keys as are kept; keys that were counted before come again.
        for n in EXACT_PAIRS / 2..4 * EXACT_PAIRS {
            counts.see(n % 4, number(n).into(), 1);
        }
        for group in 0..4 {
            let off = deviations(counts.estimate(group).distinct, 1 << 14, KEYS);
            assert!(off.abs() < 3.0, "group {group} is off by {off}");
        }
        assert!(bytes(&counts) <= BYTES);
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
                let key = SplitMix64::mixed(number(trial * TRUTH + n).into());
                // A quarter of the visitors comes to a link with interval 4.
                // Another hash decides if they are seen.
                let interval = if n % 4 == 0 { 4 } else { 1 };
                let luck = SplitMix64::mixed((!number(trial * TRUTH + n)).into());
                if luck.is_multiple_of(interval.into()) {
                    sampled += 1;
                    set.see([key].into_iter(), interval);
                    if set.is_untidy() {
                        set.tidy();
                        if set.len() > 1_024 {
                            set.cut(512);
                        }
                        set.extend();
                    }
                }
            }
            set.tidy();
            if set.len() > 1_024 {
                set.cut(512);
            }
            assert!(set.len() <= 1_024 && sampled > 7_500);
            let estimate = f64::from(number(usize::try_from(set.estimate().distinct).unwrap()));
            let error = estimate / f64::from(number(TRUTH)) - 1.0;
            sum += error;
            squares += error * error;
        }
        let trials = f64::from(number(TRIALS));
        let (mean, spread) = (sum / trials, (squares / trials).sqrt());
        // 512 keys alone give 4.4 %, their weights and the sampling add the rest to 5.1 %. The
        // standard deviation of 200 trials is itself off by 5 % of that.
        assert!(spread < 0.058, "the standard deviation is {spread}");
        assert!(
            mean.abs() < 3.0 * spread / trials.sqrt(),
            "the bias is {mean}"
        );
    }

    #[test]
    fn the_hours_of_a_year_share_the_memory() {
        const HOURS: usize = 4_000;
        const VISITORS: usize = 40;
        let mut counts = counts();
        for hour in 0..HOURS {
            for n in 0..VISITORS {
                counts.see(hour, number(hour * VISITORS + n).into(), 1);
            }
            assert!(bytes(&counts) <= BYTES);
        }
        // 160,000 pairs are too many: each hour keeps 4 to 8 keys.
        let mut squares = 0.0;
        for hour in 0..HOURS {
            squares += deviations(counts.estimate(hour).distinct, VISITORS, 4).powi(2);
        }
        let spread = (squares / f64::from(number(HOURS))).sqrt();
        assert!(
            spread < 1.5,
            "the standard deviation is {spread} of a sketch's"
        );
        assert!(spread > 0.0 && counts.is_sketch() && counts.is_crowded(1));
    }

    #[test]
    fn hours_that_are_over_make_room_for_others_which_are_exact() {
        const HOURS: usize = 8_760;
        let mut counts = counts();
        let mut taken = Vec::new();
        for hour in 0..HOURS {
            for n in 0..EXACT_PAIRS / 16 {
                counts.see(hour % 8, number(n).into(), 1);
            }
            if hour >= 7 {
                let group = (hour + 1) % 8;
                taken.push(counts.estimate(group).distinct);
                counts.free(group);
            }
        }
        assert!(taken.iter().all(|&visitors| visitors == 1 << 10));
        assert!(!counts.is_sketch() && bytes(&counts) <= BYTES);

        // A count that was cut is an estimate, even after its group is gone.
        for n in 0..=2 * EXACT_PAIRS {
            counts.see(9, number(n).into(), 1);
        }
        counts.free(9);
        assert!(counts.is_sketch());
        counts.see(9, 1, 1);
        assert_eq!(counts.estimate(9).distinct, 1);
    }

    #[test]
    fn very_many_small_groups_stay_exact() {
        let mut counts = counts();
        for n in 0..EXACT_PAIRS / 2 {
            counts.see(n / 4, number(n).into(), 1);
        }
        assert!((0..1_000).all(|group| counts.estimate(group).distinct == 4));
        assert!(!counts.is_sketch() && bytes(&counts) <= BYTES);
    }

    #[test]
    fn a_million_groups_of_many_visitors_take_no_more_than_they_may() {
        const GROUPS: usize = 1_000_000;
        let mut counts = counts();
        for n in 0..9 * GROUPS {
            counts.see(n % GROUPS, number(n).into(), 1);
            if n % 65_536 == 0 {
                assert!(bytes(&counts) <= BYTES);
            }
        }
        assert!(bytes(&counts) <= BYTES);
        assert!(counts.is_sketch() && counts.is_crowded(1));
        assert_eq!(counts.groups.len(), counts.most_groups());
        let seen = (0..counts.most_groups()).filter(|&group| counts.groups[group].len() >= 4);
        assert_eq!(seen.count(), counts.most_groups());
        assert_eq!(counts.estimate(GROUPS - 1).distinct, 0);
    }
}
