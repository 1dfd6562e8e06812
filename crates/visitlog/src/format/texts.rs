//! The texts of one column of rows in memory.

use slugline_analytics::columns::TEXTS;

use super::{dictionary::Dictionary, selection::index};

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
