//! Names that sound like words.

use super::dice::index;

const BEGINNINGS: [&str; 20] = [
    "Ba", "Ce", "Do", "Fa", "Ga", "He", "Ja", "Ka", "Lo", "Ma", "Ne", "Or", "Pa", "Ri", "Sa", "Ta",
    "Ul", "Va", "Wi", "Zo",
];
const MIDDLES: [&str; 20] = [
    "bel", "can", "dar", "fin", "gol", "ham", "jor", "ken", "lin", "mar", "nas", "pol", "ran",
    "sel", "tor", "vin", "wal", "xen", "yor", "zan",
];
const ENDS: [&str; 20] = [
    "ba", "burg", "dale", "do", "field", "gar", "hill", "ia", "ka", "land", "mer", "na", "or",
    "pur", "ra", "stad", "ton", "um", "ville", "wick",
];

/// The word with a number. Words of numbers below 160,000 differ.
pub(super) fn word(n: u32) -> String {
    // Neighbours should differ in more than their last letters.
    let n = (u64::from(n) * 62_417) % 160_000;
    let n = u32::try_from(n).expect("it is below 160,000");
    let part = |parts: [&'static str; 20], n: u32| parts[index(n % 20)];
    let middle = part(MIDDLES, n / 20);
    let further = match n / 8_000 {
        0 => "",
        more => part(MIDDLES, more),
    };
    [part(BEGINNINGS, n), middle, further, part(ENDS, n / 400)].concat()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn words_differ() {
        let words: BTreeSet<String> = (0..160_000).map(word).collect();
        assert_eq!(words.len(), 160_000);
    }
}
