//! Texts of a chunk, replaced by small numbers that count only there.

use std::{
    cmp::Ordering,
    hash::{BuildHasher, RandomState},
};

use super::selection::{index, short};
use crate::number_map::NumberMap;

/// Some texts, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Dictionary {
    /// All texts, one after the other.
    text: String,
    /// The end of each text.
    ends: Vec<u32>,
    /// True if the texts are in order.
    sorted: bool,
}

impl Dictionary {
    /// From texts that were written in order, one after the other. `None` unless
    /// every end is one of a text.
    pub(super) fn new(text: String, ends: Vec<u32>) -> Option<Self> {
        let mut last = 0;
        for &end in &ends {
            let end = index(end);
            if end < last || !text.is_char_boundary(end) {
                return None;
            }
            last = end;
        }
        let sorted = true;
        (last == text.len()).then_some(Self { text, ends, sorted })
    }

    /// A single text.
    pub(super) fn of(text: &str) -> Self {
        let mut dictionary = Self::default();
        dictionary.push(text);
        dictionary
    }

    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(short(self.text.len()));
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn get(&self, number: u32) -> &str {
        let number = index(number);
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[index(start)..index(self.ends[number])]
    }

    /// The number of a text, if it has one.
    pub(super) fn find(&self, text: &str) -> Option<u32> {
        if !self.sorted {
            return self.iter().position(|known| known == text).map(short);
        }
        let (mut start, mut end) = (0, short(self.len()));
        while start < end {
            let middle = start + (end - start) / 2;
            match self.get(middle).cmp(text) {
                Ordering::Less => start = middle + 1,
                Ordering::Equal => return Some(middle),
                Ordering::Greater => end = middle,
            }
        }
        None
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..short(self.len())).map(|number| self.get(number))
    }
}

/// Gives texts numbers in the order in which they come.
#[derive(Debug, Default)]
pub(super) struct Interner {
    known: NumberMap<u32>,
    pub(super) texts: Dictionary,
}

impl Interner {
    /// The number of a text. Texts are told apart by fingerprints of 64 bits,
    /// keyed at random, so nobody can choose two with the same one.
    pub(super) fn number(&mut self, key: &RandomState, text: &str) -> u32 {
        let next = short(self.texts.len());
        let number = *self.known.entry(key.hash_one(text)).or_insert(next);
        if number == next {
            self.texts.push(text);
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_numbers_in_the_order_in_which_they_came() {
        let mut interner = Interner::default();
        let key = RandomState::new();
        let numbers = ["b", "", "ü", "b", ""].map(|text| interner.number(&key, text));
        assert_eq!(numbers, [0, 1, 2, 0, 1]);
        assert_eq!(interner.texts.iter().collect::<Vec<_>>(), ["b", "", "ü"]);
        assert_eq!(
            ["ü", "b", "c"].map(|text| interner.texts.find(text)),
            [Some(2), Some(0), None]
        );
    }

    #[test]
    fn only_ends_of_texts_are_taken() {
        let new = |text: &str, ends: &[u32]| Dictionary::new(text.to_owned(), ends.to_vec());
        let texts = new("aü", &[0, 1, 3]).unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "a", "ü"]);
        let found = ["", "a", "b", "ü", "z"].map(|text| texts.find(text));
        assert_eq!(found, [Some(0), Some(1), None, Some(2), None]);
        for ends in [&[][..], &[1], &[2, 3], &[3, 1], &[1, 4], &[1, 3, 2]] {
            assert_eq!(new("aü", ends), None, "{ends:?}");
        }
        assert_eq!(new("", &[]).map(|texts| texts.len()), Some(0));
    }
}
