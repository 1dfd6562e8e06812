//! Rows in memory, column by column.

use super::{
    chunk::Chunk,
    selection::{Selection, index, short},
    texts::Texts,
    values::Values,
};
use crate::engine::{
    store::{
        chunk::{self, ChunkError},
        columns::{Column, Family, TEXTS},
        error::EngineError,
    },
    write::draft::Numbers,
};

/// Some rows. Columns that were not asked for are empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub(crate) rows: usize,
    /// The moment after which there is no row in this block nor in those that a scan
    /// hands over after it, if that is known.
    pub(crate) no_later_than: Option<i64>,
    /// Milliseconds since 1970.
    pub(crate) time: Values<i64>,
    pub(crate) interval: Values<u32>,
    /// 1 where the row says something about the number of visitors.
    pub(crate) coherent: Values<u8>,
    pub(crate) link: Values<i64>,
    pub(crate) visitor: Values<u64>,
    /// Of each family, the entry that each row has.
    pub(crate) codes: [Option<Values<u32>>; Family::ALL.len()],
    /// Of a family, the rows of each entry, if that is all that was read.
    pub(crate) counts: [Option<Vec<u32>>; Family::ALL.len()],
    /// Of a family, how many entries the rows can have at most.
    pub(crate) most: [Option<usize>; Family::ALL.len()],
    /// Of a family, the fingerprints of its entries' texts.
    pub(crate) keys: [Option<Vec<u64>>; Family::ALL.len()],
    /// The rows before which those of each target's end, if all rows of a chunk
    /// are there and the rows of each target are one run.
    pub(crate) target_ends: Option<Vec<u32>>,
    /// Of families of which only a few entries are left, their numbers in the
    /// chunk.
    pub(crate) few: [Option<Vec<u32>>; Family::ALL.len()],
    /// Of each column of texts, those of its family's entries.
    pub(crate) texts: [Option<Texts>; TEXTS.len()],
}

impl Block {
    /// All of a chunk.
    pub(crate) fn whole(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
        let mut block = Self::essential(chunk)?;
        for text in 0..TEXTS.len() {
            block.load(chunk, Column::Text(text), &Selection::All)?;
        }
        Ok(block)
    }

    /// The columns of a chunk without which its rows say nothing.
    pub(crate) fn essential(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
        let mut block = Self {
            rows: index(chunk.span().rows),
            ..Self::default()
        };
        for column in [
            Column::Time,
            Column::Interval,
            Column::Coherent,
            Column::Link,
            Column::Visitor,
        ] {
            block.load(chunk, column, &Selection::All)?;
        }
        Ok(block)
    }

    /// Takes a column of texts for unknown in all rows.
    pub(crate) fn forget(&mut self, column: usize) {
        self.codes[TEXTS[column].family.index()].get_or_insert(Values::Same(0));
        self.texts[column] = Some(Texts::unknown(column));
    }

    /// Takes a column of texts for unknown in all rows, whatever their entries are.
    pub(super) fn hide(&mut self, column: usize) {
        self.texts[column] = Some(Texts::unknown(column));
    }

    /// The texts of a column, if they are not in the chunk.
    pub(super) fn texts_here(&self, column: usize) -> Option<&Texts> {
        self.texts[column].as_ref()
    }

    /// A row, to be written again.
    pub(crate) fn numbers(&self, row: usize) -> Numbers {
        Numbers {
            time: self.time.at(row),
            link: self.link.at(row),
            visitor: self.visitor.at(row),
            interval: self.interval.at(row),
            coherent: self.coherent.at(row) == 1,
        }
    }

    /// The texts of a row.
    #[cfg(test)]
    pub(crate) fn texts_of(&self, row: usize) -> crate::engine::write::draft::RowTexts<'_> {
        crate::engine::write::draft::RowTexts(std::array::from_fn(|column| self.text(column, row)))
    }

    /// Of a family, the entry that each row has.
    pub(crate) fn codes(&self, family: Family) -> &Values<u32> {
        let codes = self.codes[family.index()].as_ref();
        codes.expect("the column was asked for")
    }

    /// The most entries of a family that the rows can have.
    pub(crate) fn entries(&self, family: Family) -> usize {
        let largest = || self.codes(family).largest();
        let entries = || largest().map_or(0, |entry| index(entry) + 1);
        self.most[family.index()].unwrap_or_else(entries)
    }

    /// The texts of the column at a place of [`TEXTS`].
    pub(crate) fn texts(&self, column: usize) -> &Texts {
        let texts = self.texts[column].as_ref();
        texts.expect("the column was asked for")
    }

    /// The text of one row.
    pub(crate) fn text(&self, column: usize, row: usize) -> &str {
        let entry = self.codes(TEXTS[column].family).at(row);
        self.texts(column).get(entry)
    }

    /// Leaves some rows.
    pub(crate) fn keep(&mut self, rows: &Selection) {
        self.rows = rows.count(self.rows);
        self.time.keep(rows);
        self.interval.keep(rows);
        self.coherent.keep(rows);
        self.link.keep(rows);
        self.visitor.keep(rows);
        debug_assert!(
            self.counts.iter().all(Option::is_none),
            "counts are of all rows"
        );
        for codes in self.codes.iter_mut().flatten() {
            codes.keep(rows);
        }
        if *rows != Selection::All {
            self.target_ends = None;
        }
    }

    /// Reads some rows of a column of a chunk, unless they were read before.
    pub(crate) fn load(
        &mut self,
        chunk: &Chunk<'_>,
        column: Column,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        let read_before = match column {
            Column::Time => !self.time.are_missing(),
            Column::Visitor => !self.visitor.are_missing(),
            Column::Interval
            | Column::Coherent
            | Column::Link
            | Column::Text(_)
            | Column::Different(_)
            | Column::Entries(_) => false,
        };
        match column {
            _ if read_before => {}
            Column::Time => {
                let first = chunk.directory.span.min_ts;
                let times: Values<u32> = chunk.rows("ts", rows)?;
                let past_the_end = first.checked_add(u32::MAX.into()).is_none();
                if past_the_end {
                    return Err(chunk.damaged(ChunkError::Value { column: "ts" }));
                }
                self.time = times.map(|offset| first + i64::from(offset));
            }
            Column::Interval => self.interval = chunk.rows("si", rows)?,
            Column::Coherent => self.coherent = chunk.rows("coh", rows)?,
            Column::Visitor => self.visitor = chunk.rows("visitor", rows)?,
            Column::Link => self.link = chunk.links()?.of_rows(rows),
            Column::Text(text) => {
                self.load_codes(chunk, TEXTS[text].family, rows)?;
                self.load_texts(chunk, text)?;
            }
            Column::Different(text) if *rows == Selection::All => {
                if self.texts[text].is_none() {
                    self.texts[text] = Some(chunk.texts(text)?);
                }
            }
            Column::Different(text) => self.load(chunk, Column::Text(text), rows)?,
            Column::Entries(text) => {
                let family = TEXTS[text].family;
                if self.texts[text].is_some() {
                    return self.load_codes(chunk, family, rows);
                }
                if !self.load_counts(chunk, family, rows)? {
                    self.load_codes(chunk, family, rows)?;
                }
                if self.keys(family).is_some() {
                    return Ok(());
                }
                let few = self.few[family.index()].is_some() || self.has_few(family);
                if few || !chunk.are_keys_cheaper(text) {
                    return self.load_texts(chunk, text);
                }
                let keys = chunk.keys(family, self.entries(family))?;
                self.keys[family.index()] = Some(keys);
            }
        }
        Ok(())
    }

    /// Counts the rows of each entry of a family, if all rows are asked for and each
    /// stands for as many visits.
    fn load_counts(
        &mut self,
        chunk: &Chunk<'_>,
        family: Family,
        rows: &Selection,
    ) -> Result<bool, EngineError> {
        let (name, entries) = (family.name(), chunk.count(family.keys()));
        let is_read = self.codes[family.index()].is_some();
        let has_counts = entries > 0 && chunk.count(name) > 0;
        // Rows of targets are known without their numbers.
        if is_read || *rows != Selection::All || family == Family::Target || !has_counts {
            return Ok(false);
        }
        self.interval = chunk.rows("si", rows)?;
        if matches!(self.interval, Values::Each(_)) {
            return Ok(false);
        }
        let codes = chunk.row_numbers(name)?;
        let counts = chunk.with_data(codes, name, |data| {
            let counts = chunk::numbers(name, codes, data)?.counts(entries);
            counts.ok_or(ChunkError::Value { column: name })
        })?;
        self.most[family.index()] = Some(entries);
        self.counts[family.index()] = Some(counts);
        Ok(true)
    }

    /// Reads which entries of a family some rows have.
    pub(crate) fn load_codes(
        &mut self,
        chunk: &Chunk<'_>,
        family: Family,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        if self.codes[family.index()].is_some() {
            return Ok(());
        }
        let codes = match (chunk.directory.numbers(family.name()), family) {
            (None, _) => Values::Same(0),
            (Some(_), Family::Target) => {
                let (targets, ends) = chunk.targets(rows)?;
                self.target_ends = ends;
                targets
            }
            (Some(_), _) => chunk.rows(family.name(), rows)?,
        };
        let entries = codes.largest().map_or(0, |entry| index(entry) + 1);
        // Each is in some row.
        if entries > index(chunk.span().rows) {
            let column = family.name();
            return Err(chunk.damaged(ChunkError::Value { column }));
        }
        self.most[family.index()] = Some(entries);
        self.codes[family.index()] = Some(codes);
        Ok(())
    }

    /// Reads the texts that the rows have in a column.
    fn load_texts(&mut self, chunk: &Chunk<'_>, column: usize) -> Result<(), EngineError> {
        if self.texts[column].is_none() {
            let family = TEXTS[column].family;
            self.leave_few(family);
            self.texts[column] = Some(match &self.few[family.index()] {
                Some(entries) => chunk.some_texts(column, entries)?,
                None => chunk.texts(column)?,
            });
            self.check(chunk, column)?;
        }
        Ok(())
    }

    /// Numbers the entries of a family anew if far fewer are left than there
    /// were, so that no others' texts are read.
    fn leave_few(&mut self, family: Family) {
        if self.few[family.index()].is_some() || !self.has_few(family) {
            return;
        }
        let Some(codes) = &mut self.codes[family.index()] else {
            return;
        };
        let entries = match codes {
            Values::Same(code) => vec![std::mem::take(code)],
            Values::Each(codes) => {
                let mut entries = codes.clone();
                entries.sort_unstable();
                entries.dedup();
                for code in codes {
                    *code = short(entries.partition_point(|entry| entry < code));
                }
                entries
            }
        };
        self.most[family.index()] = Some(entries.len());
        self.few[family.index()] = Some(entries);
    }

    /// True if most entries of a family cannot be in any row.
    fn has_few(&self, family: Family) -> bool {
        const FEW: usize = 4;
        self.entries(family) / FEW > self.rows
    }

    /// The fingerprints of the entries of a family, if they were read instead of
    /// texts.
    pub(crate) fn keys(&self, family: Family) -> Option<&[u64]> {
        self.keys[family.index()].as_deref()
    }

    /// Refuses entries that have no text. Writers make none.
    fn check(&self, chunk: &Chunk<'_>, column: usize) -> Result<(), EngineError> {
        let entries = self.entries(TEXTS[column].family);
        let texts = self.texts(column);
        if texts.of.is_empty() || entries <= texts.of.len() {
            return Ok(());
        }
        let column = TEXTS[column].name;
        Err(chunk.damaged(ChunkError::Value { column }))
    }
}
