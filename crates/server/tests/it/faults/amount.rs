//! The number of faults, and repeatable random choices.

use std::{
    env,
    hash::{BuildHasher, RandomState},
};

use slugline_domain::SplitMix64;

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
    choices: SplitMix64,
}

impl Random {
    /// Takes a new seed in each run, unless one is given.
    pub(crate) fn new() -> Self {
        let fresh = || RandomState::new().hash_one(0_u8) % 1_000_000;
        Self::seeded(number("SLUGLINE_TEST_SEED").unwrap_or_else(fresh))
    }

    fn seeded(seed: u64) -> Self {
        let choices = SplitMix64::seeded(seed);
        Self { seed, choices }
    }

    /// Separate choices for a concurrent client.
    pub(crate) fn branch(&mut self) -> Self {
        Self {
            seed: self.seed,
            choices: SplitMix64::seeded(self.choices.draw()),
        }
    }

    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.choices.draw() % end
    }

    /// One of these.
    pub(crate) fn one_of<T: Copy>(&mut self, things: &[T]) -> T {
        let count = u64::try_from(things.len()).unwrap();
        things[usize::try_from(self.below(count)).unwrap()]
    }
}
