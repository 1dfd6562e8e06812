//! The number of faults, and repeatable random choices.

use std::{
    env,
    hash::{BuildHasher, RandomState},
};

/// The factor on the usual number of faults.
pub(crate) fn factor() -> u64 {
    number("SLUGLINE_TEST_FAULTS").unwrap_or(1).max(1)
}

fn number(name: &str) -> Option<u64> {
    let text = env::var_os(name)?;
    let text = text.to_str().unwrap();
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Random choices. The same seed gives the same ones.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    /// Takes a new seed in each run, unless one is given.
    pub(crate) fn new() -> Self {
        let fresh = || RandomState::new().hash_one(0_u8) % 1_000_000;
        Self::seeded(number("SLUGLINE_TEST_SEED").unwrap_or_else(fresh))
    }

    fn seeded(seed: u64) -> Self {
        Self { seed, state: seed }
    }

    /// Separate choices for a concurrent client.
    pub(crate) fn branch(&mut self) -> Self {
        Self {
            seed: self.seed,
            state: self.next(),
        }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// One of these.
    pub(crate) fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        let count = u64::try_from(things.len()).unwrap();
        things[usize::try_from(self.below(count)).unwrap()]
    }

    /// The next number, by `SplitMix64`.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}
