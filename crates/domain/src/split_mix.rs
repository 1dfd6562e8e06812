//! Numbers that look random and repeat with their seed. They keep no secret: one tells the next.

/// The generator `SplitMix64` (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The state grows by this number at each draw.
    pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The same seed gives the same numbers.
    pub const fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        Self::mixed(self.0)
    }

    /// Spreads numbers evenly over 64 bits, each to a different value. This is the generator's
    /// finisher, with the constants of David Stafford's variant 13.
    #[inline]
    pub const fn mixed(number: u64) -> u64 {
        let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn draws_are_those_of_the_published_generator() {
        // The first numbers of Vigna's `splitmix64.c` with the seed 0.
        let mut generator = SplitMix64::seeded(0);
        assert_eq!(
            [generator.draw(), generator.draw()],
            [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4]
        );
    }

    #[test]
    fn numbers_in_a_row_stay_apart_and_spread() {
        for step in [1, 1 << 20, 1 << 50] {
            let spread: HashSet<u64> = (0..10_000)
                .map(|number| SplitMix64::mixed(number * step))
                .collect();
            assert_eq!(spread.len(), 10_000);
            let low = spread.iter().filter(|&&number| number < 1 << 63).count();
            assert!((4_800..5_200).contains(&low), "{low} of step {step}");
        }
    }
}
