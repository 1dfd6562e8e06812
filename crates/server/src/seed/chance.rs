//! Repeatable pseudo-random numbers.

use slugline_domain::SplitMix64;

/// Choices that are the same in every run.
#[derive(Clone, Debug)]
pub(super) struct Chance(SplitMix64);

impl Chance {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(SplitMix64::seeded(seed))
    }

    /// A number from 0 to below `end`; 0 if `end` is 0.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        let wide = (self.0.draw() >> 32) * u64::from(end);
        u32::try_from(wide >> 32).unwrap_or_default()
    }

    /// True in `percent` of a hundred cases.
    pub(super) fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    pub(super) fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.position(of.len())]
    }

    /// Picks one of the values with the probability of its weight.
    pub(super) fn weighted<'a, T>(&mut self, of: &'a [T], weight: impl Fn(&T) -> u32) -> &'a T {
        let sum = of.iter().map(&weight).sum();
        let mut drawn = self.below(sum);
        for one in of {
            match drawn.checked_sub(weight(one)) {
                Some(rest) => drawn = rest,
                None => return one,
            }
        }
        &of[0]
    }

    pub(super) fn position(&mut self, length: usize) -> usize {
        let end = u32::try_from(length).unwrap_or(u32::MAX);
        usize::try_from(self.below(end)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_are_the_same_each_time_and_follow_the_weights() {
        let draw = || {
            let mut chance = Chance::seeded(7);
            let drawn =
                |_| *chance.weighted(&[('a', 3), ('b', 1), ('c', 0)], |(_, weight)| *weight);
            (0..4_000).map(drawn).collect::<Vec<_>>()
        };
        let (first, second) = (draw(), draw());
        assert_eq!(first, second);
        let count = |wanted| first.iter().filter(|(name, _)| *name == wanted).count();
        assert!((2_800..3_200).contains(&count('a')), "{}", count('a'));
        assert_eq!(count('c'), 0);
    }

    #[test]
    fn nothing_is_below_zero() {
        assert_eq!(Chance::seeded(1).below(0), 0);
    }
}
