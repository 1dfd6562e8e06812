//! Combinations of values of a family's columns, each with its visits.

use std::{hash::BuildHasher, ops::AddAssign};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};

use crate::format::selection::{index, short};

/// Visits of a combination.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Visits {
    pub(crate) all: u64,
    /// Those of bots among them.
    pub(crate) bots: u64,
}

impl AddAssign for Visits {
    fn add_assign(&mut self, other: Self) {
        self.all += other.all;
        self.bots += other.bots;
    }
}

/// The combinations, by their numbers.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    hash: DefaultHashBuilder,
    known: HashTable<u32>,
    /// The number of values of each.
    columns: usize,
    /// The values of the first combination, then those of the second one, and so on.
    values: Vec<u32>,
    visits: Vec<Visits>,
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
                visits.push(Visits::default());
                number
            }
        }
    }

    pub(crate) fn values(&self, number: u32) -> &[u32] {
        &self.values[index(number) * self.columns..][..self.columns]
    }

    pub(crate) fn add(&mut self, number: u32, visits: Visits) {
        self.visits[index(number)] += visits;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], Visits)> {
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
            + self.visits.capacity() * size_of::<Visits>()
            + self.known.capacity() * 6
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_without_one_value_add_up() {
        let visits = |all: u64| Visits { all, bots: all / 2 };
        let mut entries = Entries::of(2);
        for (values, all) in [([7, 1], 1), ([7, 2], 2), ([8, 1], 4), ([7, 1], 8)] {
            let number = entries.number(&values);
            entries.add(number, visits(all));
        }
        let bots = entries.visits.iter().map(|visits| visits.bots);
        assert_eq!(bots.collect::<Vec<u64>>(), [4, 1, 2]);
        entries.forget(1);
        let left: Vec<(&[u32], Visits)> = entries.iter().collect();
        let of = |all, bots| Visits { all, bots };
        assert_eq!(left, [(&[7, 0][..], of(11, 5)), (&[8, 0][..], of(4, 2))]);
        assert_eq!(entries.number(&[8, 0]), 1);
    }
}
