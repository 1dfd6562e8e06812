//! Reading columns of a chunk into a block.

use slugline_analytics::columns::{Family, STORED, TEXTS};

use super::{chunk::Chunk, error::EngineError};
use crate::format::{
    block::{Block, Column},
    chunk::{self, ChunkError},
    derived::sources,
    selection::{Selection, index, short},
    values::Values,
};

impl Block {
    /// Loads all columns that a chunk stores.
    pub(crate) fn whole(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
        let mut block = Self::essential(chunk, &Selection::All)?;
        for text in 0..STORED {
            block.load(chunk, Column::Text(text), &Selection::All)?;
        }
        Ok(block)
    }

    /// Loads the columns of some rows of a chunk without which they are useless.
    pub(crate) fn essential(chunk: &Chunk<'_>, rows: &Selection) -> Result<Self, EngineError> {
        let mut block = Self {
            rows: rows.count(index(chunk.span().rows)),
            ..Self::default()
        };
        for column in [
            Column::Time,
            Column::Interval,
            Column::Coherent,
            Column::Link,
            Column::Visitor,
        ] {
            block.load(chunk, column, rows)?;
        }
        Ok(block)
    }

    /// Loads some rows of a column of a chunk, unless they are loaded already.
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
            Column::Text(text) | Column::Different(text) | Column::Entries(text)
                if TEXTS[text].family.is_derived() =>
            {
                self.load_derived(chunk, TEXTS[text].family, rows)?;
            }
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

    /// Derives the columns of a family that follow from others, for some rows. Their sources are
    /// read into another block: this one may have numbered their entries anew.
    pub(crate) fn load_derived(
        &mut self,
        chunk: &Chunk<'_>,
        derived: Family,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        if self.codes[derived.index()].is_some() {
            return Ok(());
        }
        let mut other = Self {
            rows: self.rows,
            ..Self::default()
        };
        for &source in sources(derived) {
            other.load(chunk, Column::Text(source), rows)?;
        }
        other.derive(derived);
        self.take_derived(derived, other);
        Ok(())
    }

    /// Counts the rows of each entry of a family, if the question needs all rows and each stands
    /// for the same number of visits.
    fn load_counts(
        &mut self,
        chunk: &Chunk<'_>,
        family: Family,
        rows: &Selection,
    ) -> Result<bool, EngineError> {
        let (name, entries) = (family.name(), chunk.count(family.keys()));
        let is_read = self.codes[family.index()].is_some();
        let has_counts = entries > 0 && chunk.count(name) > 0;
        // The rows of targets are known without reading their numbers.
        if is_read || *rows != Selection::All || family == Family::VisitedLink || !has_counts {
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

    /// Loads the entries of a family in some rows.
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
            (Some(_), Family::VisitedLink) => {
                let (targets, ends) = chunk.targets(rows)?;
                self.target_ends = ends;
                targets
            }
            (Some(_), _) => chunk.rows(family.name(), rows)?,
        };
        let entries = codes.largest().map_or(0, |entry| index(entry) + 1);
        // Each entry is in some row.
        if entries > index(chunk.span().rows) {
            let column = family.name();
            return Err(chunk.damaged(ChunkError::Value { column }));
        }
        self.most[family.index()] = Some(entries);
        self.codes[family.index()] = Some(codes);
        Ok(())
    }

    /// Loads the texts of the rows in a column.
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

    /// Renumbers the entries of a family if far fewer are left than before, so that only their
    /// texts are read.
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

    /// Returns whether most entries of a family are in no row.
    fn has_few(&self, family: Family) -> bool {
        const FEW: usize = 4;
        self.entries(family) / FEW > self.rows
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
