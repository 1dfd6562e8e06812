//! The values of a day's columns of texts, each with its visits and visitors.
//!
//! A list is stored with all values or not at all, because only whole lists give the number of
//! values over several days and their order. A list is stored if there is room. Days with very many
//! values have long lists; questions scan the rows of such days.

use std::collections::HashMap;

use slugline_analytics::columns::{Family, TEXTS, text_of};
use slugline_domain::Dimension;

use crate::format::{
    block::Block,
    chunk::Encoder,
    dictionary::Interner,
    front_coded,
    selection::{index, short},
    skewed,
};

/// The room for the lists of a day: a number of bytes, and hundredths of a byte for each row.
const ROOM: usize = 8 << 10;
const ROOM_PER_HUNDRED_ROWS: usize = 75;

/// The most different entries of a family. Beyond that, the day has no lists of its columns.
const ENTRIES_MAX: usize = 1 << 18;

/// The columns of a place on the map.
pub(crate) fn place_columns() -> [usize; 3] {
    [Dimension::City, Dimension::Latitude, Dimension::Longitude].map(text_of)
}

/// The names of the columns of places.
pub(crate) const PLACES: [&str; 3] = ["place_city", "place_latitude", "place_longitude"];
pub(crate) const PLACE_VISITS: &str = "place_visits";

/// The column with visits minus visitors for each value of a column. It takes less room than the
/// numbers of visitors.
pub(crate) fn beyond_visitors_of(column: usize) -> String {
    format!("{} beyond", TEXTS[column].name)
}

/// A row that counts for visitors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) visitor: u64,
    pub(crate) quarter: u8,
    pub(crate) interval: u32,
    /// The entry of each family.
    pub(crate) entries: [u32; Family::ALL.len()],
}

/// Counts values.
#[derive(Debug)]
pub(crate) struct ValueCounts {
    texts: Vec<Interner>,
    families: [Entries; Family::ALL.len()],
    visitors: Vec<Vec<u64>>,
}

/// The combinations of values of a family's columns.
#[derive(Debug, Default)]
struct Entries {
    known: HashMap<Box<[u32]>, u32>,
    /// The values of each entry, one for each column.
    values: Vec<Box<[u32]>>,
    visits: Vec<u64>,
    too_many: bool,
}

impl Default for ValueCounts {
    fn default() -> Self {
        Self {
            texts: TEXTS.iter().map(|_| Interner::default()).collect(),
            families: Default::default(),
            visitors: vec![Vec::new(); TEXTS.len()],
        }
    }
}

impl ValueCounts {
    /// Adds the visits of a chunk's rows.
    pub(crate) fn add(&mut self, block: &Block) {
        for family in Family::ALL {
            let entries = self.entries(block, family);
            let visits = block.visits_of_entries(family);
            let known = &mut self.families[family.index()];
            for (entry, visits) in entries.into_iter().zip(visits) {
                if let Some(sum) = known.visits.get_mut(index(entry)) {
                    *sum += visits;
                }
            }
        }
    }

    /// Maps a family's entries in a block to the entries here.
    pub(crate) fn entries(&mut self, block: &Block, family: Family) -> Vec<u32> {
        let entries = &mut self.families[family.index()];
        let count = block.entries(family);
        if entries.too_many {
            return vec![0; count];
        }
        let columns = family.columns();
        let mut found = Vec::with_capacity(count);
        for entry in 0..short(count) {
            let values = columns.iter().map(|&column| {
                let text = block.texts(column).get(entry);
                self.texts[column].number(text)
            });
            let values: Box<[u32]> = values.collect();
            let next = short(entries.values.len());
            let known = *entries.known.entry(values).or_insert_with_key(|values| {
                entries.values.push(values.clone());
                entries.visits.push(0);
                next
            });
            found.push(known);
        }
        if entries.values.len() > ENTRIES_MAX {
            *entries = Entries {
                too_many: true,
                ..Entries::default()
            };
            for &column in columns {
                self.texts[column] = Interner::default();
            }
        }
        found
    }

    /// Adds a visitor with all its rows.
    pub(crate) fn add_visitor(&mut self, rows: &[Seen]) {
        for family in Family::ALL {
            let known = &self.families[family.index()];
            if known.too_many {
                continue;
            }
            let entries = rows
                .iter()
                .map(|row| (row.entries[family.index()], row.interval));
            let entries = smallest(entries.collect());
            for (position, &column) in family.columns().iter().enumerate() {
                let values = entries.iter().map(|&(entry, interval)| {
                    let values = &known.values[index(entry)];
                    (values[position], interval)
                });
                let visitors = &mut self.visitors[column];
                for (value, interval) in smallest(values.collect()) {
                    let value = index(value);
                    if value >= visitors.len() {
                        visitors.resize(value + 1, 0);
                    }
                    visitors[value] += u64::from(interval);
                }
            }
        }
    }

    /// Writes the lists for which there is room: first the referring hosts, which counters need,
    /// then the shorter lists before the longer ones.
    pub(crate) fn encode(&self, rows: usize, with_visitors: bool, encoder: &mut Encoder) {
        let lists = (0..TEXTS.len()).filter_map(|column| self.list(column, with_visitors));
        let mut lists: Vec<List> = lists.collect();
        let first = text_of(Dimension::Referer);
        lists.sort_by_key(|list| (list.column != first, list.bytes, list.column));
        let mut room = ROOM + rows / 100 * ROOM_PER_HUNDRED_ROWS;
        lists.retain(|list| {
            let fits = list.bytes <= room;
            room -= if fits { list.bytes } else { 0 };
            fits
        });
        lists.sort_by_key(|list| list.column);
        for list in &lists {
            let name = TEXTS[list.column].name;
            let texts = &self.texts[list.column].texts;
            encoder.texts(name, list.values.iter().map(|&value| texts.get(value)));
            skewed::put(encoder, name, &list.visits);
            if let Some(beyond) = &list.beyond_visitors {
                skewed::put(encoder, &beyond_visitors_of(list.column), beyond);
            }
        }
        let places = place_columns().map(|column| lists.iter().find(|list| list.column == column));
        if let [Some(city), Some(latitude), Some(longitude)] = places {
            self.encode_places([city, latitude, longitude], room, encoder);
        }
    }

    /// The values of a column that have visits, in order; `None` if they are not known.
    fn list(&self, column: usize, with_visitors: bool) -> Option<List> {
        let family = TEXTS[column].family;
        let known = &self.families[family.index()];
        if known.too_many {
            return None;
        }
        let position = family.columns().iter().position(|&of| of == column)?;
        let texts = &self.texts[column].texts;
        let mut sums = vec![0; texts.len()];
        for (values, of_entry) in known.values.iter().zip(&known.visits) {
            sums[index(values[position])] += of_entry;
        }
        let mut values: Vec<u32> = (0..short(sums.len()))
            .filter(|&value| sums[index(value)] > 0)
            .collect();
        values.sort_unstable_by_key(|&value| texts.get(value));
        let visits: Vec<u64> = values.iter().map(|&value| sums[index(value)]).collect();
        let visitors = |value: u32| {
            self.visitors[column]
                .get(index(value))
                .copied()
                .unwrap_or(0)
        };
        let beyond = values.iter().zip(&visits);
        let beyond = beyond.map(|(&value, visits)| visits.saturating_sub(visitors(value)));
        let beyond_visitors: Option<Vec<u64>> = with_visitors.then(|| beyond.collect());
        let (text, _) = front_coded::write(values.iter().map(|&value| texts.get(value)));
        let bytes = text.len()
            + skewed::bytes(&visits)
            + beyond_visitors.as_deref().map_or(0, skewed::bytes);
        Some(List {
            column,
            values,
            visits,
            beyond_visitors,
            bytes,
        })
    }

    /// Writes the combinations of three lists.
    fn encode_places(&self, lists: [&List; 3], room: usize, encoder: &mut Encoder) {
        let known = &self.families[Family::Place.index()];
        let columns = Family::Place.columns();
        let shown = lists.map(|list| {
            let mut positions = vec![0; self.texts[list.column].texts.len()];
            for (position, &value) in (0_u64..).zip(&list.values) {
                positions[index(value)] = position;
            }
            let of_family = columns
                .iter()
                .position(|&of| of == list.column)
                .unwrap_or(0);
            (of_family, positions)
        });
        let mut sums: HashMap<[u64; 3], u64> = HashMap::new();
        for (values, visits) in known.values.iter().zip(&known.visits) {
            let combination = shown
                .each_ref()
                .map(|(of_family, positions)| positions[index(values[*of_family])]);
            *sums.entry(combination).or_default() += visits;
        }
        let mut places: Vec<([u64; 3], u64)> =
            sums.into_iter().filter(|(_, visits)| *visits > 0).collect();
        places.sort_unstable();
        let of = |of: usize| -> Vec<u64> {
            let of_each = places.iter().map(|(combination, _)| combination[of]);
            of_each.collect()
        };
        let columns = [0, 1, 2].map(of);
        let visits: Vec<u64> = places.iter().map(|&(_, visits)| visits).collect();
        let bytes: usize = columns
            .iter()
            .map(|column| skewed::packed_bytes(column))
            .sum();
        if bytes + skewed::bytes(&visits) > room {
            return;
        }
        for (name, column) in PLACES.into_iter().zip(columns) {
            encoder.numbers(name, &column);
        }
        skewed::put(encoder, PLACE_VISITS, &visits);
    }
}

/// The values of a column with their visits, and the room that they take.
#[derive(Debug)]
struct List {
    column: usize,
    values: Vec<u32>,
    visits: Vec<u64>,
    /// Visits minus visitors for each value; a value never has more visitors than visits.
    beyond_visitors: Option<Vec<u64>>,
    bytes: usize,
}

/// Keeps each key once, with its smallest number.
fn smallest(mut pairs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    if pairs.len() > 1 {
        pairs.sort_unstable();
        pairs.dedup_by_key(|(key, _)| *key);
    }
    pairs
}
