//! Builds blocks of rows for the file. It keeps each combination of texts that come together once.

use std::{borrow::Cow, hash::BuildHasher};

use hashbrown::{DefaultHashBuilder, HashTable, hash_table::Entry};
use slugline_analytics::{
    columns::{Family, STORED, TEXTS},
    row::Row,
};
use slugline_domain::Dimension;

use super::{
    block::{Block, Numbers, RowTexts},
    chunk::{Encoder, Span},
    derived::sources,
    dictionary::{Dictionary, Interner, Texts},
    hash::TextKey,
    selection::{index, short},
    values::Values,
};

/// The texts of a visit.
pub(crate) trait TextsOf {
    /// The text of the column with this index in [`TEXTS`].
    fn text(&self, column: usize) -> Cow<'_, str>;

    /// Adds bytes that only equal texts of this column have.
    fn tell_apart(&self, column: usize, key: &mut Vec<u8>) {
        key.extend(self.text(column).as_bytes());
        // A byte that occurs in no text.
        key.push(0xff);
    }
}

impl TextsOf for Row<'_> {
    fn text(&self, column: usize) -> Cow<'_, str> {
        self.text(TEXTS[column].dimension)
    }

    fn tell_apart(&self, column: usize, key: &mut Vec<u8>) {
        let dimension = TEXTS[column].dimension;
        // Numbers become texts only if they are new.
        if dimension == Dimension::Latitude {
            key.extend(self.place.latitude.hundredths().to_le_bytes());
        } else if dimension == Dimension::Longitude {
            key.extend(self.place.longitude.hundredths().to_le_bytes());
        } else {
            key.extend(self.text(dimension).as_bytes());
            // A byte that occurs in no text.
            key.push(0xff);
        }
    }
}

impl TextsOf for RowTexts<'_> {
    fn text(&self, column: usize) -> Cow<'_, str> {
        self.0[column].into()
    }
}

/// Rows that are to become a block, a chunk or a batch.
#[derive(Debug, Default)]
pub(crate) struct BlockBuilder {
    pub(crate) rows: Vec<(Numbers, [u32; Family::STORED.len()])>,
    families: [Entries; Family::STORED.len()],
    /// Families whose texts no question asks for.
    left_out: [bool; Family::STORED.len()],
    /// The families whose columns follow from others and that the question asks for.
    derives: Vec<Family>,
    key: Vec<u8>,
}

/// The different combinations of texts in the columns of a family.
#[derive(Debug, Default)]
pub(crate) struct Entries {
    hash: DefaultHashBuilder,
    known: HashTable<Known>,
    /// The keys of the entries, one after the other: bytes that tell the entries apart.
    keys: Vec<u8>,
    /// The texts of the first entry in the order of columns, then those of the second entry, and so
    /// on.
    texts: Dictionary,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    hash: u64,
    /// The start of the entry's key.
    start: usize,
    length: u32,
    entry: u32,
}

impl Entries {
    pub(crate) fn len(&self) -> usize {
        self.known.len()
    }

    /// The texts of an entry, in the order of the family's columns.
    pub(crate) fn texts(&self, entry: u32) -> impl Iterator<Item = &str> {
        let columns = short(self.texts.len() / self.len().max(1));
        (entry * columns..(entry + 1) * columns).map(|number| self.texts.get(number))
    }

    /// The entry of a key, and whether it is new. The hash is a quick one, because equal keys are
    /// found by comparison.
    fn number(&mut self, key: &[u8]) -> (u32, bool) {
        let entry = short(self.len());
        let Self {
            hash, known, keys, ..
        } = self;
        let hash = hash.hash_one(key);
        let is_same = |known: &Known| {
            let end = known.start + index(known.length);
            known.hash == hash && keys[known.start..end] == *key
        };
        match known.entry(hash, is_same, |known| known.hash) {
            Entry::Occupied(known) => (known.get().entry, false),
            Entry::Vacant(vacant) => {
                vacant.insert(Known {
                    hash,
                    start: keys.len(),
                    length: short(key.len()),
                    entry,
                });
                keys.extend(key);
                (entry, true)
            }
        }
    }
}

impl BlockBuilder {
    /// Makes a builder for rows of which only some columns of texts are needed.
    pub(crate) fn of_columns(columns: &[usize]) -> Self {
        let is_of = |family| move |&column: &usize| TEXTS[column].family == family;
        let mut derives = Family::DERIVED.to_vec();
        derives.retain(|&family| columns.iter().any(is_of(family)));
        let sources = derives.iter().flat_map(|&family| sources(family));
        let read = columns.iter().chain(sources);
        Self {
            left_out: Family::STORED.map(|family| !read.clone().any(is_of(family))),
            derives,
            ..Self::default()
        }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, numbers: Numbers, texts: &impl TextsOf) {
        let codes = Family::STORED.map(|family| self.code(family, texts));
        self.rows.push((numbers, codes));
    }

    /// The entry of a family with these texts; 0 for a family that is left out.
    pub(crate) fn code(&mut self, family: Family, texts: &impl TextsOf) -> u32 {
        if self.leaves_out(family) {
            return 0;
        }
        self.key.clear();
        for &column in family.columns() {
            texts.tell_apart(column, &mut self.key);
        }
        let entries = &mut self.families[family.index()];
        let (code, is_new) = entries.number(&self.key);
        if is_new {
            for &column in family.columns() {
                entries.texts.push(&texts.text(column));
            }
        }
        code
    }

    /// Returns whether no question asks for the texts of a family.
    pub(crate) fn leaves_out(&self, family: Family) -> bool {
        self.left_out[family.index()]
    }

    pub(crate) fn entries(&self, family: Family) -> &Entries {
        &self.families[family.index()]
    }

    /// Adds all rows of a block that has every column.
    pub(crate) fn append(&mut self, block: &Block) {
        // Maps the block's entries to the entries here, for each family.
        let entries = Family::STORED.map(|family| {
            let entry = |entry| {
                let mut texts = [""; STORED];
                for &column in family.columns() {
                    texts[column] = block.texts(column).get(entry);
                }
                self.code(family, &RowTexts(texts))
            };
            let count = short(block.entries(family));
            (0..count).map(entry).collect::<Vec<u32>>()
        });
        for row in 0..block.rows {
            let code = |family: Family| {
                let entry = block.codes(family).at(row);
                entries[family.index()][index(entry)]
            };
            self.rows
                .push((block.numbers(row), Family::STORED.map(code)));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn links(&self) -> impl Iterator<Item = i64> {
        self.rows.iter().map(|(numbers, _)| numbers.link)
    }

    pub(crate) fn numbers(&self, row: usize) -> Numbers {
        self.rows[row].0
    }

    /// All rows, in the order in which they came.
    pub(crate) fn into_block(self) -> Block {
        let mut codes = [const { None }; Family::ALL.len()];
        for family in Family::STORED {
            let code = |(_, codes): &(_, [u32; Family::STORED.len()])| codes[family.index()];
            codes[family.index()] = Some(Values::Each(self.rows.iter().map(code).collect()));
        }
        let mut texts = [const { None }; TEXTS.len()];
        for family in Family::STORED {
            let entries: Vec<u32> = (0..short(self.entries(family).len())).collect();
            for (position, &column) in family.columns().iter().enumerate() {
                let (of, texts_of) = self.column(family, position, &entries);
                let dictionary = texts_of.texts;
                texts[column] = Some(Texts { of, dictionary });
            }
        }
        let rows = || self.rows.iter().map(|(numbers, _)| numbers);
        let mut block = Block {
            rows: self.rows.len(),
            time: Values::Each(rows().map(|row| row.time).collect()),
            interval: Values::Each(rows().map(|row| row.interval).collect()),
            coherent: Values::Each(rows().map(|row| row.coherent.into()).collect()),
            link: Values::Each(rows().map(|row| row.link).collect()),
            visitor: Values::Each(rows().map(|row| row.visitor).collect()),
            codes,
            texts,
            ..Block::default()
        };
        for family in self.derives {
            block.derive(family);
        }
        block
    }

    /// The different texts of some entries of a family, in one of the family's columns.
    fn column(&self, family: Family, position: usize, entries: &[u32]) -> (Vec<u32>, Interner) {
        let all = &self.entries(family).texts;
        let columns = family.columns().len();
        let mut texts = Interner::default();
        let number = |&entry: &u32| texts.number(all.get(short(index(entry) * columns + position)));
        (entries.iter().map(number).collect(), texts)
    }

    /// Encodes some rows, which are in order of link and time, as a chunk.
    pub(crate) fn encode(&self, span: Span, rows: &[usize], key: &TextKey) -> Encoder {
        let mut encoder = Encoder::new(span);
        let mut column = |name, of: &dyn Fn(&Numbers) -> u64| {
            let numbers: Vec<u64> = rows.iter().map(|&row| of(&self.rows[row].0)).collect();
            encoder.numbers(name, &numbers);
        };
        column("si", &|row| row.interval.into());
        column("coh", &|row| row.coherent.into());
        column("ts", &|row| row.time.abs_diff(span.min_ts));
        column("visitor", &|row| row.visitor);
        let (links, ends) = self.link_runs(rows);
        encoder.numbers("links", &links);
        encoder.numbers("link_ends", &ends);
        for family in Family::STORED {
            self.encode_family(family, rows, key, &mut encoder);
        }
        encoder
    }

    fn link_runs(&self, rows: &[usize]) -> (Vec<u64>, Vec<u64>) {
        let link = |row: &usize| self.rows[*row].0.link;
        let mut end = 0;
        rows.chunk_by(|one, next| link(one) == link(next))
            .map(|run| {
                end += u64::from(short(run.len()));
                (link(&run[0]).cast_unsigned(), end)
            })
            .unzip()
    }

    fn encode_family(&self, family: Family, rows: &[usize], key: &TextKey, encoder: &mut Encoder) {
        // The entries of these rows, in the order in which they come. A target belongs to one link,
        // so each link has at least one entry.
        let of_link = family == Family::VisitedLink;
        let mut entries = Vec::new();
        let mut renumbered = vec![None; self.entries(family).len()];
        let mut codes = Vec::with_capacity(rows.len());
        let (mut run, mut before) = (0, None);
        for &row in rows {
            let (numbers, entry) = &self.rows[row];
            let code = entry[family.index()];
            let link = of_link.then_some(numbers.link);
            run += u64::from(before.is_some_and(|before| before != link));
            before = Some(link);
            let new = match renumbered[index(code)] {
                Some((of, new)) if of == link => new,
                Some(_) | None => {
                    let new = short(entries.len());
                    renumbered[index(code)] = Some((link, new));
                    entries.push(code);
                    new
                }
            };
            codes.push(u64::from(new) - run);
        }
        let mut any_known = false;
        for (position, &column) in family.columns().iter().enumerate() {
            let (of, texts) = self.column(family, position, &entries);
            let (of, texts) = sorted(&of, &texts.texts);
            let (name, unknown) = (TEXTS[column].name, TEXTS[column].unknown);
            if texts != [unknown] {
                any_known = true;
                if texts.len() > 1 {
                    encoder.numbers(name, &of);
                }
                encoder.texts(name, texts.into_iter());
            }
        }
        if any_known {
            encoder.numbers(family.name(), &codes);
            let all = self.entries(family);
            let keys = entries.iter().map(|&code| key.fingerprint(all.texts(code)));
            encoder.numbers(family.keys(), &keys.collect::<Vec<u64>>());
        }
    }
}

/// Sorts texts. Returns the new index of each entry's text, and the texts in order.
fn sorted<'t>(of: &[u32], texts: &'t Dictionary) -> (Vec<u64>, Vec<&'t str>) {
    let mut order: Vec<u32> = (0..short(texts.len())).collect();
    order.sort_unstable_by_key(|&number| texts.get(number));
    let mut positions = vec![0; texts.len()];
    for (position, &number) in (0..).zip(&order) {
        positions[index(number)] = position;
    }
    (
        of.iter().map(|&number| positions[index(number)]).collect(),
        order.iter().map(|&number| texts.get(number)).collect(),
    )
}
