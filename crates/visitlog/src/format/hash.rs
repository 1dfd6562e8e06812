//! Fingerprints of texts.

use std::hash::Hasher;

use siphasher::sip::SipHasher13;

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
    use super::*;

    #[test]
    fn fingerprints_are_of_all_texts_and_of_the_key() {
        let of = |key: u8, texts: &[&str]| TextKey([key; 16]).fingerprint(texts.iter().copied());
        assert_ne!(of(1, &["ab", "c"]), of(1, &["a", "bc"]));
        assert_ne!(of(1, &["ab", "c"]), of(2, &["ab", "c"]));
        // The value must not change, because files contain it.
        assert_eq!(of(0, &["ab", "c"]), 20_331_422_460_580_058);
    }
}
