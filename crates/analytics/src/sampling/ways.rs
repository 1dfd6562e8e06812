//! A table of bounded size that forgets the least useful values.

/// The number of slots that a key can take.
const WAYS: usize = 4;

/// Values by key. A new key replaces the coldest of the few others that share its slots, so every
/// operation takes constant time and space.
pub(super) struct Ways<V> {
    slots: Vec<(u64, V)>,
    room: usize,
}

impl<V: Clone + Default> Ways<V> {
    /// A table for `room` values, a power of two. It allocates at the first value.
    pub(super) fn new(room: usize) -> Self {
        debug_assert!(room.is_power_of_two() && room >= WAYS);
        Self {
            slots: Vec::new(),
            room,
        }
    }

    /// The value of a key, new if it has none. The lower bits of keys must be
    /// evenly spread. A new value has to be among the coldest.
    pub(super) fn entry(&mut self, key: u64, heat: impl Fn(&V) -> f64) -> &mut V {
        if self.slots.is_empty() {
            self.slots.resize(self.room, (0, V::default()));
        }
        let mask = u64::try_from(self.room / WAYS - 1).expect("a table is small");
        let set = usize::try_from(key & mask).expect("a table is small") * WAYS;
        let ways = &mut self.slots[set..set + WAYS];
        let found = ways.iter().position(|(present, _)| *present == key);
        let way = found.unwrap_or_else(|| {
            let coldest = (0..WAYS).min_by(|&a, &b| heat(&ways[a].1).total_cmp(&heat(&ways[b].1)));
            coldest.expect("there are several ways")
        });
        if found.is_none() {
            ways[way] = (key, V::default());
        }
        &mut ways[way].1
    }

    /// Removes all values.
    pub(super) fn clear(&mut self) {
        self.slots = Vec::new();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(table: &mut Ways<u16>, key: u64) -> u16 {
        let value = table.entry(key, |&value| f64::from(value));
        *value += 1;
        *value
    }

    #[test]
    fn a_value_is_found_again() {
        let mut table = Ways::new(64);
        for key in 0..64 {
            assert_eq!(count(&mut table, key), 1);
        }
        for key in 0..64 {
            assert_eq!(count(&mut table, key), 2);
        }
        table.clear();
        assert_eq!(count(&mut table, 7), 1);
    }

    #[test]
    fn the_coldest_goes_when_there_is_no_room() {
        let mut table = Ways::new(WAYS);
        for _ in 0..100 {
            count(&mut table, 1_000);
        }
        for key in 0..500 {
            assert_eq!(count(&mut table, key), 1);
        }
        assert_eq!(count(&mut table, 1_000), 101);
        assert_eq!(count(&mut table, 0), 1);
        assert_eq!(table.slots.len(), WAYS);
    }
}
