//! Rows on their way into chunks: each text is there once.

use std::{
    borrow::Cow,
    hash::{BuildHasher, Hash, Hasher, RandomState},
};

use crate::engine::{
    read::{
        block::{Block, Texts},
        dictionary::{Dictionary, Interner},
        selection::{index, short},
        values::Values,
    },
    store::{
        chunk::{Encoder, Span},
        columns::{Family, TEXTS},
        text_key::TextKey,
    },
};
use crate::{number_map::NumberMap, row::Row};

/// Everything about a visit that is no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Numbers {
    pub(crate) time: i64,
    pub(crate) link: i64,
    pub(crate) visitor: u64,
    pub(crate) interval: u32,
    pub(crate) coherent: bool,
}

impl Numbers {
    /// Those of a row, whose link has this number.
    pub(crate) fn of(row: &Row<'_>, link: i64) -> Self {
        Self {
            time: row.at.get(),
            link,
            visitor: row.visitor.0,
            interval: row.sampled.interval.get(),
            coherent: row.sampled.coherent,
        }
    }
}

/// The texts of a visit.
pub(crate) trait TextsOf {
    /// Tells those of a family from others.
    fn fingerprint(&self, key: &RandomState, family: Family) -> u64;

    /// That of the column at a place of [`TEXTS`].
    fn text(&self, column: usize) -> Cow<'_, str>;
}

impl TextsOf for Row<'_> {
    fn fingerprint(&self, key: &RandomState, family: Family) -> u64 {
        match family {
            Family::Target => key.hash_one((self.target.slug, self.target.url)),
            Family::Client => key.hash_one(self.client),
            Family::Place => key.hash_one(self.place),
            Family::Referer => key.hash_one(self.referer.as_ref()),
            Family::Language => key.hash_one(self.language),
        }
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        self.text(TEXTS[column].dimension)
    }
}

/// The texts of a row that was stored before.
#[derive(Debug)]
pub(crate) struct RowTexts<'r>(pub(crate) [&'r str; TEXTS.len()]);

impl TextsOf for RowTexts<'_> {
    fn fingerprint(&self, key: &RandomState, family: Family) -> u64 {
        let mut hasher = key.build_hasher();
        for column in family.columns() {
            self.0[column].hash(&mut hasher);
        }
        hasher.finish()
    }

    fn text(&self, column: usize) -> Cow<'_, str> {
        self.0[column].into()
    }
}

/// Some rows.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    key: RandomState,
    rows: Vec<(Numbers, [u32; Family::ALL.len()])>,
    /// The entries of each family, by the fingerprints of their texts.
    families: [NumberMap<u32>; Family::ALL.len()],
    /// Of each column, the texts of the entries of its family.
    columns: [Drafted; TEXTS.len()],
    /// Families of which no text is asked for.
    left_out: [bool; Family::ALL.len()],
}

#[derive(Debug, Default)]
struct Drafted {
    of: Vec<u32>,
    texts: Interner,
}

impl Drafted {
    /// The text of an entry.
    fn text(&self, entry: u32) -> &str {
        self.texts.texts.get(self.of[index(entry)])
    }
}

impl Draft {
    /// For rows of which only some columns of texts are asked for.
    pub(crate) fn of_columns(columns: &[usize]) -> Self {
        let is_asked_for = |family| columns.iter().any(|&column| TEXTS[column].family == family);
        Self {
            left_out: Family::ALL.map(|family| !is_asked_for(family)),
            ..Self::default()
        }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, numbers: Numbers, texts: &impl TextsOf) {
        let codes = Family::ALL.map(|family| {
            if self.left_out[family.index()] {
                0
            } else {
                self.code(family, texts)
            }
        });
        self.rows.push((numbers, codes));
    }

    /// The entry of a family with these texts.
    fn code(&mut self, family: Family, texts: &impl TextsOf) -> u32 {
        let known = &mut self.families[family.index()];
        let next = short(known.len());
        let fingerprint = texts.fingerprint(&self.key, family);
        let code = *known.entry(fingerprint).or_insert(next);
        if code == next {
            for column in family.columns() {
                let drafted = &mut self.columns[column];
                let number = drafted.texts.number(&texts.text(column));
                drafted.of.push(number);
            }
        }
        code
    }

    /// Adds all rows of a block that has every column.
    pub(crate) fn append(&mut self, block: &Block) {
        // Of each family, the entries here of those there.
        let entries = Family::ALL.map(|family| {
            let entry = |entry| {
                let text = |column| block.texts(column).get(entry);
                let mut texts = [""; TEXTS.len()];
                for column in family.columns() {
                    texts[column] = text(column);
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
            self.rows.push((block.numbers(row), Family::ALL.map(code)));
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn numbers(&self, row: usize) -> Numbers {
        self.rows[row].0
    }

    /// All rows, in the order in which they came.
    pub(crate) fn into_block(self) -> Block {
        let codes = Family::ALL.map(|family| {
            let code = |(_, codes): &(_, [u32; 5])| codes[family.index()];
            Some(Values::Each(self.rows.iter().map(code).collect()))
        });
        let texts = self.columns.map(|column| {
            Some(Texts {
                of: column.of,
                dictionary: column.texts.texts,
            })
        });
        let rows = || self.rows.iter().map(|(numbers, _)| numbers);
        Block {
            rows: self.rows.len(),
            time: Values::Each(rows().map(|row| row.time).collect()),
            interval: Values::Each(rows().map(|row| row.interval).collect()),
            coherent: Values::Each(rows().map(|row| row.coherent.into()).collect()),
            link: Values::Each(rows().map(|row| row.link).collect()),
            visitor: Values::Each(rows().map(|row| row.visitor).collect()),
            codes,
            texts,
            ..Block::default()
        }
    }

    /// Writes some rows, which are in order of link and time, as a chunk.
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
        for family in Family::ALL {
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
        // The entries that these rows have, in the order in which they come. Those
        // of a target are of one link, so that there is one for each link at least.
        let of_link = family == Family::Target;
        let mut entries = Vec::new();
        let mut renumbered = vec![None; self.families[family.index()].len()];
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
        for column in family.columns() {
            let drafted = &self.columns[column];
            let of = entries.iter().map(|&code| drafted.of[index(code)]);
            let (of, texts) = sorted(of.collect(), &drafted.texts.texts);
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
            let key = |&code: &u32| {
                let columns = family.columns().map(|column| &self.columns[column]);
                key.fingerprint(columns.map(|drafted| drafted.text(code)))
            };
            let keys: Vec<u64> = entries.iter().map(key).collect();
            encoder.numbers(family.keys(), &keys);
        }
    }
}

/// The texts that entries have, in order, and which of them each has.
fn sorted(of: Vec<u32>, texts: &Dictionary) -> (Vec<u64>, Vec<&str>) {
    let mut used = of.clone();
    used.sort_unstable();
    used.dedup();
    used.sort_unstable_by_key(|&number| texts.get(number));
    let mut places = vec![0; texts.len()];
    for (place, &number) in (0..).zip(&used) {
        places[index(number)] = place;
    }
    let of = of.into_iter().map(|number| places[index(number)]).collect();
    (
        of,
        used.into_iter().map(|number| texts.get(number)).collect(),
    )
}
