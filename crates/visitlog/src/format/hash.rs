//! Turns numbers that follow a pattern into evenly spread ones, and texts into fingerprints.
//!
//! The recorder's visitor numbers are hashes, but an import brings whatever numbers it has: 1 to
//! 3,000,000 as well. The log stores them as they came. Who takes a number's place among all
//! numbers for random mixes it first.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

/// Spreads numbers evenly over 64 bits, each to a different value. This is the finisher of
/// `SplitMix64` (Steele, Lea, Flood 2014) with the constants of David Stafford's variant 13.
pub(crate) fn mixed(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// The key of a file's fingerprints. Visitors do not know it, so they cannot choose texts with the
/// same fingerprint.
#[derive(Debug)]
pub(crate) struct TextKey(pub(crate) [u8; 16]);

impl TextKey {
    /// A fingerprint of 56 bits: among a million different texts, two have the same one in one of
    /// 144,000 files.
    pub(crate) fn fingerprint<'t>(&self, texts: impl Iterator<Item = &'t str>) -> u64 {
        let mut hasher = SipHasher13::new_with_key(&self.0);
        for text in texts {
            hasher.write(text.as_bytes());
            // A byte that occurs in no text.
            hasher.write(&[0xff]);
        }
        hasher.finish() >> 8
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn numbers_in_a_row_stay_apart_and_spread() {
        for step in [1, 1 << 20, 1 << 50] {
            let spread: HashSet<u64> = (0..10_000).map(|number| mixed(number * step)).collect();
            assert_eq!(spread.len(), 10_000);
            let low = spread.iter().filter(|&&number| number < 1 << 63).count();
            assert!((4_800..5_200).contains(&low), "{low} of step {step}");
        }
    }

    #[test]
    fn fingerprints_are_of_all_texts_and_of_the_key() {
        let of = |key: u8, texts: &[&str]| TextKey([key; 16]).fingerprint(texts.iter().copied());
        assert_ne!(of(1, &["ab", "c"]), of(1, &["a", "bc"]));
        assert_ne!(of(1, &["ab", "c"]), of(2, &["ab", "c"]));
        // The value must not change, because files contain it.
        assert_eq!(of(0, &["ab", "c"]), 20_331_422_460_580_058);
    }
}
