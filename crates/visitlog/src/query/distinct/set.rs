//! The distinct keys of one group, or those with the smallest hashes.

use std::mem;

use crate::format::selection::number;

/// Keys below a threshold, each with the smallest weight with which it came.
///
/// Keys are hashes, evenly spread, so the share of all keys that lies below the threshold is known.
/// The threshold only ever falls, so a key in the set has been there since it first came, and its
/// weight is right.
///
/// The set is a list: sorted distinct keys, then newer keys in any order. Sorting the newer keys in
/// once they are as many takes a fifth of the time of a hash table, whose every access misses the
/// cache.
#[derive(Debug, Default)]
pub(crate) struct WeightedSet {
    keys: Vec<u64>,
    /// The weights; empty as long as all keys have the same one.
    weights: Vec<u32>,
    same: u32,
    /// The sampled rows of each key; empty as long as there are none.
    drawn: Vec<Drawn>,
    /// The number of sorted distinct keys at the beginning.
    tidy: usize,
    /// Keys from this one on are left out; `None` as long as all are kept.
    threshold: Option<u64>,
}

/// A sum over the keys below a threshold as one over all keys: sum / (threshold / 2^64), rounded.
fn scale(sum: u64, threshold: u64) -> u64 {
    let threshold = u128::from(threshold.max(1));
    let scaled = ((u128::from(sum) << 64) + threshold / 2) / threshold;
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// The sampled rows of a key, which were kept or dropped together.
#[derive(Clone, Copy, Debug, Default)]
struct Drawn {
    /// The sum of their intervals.
    sum: u32,
    rows: u32,
}

impl Drawn {
    fn of(weight: u32) -> Self {
        match weight {
            0 | 1 => Self::default(),
            sum => Self { sum, rows: 1 },
        }
    }

    fn and(self, other: Self) -> Self {
        Self {
            sum: self.sum.saturating_add(other.sum),
            rows: self.rows.saturating_add(other.rows),
        }
    }

    fn variance(self) -> u64 {
        u64::from(self.sum) * u64::from(self.sum.saturating_sub(self.rows))
    }
}

/// The sums over the keys of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// The sum of the weights of the distinct keys.
    pub(crate) distinct: u64,
    /// The variance of that sum, by sampling and by the keys that were left out.
    pub(crate) variance: u64,
    /// The variance of the number of rows, as the rows of a key were kept or dropped together.
    pub(crate) drawn: u64,
}

impl WeightedSet {
    /// The number of keys that a small list takes before it is sorted.
    const FEW: usize = 64;

    /// Adds keys of one weight, which may be there already. Returns how many became entries.
    pub(crate) fn see(&mut self, keys: impl Iterator<Item = u64>, weight: u32) -> usize {
        let before = self.keys.len();
        if before == 0 {
            self.same = weight;
        } else if weight != self.same && self.weights.is_empty() {
            self.weights = vec![self.same; before];
        }
        match self.threshold {
            None => self.keys.extend(keys),
            Some(threshold) => self.keys.extend(keys.filter(|&key| key < threshold)),
        }
        if !self.weights.is_empty() {
            self.weights.resize(self.keys.len(), weight);
        }
        if weight > 1 && self.drawn.is_empty() {
            self.drawn.reserve_exact(self.keys.capacity());
            self.drawn.resize(before, Drawn::default());
        }
        if !self.drawn.is_empty() || weight > 1 {
            self.drawn.resize(self.keys.len(), Drawn::of(weight));
        }
        self.keys.len() - before
    }

    /// The number of entries, repeated keys included.
    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    /// The number of entries for which there is room.
    pub(crate) fn room(&self) -> usize {
        self.keys.capacity() * self.size()
    }

    /// The room of an entry.
    fn size(&self) -> usize {
        if self.drawn.is_empty() { 1 } else { 2 }
    }

    /// Returns whether it is time for [`WeightedSet::tidy`].
    pub(crate) fn is_untidy(&self) -> bool {
        self.keys.len() >= Self::most(self.tidy)
    }

    /// The number of keys that may come before it is time for [`WeightedSet::tidy`].
    pub(crate) fn left(&self) -> usize {
        Self::most(self.tidy).saturating_sub(self.keys.len())
    }

    /// Keeps each key once, with its smallest weight.
    pub(crate) fn tidy(&mut self) {
        if self.keys.len() == self.tidy {
            return;
        }
        if self.weights.is_empty() && self.drawn.is_empty() {
            #[expect(
                clippy::stable_sort_primitive,
                reason = "a stable sort makes use of what is in order already"
            )]
            self.keys.sort();
            self.keys.dedup();
        } else if self.drawn.is_empty() {
            let (keys, weights) = (mem::take(&mut self.keys), mem::take(&mut self.weights));
            let mut entries: Vec<(u64, u32)> = keys.into_iter().zip(weights).collect();
            entries.sort_unstable();
            entries.dedup_by_key(|&mut (key, _)| key);
            (self.keys, self.weights) = entries.into_iter().unzip();
        } else {
            self.tidy_drawn();
        }
        self.tidy = self.keys.len();
    }

    /// The same for keys with sampled rows, which are added.
    fn tidy_drawn(&mut self) {
        let (keys, drawn) = (mem::take(&mut self.keys), mem::take(&mut self.drawn));
        let has_weights = !self.weights.is_empty();
        let weights = mem::take(&mut self.weights);
        let weight = |entry: usize| {
            if has_weights {
                weights[entry]
            } else {
                self.same
            }
        };
        let entries = keys.into_iter().zip(drawn).enumerate();
        let mut entries: Vec<(u64, u32, Drawn)> = entries
            .map(|(entry, (key, drawn))| (key, weight(entry), drawn))
            .collect();
        entries.sort_unstable_by_key(|&(key, weight, _)| (key, weight));
        entries.dedup_by(|(key, _, drawn), (kept, _, sum)| {
            let is_same = key == kept;
            if is_same {
                *sum = sum.and(*drawn);
            }
            is_same
        });
        self.keys = entries.iter().map(|&(key, _, _)| key).collect();
        if has_weights {
            self.weights = entries.iter().map(|&(_, weight, _)| weight).collect();
        }
        self.drawn = entries.into_iter().map(|(_, _, drawn)| drawn).collect();
    }

    /// Keeps the `keys` smallest keys of a tidy list. The next larger key becomes the threshold, as
    /// in a bottom-k sketch (Cohen, Kaplan 2007).
    pub(crate) fn cut(&mut self, keys: usize) {
        let Some(&threshold) = self.keys.get(keys) else {
            return;
        };
        self.keys.truncate(keys);
        self.keys.shrink_to(Self::most(keys));
        self.weights.truncate(keys);
        self.weights.shrink_to(Self::most(keys));
        self.drawn.truncate(keys);
        self.drawn.shrink_to(Self::most(keys));
        self.tidy = keys;
        self.threshold = Some(threshold);
    }

    /// The further entries for which a tidy list needs room.
    pub(crate) fn wants(&self) -> usize {
        if self.tidy <= Self::FEW {
            return 0;
        }
        (Self::most(self.tidy) * self.size()).saturating_sub(self.room())
    }

    /// Gives a tidy list the room that it needs. A long list that grows by itself would take room
    /// for twice as many keys.
    pub(crate) fn extend(&mut self) {
        if self.wants() > 0 {
            let more = Self::most(self.tidy) - self.tidy;
            self.keys.reserve_exact(more);
            if !self.weights.is_empty() {
                self.weights.reserve_exact(more);
            }
            if !self.drawn.is_empty() {
                self.drawn.reserve_exact(more);
            }
        }
    }

    /// Frees the room beyond the entries.
    pub(crate) fn shrink(&mut self) {
        self.keys.shrink_to_fit();
        self.weights.shrink_to_fit();
        self.drawn.shrink_to_fit();
    }

    /// The sums over all keys of a tidy set, including an estimate for those left out.
    pub(crate) fn estimate(&self) -> Estimate {
        debug_assert_eq!(self.tidy, self.keys.len(), "keys may be there twice");
        let keys = number(self.keys.len());
        let squares = |weight: u32| u64::from(weight) * u64::from(weight);
        let (kept, squares): (u64, u64) = if self.weights.is_empty() {
            (
                keys * u64::from(self.same),
                squares(self.same).saturating_mul(keys),
            )
        } else {
            let weights = self.weights.iter();
            let kept = weights.clone().map(|&weight| u64::from(weight)).sum();
            (
                kept,
                weights
                    .map(|&weight| squares(weight))
                    .fold(0, u64::saturating_add),
            )
        };
        let drawn = self.drawn.iter().map(|drawn| drawn.variance());
        let drawn = drawn.fold(0, u64::saturating_add);
        let Some(threshold) = self.threshold else {
            return Estimate {
                distinct: kept,
                variance: squares - kept,
                drawn,
            };
        };
        // A key is there with the probability of the threshold.
        let scaled = |sum: u64| scale(sum, threshold);
        let distinct = scaled(kept);
        Estimate {
            distinct,
            variance: scaled(scaled(squares)).saturating_sub(distinct),
            drawn: scaled(drawn),
        }
    }

    /// The number of entries at which a list is sorted, by their number after the last sort.
    fn most(tidy: usize) -> usize {
        tidy + tidy.max(Self::FEW)
    }
}

#[cfg(test)]
mod tests {
    use slugline_domain::SplitMix64;

    use super::*;

    #[test]
    fn a_cut_leaves_the_smallest_keys_and_their_weights() {
        let mut set = WeightedSet::default();
        for key in [50, 10, 40, 20, 30] {
            assert_eq!(set.see([key].into_iter(), 2), 1);
        }
        set.see([10].into_iter(), 1);
        set.tidy();
        assert_eq!((set.len(), set.estimate().distinct), (5, 9));
        set.cut(5);
        assert_eq!(set.threshold, None);

        set.see([50].into_iter(), 4);
        set.tidy();
        set.cut(2);
        assert_eq!((set.len(), set.threshold), (2, Some(30)));
        assert_eq!(set.see([30, 99].into_iter(), 1), 0);
        assert_eq!(set.see([20, 99, 15].into_iter(), 2), 2);
        set.tidy();
        assert_eq!(set.len(), 3);
    }

    #[test]
    fn an_estimate_is_scaled_by_the_share_below_the_threshold() {
        let mut set = WeightedSet::default();
        for eighth in 0..8 {
            set.see([eighth << 61].into_iter(), 3);
        }
        set.tidy();
        set.cut(4);
        assert_eq!(set.threshold, Some(1 << 63));
        assert_eq!(set.estimate().distinct, 24);
    }

    #[test]
    fn a_list_is_at_most_twice_as_long_as_its_keys() {
        let mut set = WeightedSet::default();
        for n in 0..100_000_u64 {
            set.see([SplitMix64::mixed(n % 10_000)].into_iter(), 1);
            if set.is_untidy() {
                set.tidy();
                set.extend();
            }
            assert!(set.len() <= 20_000 && set.room() <= 20_000);
        }
        set.tidy();
        assert_eq!(set.estimate().distinct, 10_000);
        set.shrink();
        assert_eq!(set.room(), 10_000);
    }
}
