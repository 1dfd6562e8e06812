//! Columns whose texts follow from those of other columns.

use std::{borrow::Cow, sync::LazyLock};

use slugline_analytics::{
    columns::{Family, TEXTS, text_of},
    number_map::NumberMap,
};
use slugline_domain::Derivation;

use super::{
    block::Block,
    dictionary::{Interner, Texts},
    selection::{index, short},
    values::Values,
};

/// The columns that those of a family follow from; none if the family is stored.
pub(crate) fn sources(family: Family) -> &'static [usize] {
    static OF_EACH: LazyLock<[Vec<usize>; Family::ALL.len()]> = LazyLock::new(|| {
        Family::ALL.map(|family| {
            let columns = family.columns().iter();
            let derivations = columns.filter_map(|&column| TEXTS[column].dimension.derivation());
            let sources = derivations.flat_map(Derivation::sources);
            let mut sources: Vec<usize> = sources.map(|source| text_of(*source)).collect();
            sources.sort_unstable();
            sources.dedup();
            sources
        })
    });
    &OF_EACH[family.index()]
}

/// The entries of several families that rows have together.
#[derive(Debug)]
struct Combined {
    /// Of each row, its combination.
    codes: Values<u32>,
    /// Of each combination, the entry of each family.
    entries: Vec<[u32; Family::ALL.len()]>,
}

impl Block {
    /// Derives the columns of a family that follow from others, which are here.
    pub(crate) fn derive(&mut self, derived: Family) {
        let mut combined = Combined {
            codes: Values::Same(0),
            entries: vec![[0; Family::ALL.len()]],
        };
        for family in Family::STORED {
            let is_source = |column: &usize| TEXTS[*column].family == family;
            if sources(derived).iter().any(is_source) {
                combined.add(family, self.codes(family), self.entries(family));
            }
        }
        for &column in derived.columns() {
            let Some(derivation) = TEXTS[column].dimension.derivation() else {
                continue;
            };
            let mut texts = Interner::default();
            let value = |entries: &[u32; Family::ALL.len()]| {
                texts.number(&derivation.value(|source| {
                    let source = text_of(source);
                    let entry = entries[TEXTS[source].family.index()];
                    Cow::Borrowed(self.texts(source).get(entry))
                }))
            };
            let of = combined.entries.iter().map(value).collect();
            let dictionary = texts.texts;
            self.texts[column] = Some(Texts { of, dictionary });
        }
        self.most[derived.index()] = Some(combined.entries.len());
        self.codes[derived.index()] = Some(combined.codes);
    }

    /// Takes the columns of a family over that another block derived for the same rows.
    pub(crate) fn take_derived(&mut self, derived: Family, mut other: Self) {
        let family = derived.index();
        for &column in derived.columns() {
            self.texts[column] = other.texts[column].take();
        }
        self.most[family] = other.most[family];
        self.codes[family] = other.codes[family].take();
    }
}

impl Combined {
    /// Adds a family, of which each row has an entry, below so many.
    fn add(&mut self, family: Family, codes: &Values<u32>, entries: usize) {
        let with = |combination: [u32; Family::ALL.len()], entry| {
            let mut with = combination;
            with[family.index()] = entry;
            with
        };
        match (&mut self.codes, codes) {
            (_, Values::Same(entry)) => {
                for combination in &mut self.entries {
                    combination[family.index()] = *entry;
                }
            }
            (Values::Same(only), Values::Each(codes)) => {
                let only = self.entries[index(*only)];
                self.entries = (0..short(entries)).map(|entry| with(only, entry)).collect();
                self.codes = Values::Each(codes.clone());
            }
            (Values::Each(known), Values::Each(codes)) => {
                let mut numbers: NumberMap<u32> = NumberMap::default();
                let mut combinations = Vec::new();
                for (known, &entry) in known.iter_mut().zip(codes) {
                    let both = u64::from(*known) << 32 | u64::from(entry);
                    *known = *numbers.entry(both).or_insert_with(|| {
                        combinations.push(with(self.entries[index(*known)], entry));
                        short(combinations.len() - 1)
                    });
                }
                self.entries = combinations;
            }
        }
    }
}
