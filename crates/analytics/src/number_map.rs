//! Maps whose keys are evenly spread numbers.

use std::{
    collections::HashMap,
    hash::{BuildHasherDefault, Hasher},
};

/// A map whose keys visitors cannot choose: hashes that are keyed at random.
/// The standard hash protects against chosen keys, and would take longer than
/// everything else in a scan.
pub type NumberMap<V> = HashMap<u64, V, BuildHasherDefault<NumberHasher>>;

/// Spreads a number over the table.
#[derive(Debug, Default)]
pub struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, number: u64) {
        // Keys below a threshold have equal bits at the top, and the table
        // takes its bits from both ends. Hence the fold.
        let mixed = (self.0 ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}
