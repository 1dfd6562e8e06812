//! Dictionaries: texts replaced by small numbers, which are valid in one dictionary only.

use std::{hash::BuildHasher, ops::Range};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};
use slugline_analytics::columns::TEXTS;

use super::selection::{index, short};

/// Some texts, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Dictionary {
    /// All texts, one after the other.
    text: String,
    /// The end of each text.
    ends: Vec<u32>,
}

impl Dictionary {
    /// Makes a dictionary of texts that follow one another. `None` unless every end is the end of a
    /// text.
    pub(crate) fn new(text: String, ends: Vec<u32>) -> Option<Self> {
        let mut last = 0;
        for &end in &ends {
            let end = index(end);
            if end < last || !text.is_char_boundary(end) {
                return None;
            }
            last = end;
        }
        (last == text.len()).then_some(Self { text, ends })
    }

    /// A single text.
    pub(crate) fn of(text: &str) -> Self {
        let mut dictionary = Self::default();
        dictionary.push(text);
        dictionary
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(short(self.text.len()));
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, number: u32) -> &str {
        &self.text[self.span(number)]
    }

    fn bytes(&self, number: u32) -> &[u8] {
        &self.text.as_bytes()[self.span(number)]
    }

    #[inline]
    fn span(&self, number: u32) -> Range<usize> {
        let number = index(number);
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        index(start)..index(self.ends[number])
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..short(self.len())).map(|number| self.get(number))
    }
}

/// Gives texts numbers in the order in which they come. The hash is a quick one, because equal
/// texts are found by comparison.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    hash: DefaultHashBuilder,
    known: HashTable<u32>,
    pub(crate) texts: Dictionary,
}

impl Interner {
    /// The number of a text that came before.
    pub(crate) fn find(&self, text: &str) -> Option<u32> {
        let Self { hash, known, texts } = self;
        let is_same = |&number: &u32| texts.bytes(number) == text.as_bytes();
        known.find(hash.hash_one(text.as_bytes()), is_same).copied()
    }

    /// The memory of the texts, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.texts.text.capacity() + self.texts.ends.capacity() * 4 + self.known.capacity() * 6
    }

    /// The number of a text.
    pub(crate) fn number(&mut self, text: &str) -> u32 {
        let Self { hash, known, texts } = self;
        let entry = known.entry(
            hash.hash_one(text.as_bytes()),
            |&number| texts.bytes(number) == text.as_bytes(),
            |&number| hash.hash_one(texts.bytes(number)),
        );
        match entry {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let number = short(texts.len());
                entry.insert(number);
                texts.push(text);
                number
            }
        }
    }
}

/// The texts of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    /// The number of the text of each entry of the family; empty if all entries have the first
    /// text.
    pub(crate) of: Vec<u32>,
    pub(crate) dictionary: Dictionary,
}

impl Texts {
    /// The number of an entry's text.
    #[inline]
    pub(crate) fn number(&self, entry: u32) -> u32 {
        if self.of.is_empty() {
            0
        } else {
            self.of[index(entry)]
        }
    }

    /// The text of an entry.
    pub(crate) fn get(&self, entry: u32) -> &str {
        self.dictionary.get(self.number(entry))
    }

    /// The text of each entry, if there are numbers of entries.
    pub(crate) fn of_each(&self) -> impl Iterator<Item = &str> {
        self.of.iter().map(|&number| self.dictionary.get(number))
    }

    pub(crate) fn unknown(column: usize) -> Self {
        Self {
            of: Vec::new(),
            dictionary: Dictionary::of(TEXTS[column].unknown),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_have_numbers_in_the_order_in_which_they_came() {
        let mut interner = Interner::default();
        let numbers = ["b", "", "ü", "b", ""].map(|text| interner.number(text));
        assert_eq!(numbers, [0, 1, 2, 0, 1]);
        assert_eq!(interner.texts.iter().collect::<Vec<_>>(), ["b", "", "ü"]);
    }

    #[test]
    fn only_ends_of_texts_are_taken() {
        let new = |text: &str, ends: &[u32]| Dictionary::new(text.to_owned(), ends.to_vec());
        let texts = new("aü", &[0, 1, 3]).unwrap();
        assert_eq!(texts.iter().collect::<Vec<_>>(), ["", "a", "ü"]);
        for ends in [&[][..], &[1], &[2, 3], &[3, 1], &[1, 4], &[1, 3, 2]] {
            assert_eq!(new("aü", ends), None, "{ends:?}");
        }
        assert_eq!(new("", &[]).map(|texts| texts.len()), Some(0));
    }
}
