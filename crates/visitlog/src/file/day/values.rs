//! The values of a day's columns of texts, each with its visits and visitors.
//!
//! A list is stored with all values or not at all, because only whole lists give the number of
//! values over several days and their order. A list is stored if there is room. Days with very many
//! values have long lists; questions scan the rows of such days.
//!
//! People and bots share the texts of these lists. Of bots there are visits and visitors of each
//! value, mostly none. People's visits are the others. People's visitors are also those of all
//! without those of bots, but for the visitors who are both: these would be missing, so there is a
//! list of them, too.
//!
//! Strangers choose user agents, referers and names of campaigns, so a day may have any number of
//! them. The count takes bounded memory: when its texts need more, it gives up the column with the
//! most of them, which has no list then, and goes on with the others.

use std::collections::HashMap;

use slugline_analytics::columns::{Family, TEXTS, text_of};
use slugline_domain::Dimension;

use super::{
    entries::{Entries, Visits},
    segment::Segment,
};
use crate::format::{
    block::Block,
    chunk::Encoder,
    dictionary::Interner,
    front_coded,
    selection::{index, short},
    skewed,
};

/// The room for the lists of a day, and once more for what people and bots need besides: a number of
/// bytes, and hundredths of a byte for each row.
const ROOM: usize = 8 << 10;
const ROOM_PER_HUNDRED_ROWS: usize = 75;

/// The bytes that all texts and their combinations may take. The lists for which there is room take
/// less than a fortieth of it on a day of a million visits.
const MOST_BYTES: usize = 32 << 20;

/// The bytes of a text's visits and visitors, which come on top of the text.
const BYTES_PER_TEXT: usize = 72;

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

/// The column with the visitors of a value who are people in some visits and bots in others, each
/// with the larger of both numbers that it counts for. Absent if there are none.
pub(crate) fn shared_of(column: usize) -> String {
    format!("{} shared", TEXTS[column].name)
}

/// A row that counts for visitors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) visitor: u64,
    pub(crate) quarter: u8,
    pub(crate) interval: u32,
    pub(crate) is_bot: bool,
    /// The entry of each family.
    pub(crate) entries: [u32; Family::ALL.len()],
}

/// Counts values.
#[derive(Debug)]
pub(crate) struct ValueCounts {
    texts: Vec<Interner>,
    given_up: [bool; TEXTS.len()],
    families: [Entries; Family::ALL.len()],
    visitors: Vec<Visitors>,
    most_bytes: usize,
}

impl Default for ValueCounts {
    fn default() -> Self {
        Self::within(MOST_BYTES)
    }
}

impl ValueCounts {
    fn within(most_bytes: usize) -> Self {
        Self {
            texts: TEXTS.iter().map(|_| Interner::default()).collect(),
            given_up: [false; TEXTS.len()],
            families: Family::ALL.map(|family| Entries::of(family.columns().len())),
            visitors: TEXTS.iter().map(|_| Visitors::default()).collect(),
            most_bytes,
        }
    }

    /// The columns of a family that are counted.
    pub(crate) fn counted(&self, family: Family) -> impl Iterator<Item = usize> {
        let columns = family.columns().iter().copied();
        columns.filter(|&column| !self.given_up[column])
    }

    /// Adds the visits of each entry of a family in a block, by its entry here.
    pub(crate) fn add(
        &mut self,
        family: Family,
        entries: &[u32],
        visits: impl Iterator<Item = Visits>,
    ) {
        for (&entry, visits) in entries.iter().zip(visits) {
            self.families[family.index()].add(entry, visits);
        }
    }

    /// Maps a family's entries in a block, which has the columns that are counted, to the entries
    /// here; `None` if none of the family's columns is counted. Entries of before may get new
    /// numbers.
    pub(crate) fn entries(&mut self, block: &Block, family: Family) -> Option<Vec<u32>> {
        while self.counted(family).next().is_some() {
            let entries = self.try_entries(block, family);
            if entries.is_some() {
                return entries;
            }
            self.give_up_largest();
        }
        None
    }

    /// `None` if the texts need too much memory.
    fn try_entries(&mut self, block: &Block, family: Family) -> Option<Vec<u32>> {
        /// The number of entries between two looks at the memory.
        const LOOK: u32 = 1_024;
        let mut found = Vec::new();
        let mut values = vec![0; family.columns().len()];
        for entry in 0..short(block.entries(family)) {
            for (value, &column) in values.iter_mut().zip(family.columns()) {
                if !self.given_up[column] {
                    let text = block.texts(column).get(entry);
                    *value = self.texts[column].number(text);
                }
            }
            found.push(self.families[family.index()].number(&values));
            if entry % LOOK == 0 && self.bytes() > self.most_bytes {
                return None;
            }
        }
        (self.bytes() <= self.most_bytes).then_some(found)
    }

    /// Forgets the texts of the column with the most bytes in the family with the most bytes.
    fn give_up_largest(&mut self) {
        let families = Family::ALL.into_iter();
        let family = families
            .filter(|&family| self.counted(family).next().is_some())
            .max_by_key(|&family| self.bytes_of(family));
        let Some(family) = family else {
            return;
        };
        let column = self
            .counted(family)
            .max_by_key(|&column| self.bytes_of_texts(column));
        let position = family.columns().iter().position(|&of| Some(of) == column);
        let (Some(column), Some(position)) = (column, position) else {
            return;
        };
        self.given_up[column] = true;
        self.texts[column] = Interner::default();
        self.families[family.index()].forget(position);
    }

    fn bytes(&self) -> usize {
        let families = Family::ALL.into_iter();
        families.map(|family| self.bytes_of(family)).sum()
    }

    fn bytes_of(&self, family: Family) -> usize {
        let texts = self.counted(family);
        let texts: usize = texts.map(|column| self.bytes_of_texts(column)).sum();
        texts + self.families[family.index()].bytes()
    }

    fn bytes_of_texts(&self, column: usize) -> usize {
        let texts = &self.texts[column];
        texts.bytes() + texts.texts.len() * BYTES_PER_TEXT
    }

    /// Adds a visitor with all its rows.
    pub(crate) fn add_visitor(&mut self, rows: &[Seen]) {
        for family in Family::ALL {
            if self.counted(family).next().is_none() {
                continue;
            }
            let entries = |of_bots: bool| {
                let rows = rows.iter().filter(|row| row.is_bot == of_bots);
                let entries = rows.map(|row| (row.entries[family.index()], row.interval));
                smallest(entries.collect())
            };
            let (people, bots) = (entries(false), entries(true));
            let known = &self.families[family.index()];
            for (position, &column) in family.columns().iter().enumerate() {
                if self.given_up[column] {
                    continue;
                }
                let values = |entries: &[(u32, u32)]| {
                    let value = |entry| known.values(entry)[position];
                    let values = entries
                        .iter()
                        .map(|&(entry, interval)| (value(entry), interval));
                    smallest(values.collect())
                };
                self.visitors[column].add(values(&people), values(&bots));
            }
        }
    }

    /// Writes the lists for which there is room: first the referring hosts, which counters need,
    /// then the shorter lists before the longer ones. The segments have room of their own.
    pub(crate) fn encode(&self, (rows, with_visitors): (usize, bool), encoders: &mut [Encoder; 3]) {
        let lists = (0..TEXTS.len()).filter_map(|column| self.list(column, with_visitors));
        let mut lists: Vec<List> = lists.collect();
        let first = text_of(Dimension::Referer);
        lists.sort_by_key(|list| (list.column != first, list.bytes, list.column));
        let mut room = Room::of(rows);
        let mut room_of_segments = Room::of(rows);
        lists.retain(|list| room.take(list.bytes));
        for list in &mut lists {
            list.has_segments = room_of_segments.take(list.bytes_of_segments());
        }
        lists.sort_by_key(|list| list.column);
        let [all, people, bots] = encoders;
        for list in &lists {
            let name = TEXTS[list.column].name;
            let texts = &self.texts[list.column].texts;
            let name = Segment::All.column(name);
            all.texts(&name, list.values.iter().map(|&value| texts.get(value)));
            list.all.put(Segment::All, list.column, all);
            if !list.has_segments {
                continue;
            }
            list.bots.put(Segment::Bots, list.column, bots);
            if let Some(shared) = &list.shared {
                let name = Segment::People.column(&shared_of(list.column));
                skewed::put(people, &name, shared);
            }
        }
        let places = place_columns().map(|column| lists.iter().find(|list| list.column == column));
        if let [Some(city), Some(latitude), Some(longitude)] = places {
            let lists = [city, latitude, longitude];
            let rooms = (&mut room, &mut room_of_segments);
            self.encode_places(lists, rooms, (all, bots));
        }
    }

    /// The values of a column that have visits, in order; `None` if they are not known.
    fn list(&self, column: usize, with_visitors: bool) -> Option<List> {
        let family = TEXTS[column].family;
        let known = &self.families[family.index()];
        if self.given_up[column] {
            return None;
        }
        let position = family.columns().iter().position(|&of| of == column)?;
        let texts = &self.texts[column].texts;
        let mut sums = vec![Visits::default(); texts.len()];
        for (values, of_entry) in known.iter() {
            sums[index(values[position])] += of_entry;
        }
        let mut values: Vec<u32> = (0..short(sums.len()))
            .filter(|&value| sums[index(value)].all > 0)
            .collect();
        values.sort_unstable_by_key(|&value| texts.get(value));
        let of_each = |sum: fn(Visits) -> u64, visitors: &[u64]| {
            let of = |numbers: &[u64], value: u32| numbers.get(index(value)).copied().unwrap_or(0);
            let visits: Vec<u64> = values
                .iter()
                .map(|&value| sum(sums[index(value)]))
                .collect();
            let beyond = values.iter().zip(&visits);
            let beyond = beyond.map(|(&value, visits)| visits.saturating_sub(of(visitors, value)));
            let beyond = with_visitors.then(|| beyond.collect());
            Numbers { visits, beyond }
        };
        let visitors = &self.visitors[column];
        let all = of_each(|visits| visits.all, &visitors.all);
        let bots = of_each(|visits| visits.bots, &visitors.bots);
        let shared = values
            .iter()
            .map(|&value| visitors.shared.get(index(value)).copied().unwrap_or(0));
        let shared: Option<Vec<u64>> = (!visitors.shared.is_empty()).then(|| shared.collect());
        let (text, _) = front_coded::write(values.iter().map(|&value| texts.get(value)));
        let bytes = text.len() + all.bytes();
        Some(List {
            column,
            values,
            all,
            bots,
            shared,
            bytes,
            has_segments: false,
        })
    }

    /// Writes the combinations of three lists.
    fn encode_places(
        &self,
        lists: [&List; 3],
        (room, room_of_segments): (&mut Room, &mut Room),
        (all, bots): (&mut Encoder, &mut Encoder),
    ) {
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
        let mut sums: HashMap<[u64; 3], Visits> = HashMap::new();
        for (values, visits) in known.iter() {
            let combination = shown
                .each_ref()
                .map(|(of_family, positions)| positions[index(values[*of_family])]);
            *sums.entry(combination).or_default() += visits;
        }
        let mut places: Vec<([u64; 3], Visits)> = sums
            .into_iter()
            .filter(|(_, visits)| visits.all > 0)
            .collect();
        places.sort_unstable_by_key(|(combination, _)| *combination);
        let of = |of: usize| -> Vec<u64> {
            let of_each = places.iter().map(|(combination, _)| combination[of]);
            of_each.collect()
        };
        let columns = [0, 1, 2].map(of);
        let visits: Vec<u64> = places.iter().map(|(_, visits)| visits.all).collect();
        let of_bots: Vec<u64> = places.iter().map(|(_, visits)| visits.bots).collect();
        let bytes: usize = columns
            .iter()
            .map(|column| skewed::packed_bytes(column))
            .sum();
        if !room.take(bytes + skewed::bytes(&visits)) {
            return;
        }
        for (name, column) in PLACES.into_iter().zip(columns) {
            all.numbers(&Segment::All.column(name), &column);
        }
        let name = |segment: Segment| segment.column(PLACE_VISITS);
        skewed::put(all, &name(Segment::All), &visits);
        if room_of_segments.take(skewed::bytes(&of_bots)) {
            skewed::put(bots, &name(Segment::Bots), &of_bots);
        }
    }
}

/// The values of a column with their numbers.
#[derive(Debug)]
struct List {
    column: usize,
    values: Vec<u32>,
    all: Numbers,
    bots: Numbers,
    /// The visitors who are both people and bots; `None` without any.
    shared: Option<Vec<u64>>,
    /// The room that the texts and the numbers of all visits take.
    bytes: usize,
    /// There is also room for the numbers of people and bots.
    has_segments: bool,
}

impl List {
    fn bytes_of_segments(&self) -> usize {
        self.bots.bytes() + self.shared.as_deref().map_or(0, skewed::bytes)
    }
}

/// Visits of each value of a column in a segment.
#[derive(Debug)]
struct Numbers {
    visits: Vec<u64>,
    /// Visits minus visitors for each value; a value never has more visitors than visits.
    beyond: Option<Vec<u64>>,
}

impl Numbers {
    fn bytes(&self) -> usize {
        skewed::bytes(&self.visits) + self.beyond.as_deref().map_or(0, skewed::bytes)
    }

    fn put(&self, segment: Segment, column: usize, encoder: &mut Encoder) {
        let name = segment.column(TEXTS[column].name);
        skewed::put(encoder, &name, &self.visits);
        if let Some(beyond) = &self.beyond {
            let name = segment.column(&beyond_visitors_of(column));
            skewed::put(encoder, &name, beyond);
        }
    }
}

/// The room that is left for lists, in bytes.
#[derive(Debug)]
struct Room(usize);

impl Room {
    fn of(rows: usize) -> Self {
        Self(ROOM + rows / 100 * ROOM_PER_HUNDRED_ROWS)
    }

    /// Takes room for a list. Returns whether there was enough.
    fn take(&mut self, bytes: usize) -> bool {
        let left = self.0.checked_sub(bytes);
        self.0 = left.unwrap_or(self.0);
        left.is_some()
    }
}

/// Visitors of each value of a column.
#[derive(Debug, Default)]
struct Visitors {
    all: Vec<u64>,
    bots: Vec<u64>,
    /// Those who are also people, each with the larger of both numbers.
    shared: Vec<u64>,
}

impl Visitors {
    /// Adds a visitor with the values of its visits as a person and as a bot, each value once with
    /// its smallest interval.
    fn add(&mut self, mut people: Vec<(u32, u32)>, bots: Vec<(u32, u32)>) {
        for &(value, interval) in &bots {
            add(&mut self.bots, value, interval);
            let as_person = people.binary_search_by_key(&value, |(value, _)| *value);
            if let Ok(place) = as_person {
                add(&mut self.shared, value, people[place].1.max(interval));
            }
        }
        people.extend(bots);
        for (value, interval) in smallest(people) {
            add(&mut self.all, value, interval);
        }
    }
}

/// Adds to the number of a value.
fn add(numbers: &mut Vec<u64>, value: u32, interval: u32) {
    let value = index(value);
    if value >= numbers.len() {
        numbers.resize(value + 1, 0);
    }
    numbers[value] += u64::from(interval);
}

/// Keeps each key once, with its smallest number.
fn smallest(mut pairs: Vec<(u32, u32)>) -> Vec<(u32, u32)> {
    if pairs.len() > 1 {
        pairs.sort_unstable();
        pairs.dedup_by_key(|(key, _)| *key);
    }
    pairs
}
