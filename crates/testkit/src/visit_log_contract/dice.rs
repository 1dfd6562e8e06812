//! Random numbers that repeat with the seed.

use slugline_domain::ports::Random;

use crate::SeededRandom;

/// Random numbers that repeat with the seed.
#[derive(Debug)]
pub(super) struct Dice(SeededRandom);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(SeededRandom::new(seed))
    }

    /// A number from 0 to just below `end`.
    pub(super) fn below(&self, end: u32) -> u32 {
        let mut bytes = [0; 8];
        self.0.fill(&mut bytes);
        let number = u64::from_le_bytes(bytes) % u64::from(end);
        u32::try_from(number).expect("it is below a number of 32 bits")
    }

    pub(super) fn one_in(&self, chances: u32) -> bool {
        self.below(chances) == 0
    }

    pub(super) fn pick<T: Copy>(&self, items: &[T]) -> T {
        let length = u32::try_from(items.len()).expect("test lists are short");
        items[usize::try_from(self.below(length)).expect("test lists are short")]
    }
}
