//! Combinations of values of a family's columns, each with its visits.

use std::hash::BuildHasher;

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use crate::format::selection::{index, short};

/// The combinations, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    hash: DefaultHashBuilder,
    known: HashTable<u32>,
    /// The number of values of each.
    columns: usize,
    /// The values of the first combination, then those of the second one, and so on.
    values: Vec<u32>,
    visits: Vec<u64>,
}

impl Entries {
    /// Makes a list of combinations of so many values.
    pub(crate) fn of(columns: usize) -> Self {
        Self {
            columns,
            ..Self::default()
        }
    }

    /// The number of a combination; a new one has no visits yet.
    pub(crate) fn number(&mut self, values: &[u32]) -> u32 {
        let Self {
            hash,
            known,
            columns,
            values: all,
            visits,
        } = self;
        let of = |number: u32| &all[index(number) * *columns..][..*columns];
        let entry = known.entry(
            hash.hash_one(values),
            |&number| of(number) == values,
            |&number| hash.hash_one(of(number)),
        );
        match entry {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(vacant) => {
                let number = short(visits.len());
                vacant.insert(number);
                all.extend(values);
                visits.push(0);
                number
            }
        }
    }

    pub(crate) fn values(&self, number: u32) -> &[u32] {
        &self.values[index(number) * self.columns..][..self.columns]
    }

    pub(crate) fn add(&mut self, number: u32, visits: u64) {
        self.visits[index(number)] += visits;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], u64)> {
        let numbered = (0..).zip(&self.visits);
        numbered.map(|(number, &visits)| (self.values(number), visits))
    }

    /// Sets one of the values to 0 in every combination, of which fewer remain. They get new
    /// numbers.
    pub(crate) fn forget(&mut self, position: usize) {
        let before = std::mem::replace(self, Self::of(self.columns));
        for (values, visits) in before.iter() {
            let mut values = values.to_vec();
            values[position] = 0;
            let number = self.number(&values);
            self.add(number, visits);
        }
    }

    /// The memory that they take.
    pub(crate) fn bytes(&self) -> usize {
        self.values.capacity() * size_of::<u32>()
            + self.visits.capacity() * size_of::<u64>()
            + self.known.capacity() * 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_without_one_value_add_up() {
        let mut entries = Entries::of(2);
        for (values, visits) in [([7, 1], 1), ([7, 2], 2), ([8, 1], 4), ([7, 1], 8)] {
            let number = entries.number(&values);
            entries.add(number, visits);
        }
        assert_eq!(entries.visits, [9, 2, 4]);
        entries.forget(1);
        let left: Vec<(&[u32], u64)> = entries.iter().collect();
        assert_eq!(left, [(&[7, 0][..], 11), (&[8, 0][..], 4)]);
        assert_eq!(entries.number(&[8, 0]), 1);
    }
}
