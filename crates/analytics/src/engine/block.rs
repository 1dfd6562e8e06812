//! Rows in memory, column by column.

use rusqlite::{Connection, OptionalExtension};

use super::{
    chunk::{self, ChunkError, Directory, Entry, Number, Span},
    columns::{Column, Family, TEXTS},
    dictionary::Dictionary,
    draft::Numbers,
    error::EngineError,
    selection::{Selection, index},
    values::Values,
};

/// Some rows. Columns that were not asked for are empty.
#[derive(Debug, Default)]
pub(super) struct Block {
    pub(super) rows: usize,
    /// Milliseconds since 1970.
    pub(super) time: Values<i64>,
    pub(super) interval: Values<u32>,
    /// 1 where the row says something about the number of visitors.
    pub(super) coherent: Values<u8>,
    pub(super) link: Values<i64>,
    pub(super) visitor: Values<u64>,
    /// Of each family, the entry that each row has.
    pub(super) codes: [Option<Values<u32>>; Family::ALL.len()],
    /// Of each column of texts, those of its family's entries.
    pub(super) texts: [Option<Texts>; TEXTS.len()],
}

/// The texts of one column.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    /// Of each entry of the family, the number of its text; empty where all are
    /// the first one.
    pub(super) of: Vec<u32>,
    pub(super) dictionary: Dictionary,
}

impl Texts {
    /// The number of an entry's text.
    #[inline]
    pub(super) fn number(&self, entry: u32) -> u32 {
        if self.of.is_empty() {
            0
        } else {
            self.of[index(entry)]
        }
    }

    /// The text of an entry.
    pub(super) fn get(&self, entry: u32) -> &str {
        self.dictionary.get(self.number(entry))
    }

    fn unknown(column: usize) -> Self {
        Self {
            of: Vec::new(),
            dictionary: Dictionary::of(TEXTS[column].unknown),
        }
    }
}

impl Block {
    /// All of a chunk.
    pub(super) fn whole(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
        let mut block = Self::essential(chunk)?;
        for text in 0..TEXTS.len() {
            block.load(chunk, Column::Text(text), &Selection::All)?;
        }
        Ok(block)
    }

    /// The columns of a chunk without which its rows say nothing.
    pub(super) fn essential(chunk: &Chunk<'_>) -> Result<Self, EngineError> {
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
    pub(super) fn forget(&mut self, column: usize) {
        self.codes[TEXTS[column].family.index()].get_or_insert(Values::Same(0));
        self.texts[column] = Some(Texts::unknown(column));
    }

    /// A row, to be written again.
    pub(super) fn numbers(&self, row: usize) -> Numbers {
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
    pub(super) fn texts_of(&self, row: usize) -> super::draft::RowTexts<'_> {
        super::draft::RowTexts(std::array::from_fn(|column| self.text(column, row)))
    }

    /// Of a family, the entry that each row has.
    pub(super) fn codes(&self, family: Family) -> &Values<u32> {
        let codes = self.codes[family.index()].as_ref();
        codes.expect("the column was asked for")
    }

    /// The most entries of a family that the rows can have.
    pub(super) fn entries(&self, family: Family) -> usize {
        let largest = self.codes(family).largest();
        largest.map_or(0, |entry| index(entry) + 1)
    }

    /// The texts of the column at a place of [`TEXTS`].
    pub(super) fn texts(&self, column: usize) -> &Texts {
        let texts = self.texts[column].as_ref();
        texts.expect("the column was asked for")
    }

    /// The text of one row.
    pub(super) fn text(&self, column: usize, row: usize) -> &str {
        let entry = self.codes(TEXTS[column].family).at(row);
        self.texts(column).get(entry)
    }

    /// Leaves some rows.
    pub(super) fn keep(&mut self, rows: &Selection) {
        self.rows = rows.count(self.rows);
        self.time.keep(rows);
        self.interval.keep(rows);
        self.coherent.keep(rows);
        self.link.keep(rows);
        self.visitor.keep(rows);
        for codes in self.codes.iter_mut().flatten() {
            codes.keep(rows);
        }
    }

    /// Reads some rows of a column of a chunk, unless they were read before.
    pub(super) fn load(
        &mut self,
        chunk: &Chunk<'_>,
        column: Column,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        let read_before = match column {
            Column::Time => !self.time.are_missing(),
            Column::Visitor => !self.visitor.are_missing(),
            Column::Interval | Column::Coherent | Column::Link | Column::Text(_) => false,
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
        }
        Ok(())
    }

    /// Reads which entries of a family some rows have.
    pub(super) fn load_codes(
        &mut self,
        chunk: &Chunk<'_>,
        family: Family,
        rows: &Selection,
    ) -> Result<(), EngineError> {
        if self.codes[family.index()].is_none() {
            let codes = match chunk.directory.numbers(family.name()) {
                Some(_) => chunk.rows(family.name(), rows)?,
                None => Values::Same(0),
            };
            self.codes[family.index()] = Some(codes);
            for column in family.columns() {
                self.check(chunk, column)?;
            }
        }
        Ok(())
    }

    /// Reads the texts of a column.
    pub(super) fn load_texts(
        &mut self,
        chunk: &Chunk<'_>,
        column: usize,
    ) -> Result<(), EngineError> {
        if self.texts[column].is_none() {
            self.texts[column] = Some(chunk.texts(column)?);
            self.check(chunk, column)?;
        }
        Ok(())
    }

    /// Refuses entries that have no text. Writers make none.
    fn check(&self, chunk: &Chunk<'_>, column: usize) -> Result<(), EngineError> {
        let codes = &self.codes[TEXTS[column].family.index()];
        let (Some(codes), Some(texts)) = (codes, &self.texts[column]) else {
            return Ok(());
        };
        let largest = codes.largest().map_or(0, index);
        if texts.of.is_empty() || largest < texts.of.len() {
            return Ok(());
        }
        let column = TEXTS[column].name;
        Err(chunk.damaged(ChunkError::Value { column }))
    }
}

/// The links of a chunk's rows, in order.
#[derive(Debug, Default)]
pub(super) struct LinkRuns {
    links: Vec<i64>,
    /// The row before which the rows of each end.
    ends: Vec<u32>,
}

impl LinkRuns {
    /// The rows of links that meet a condition.
    pub(super) fn select(&self, meets: impl Fn(i64) -> bool) -> Selection {
        let mut chosen = Vec::new();
        let mut start = 0;
        for (&link, &end) in self.links.iter().zip(&self.ends) {
            if meets(link) {
                chosen.extend(start..end);
            }
            start = end;
        }
        if chosen.len() == index(start) {
            Selection::All
        } else {
            Selection::Rows(chosen)
        }
    }

    pub(super) fn links(&self) -> &[i64] {
        &self.links
    }

    fn of_rows(&self, rows: &Selection) -> Values<i64> {
        if let [only] = self.links[..] {
            return Values::Same(only);
        }
        let runs = self.links.iter().zip(&self.ends);
        Values::Each(match rows {
            Selection::All => {
                let mut each = Vec::new();
                for (&link, &end) in runs {
                    each.resize(index(end), link);
                }
                each
            }
            Selection::Rows(rows) => {
                let mut runs = runs.peekable();
                let link_of = |row: &u32| {
                    while runs.next_if(|(_, end)| *end <= row).is_some() {}
                    runs.peek().map_or(0, |(link, _)| **link)
                };
                rows.iter().map(link_of).collect()
            }
        })
    }
}

/// A chunk in a file.
#[derive(Debug)]
pub(super) struct Chunk<'c> {
    db: &'c Connection,
    pub(super) id: i64,
    directory: Directory,
}

impl<'c> Chunk<'c> {
    /// The columns to select for [`Chunk::read`].
    pub(super) const COLUMNS: &'static str = "id, format, n, min_ts, max_ts, directory";

    /// Reads it from a row that begins with these columns.
    pub(super) fn read(db: &'c Connection, row: &rusqlite::Row<'_>) -> Result<Self, EngineError> {
        let id = row.get(0)?;
        let damaged = |source| EngineError::Chunk { id, source };
        let format: i64 = row.get(1)?;
        if format != i64::from(chunk::FORMAT) {
            return Err(damaged(ChunkError::Format { found: format }));
        }
        let span = Span {
            rows: row.get(2)?,
            min_ts: row.get(3)?,
            max_ts: row.get(4)?,
        };
        let directory = row.get_ref(5)?.as_blob().map_err(rusqlite::Error::from)?;
        let directory = Directory::parse(span, directory).map_err(damaged)?;
        Ok(Self { db, id, directory })
    }

    pub(super) fn span(&self) -> Span {
        self.directory.span
    }

    /// The links of its rows.
    pub(super) fn links(&self) -> Result<LinkRuns, EngineError> {
        let links: Values<u64> = self.all("links")?;
        let ends: Values<u32> = self.all("link_ends")?;
        let count = self.count("links");
        let list = |row| (links.at(row).cast_signed(), ends.at(row));
        let (links, ends): (Vec<i64>, Vec<u32>) = (0..count).map(list).unzip();
        let sound = count == self.count("link_ends")
            && ends.is_sorted()
            && links.is_sorted()
            && ends.last().copied().unwrap_or(0) == self.span().rows;
        if sound {
            Ok(LinkRuns { links, ends })
        } else {
            Err(self.damaged(ChunkError::Value { column: "links" }))
        }
    }

    /// The rows of one link. Most chunks have none, and of those no more is read
    /// than which links they have.
    pub(super) fn rows_of(&self, link: i64) -> Result<Selection, EngineError> {
        let links: Values<u64> = self.all("links")?;
        let place = match &links {
            Values::Same(only) => (only.cast_signed() == link).then_some(0),
            Values::Each(links) => links.binary_search(&link.cast_unsigned()).ok(),
        };
        let Some(place) = place else {
            return Ok(Selection::Rows(Vec::new()));
        };
        if self.count("links") != self.count("link_ends") {
            return Err(self.damaged(ChunkError::Value { column: "links" }));
        }
        let ends: Values<u32> = self.all("link_ends")?;
        let start = place.checked_sub(1).map_or(0, |before| ends.at(before));
        let end = ends.at(place);
        if start <= end && end <= self.span().rows {
            Ok(Selection::Rows((start..end).collect()))
        } else {
            Err(self.damaged(ChunkError::Value { column: "links" }))
        }
    }

    /// The texts of the column at a place of [`TEXTS`].
    fn texts(&self, column: usize) -> Result<Texts, EngineError> {
        let name = TEXTS[column].name;
        let Some(entry) = self.directory.texts(name) else {
            return Ok(Texts::unknown(column));
        };
        let dictionary =
            self.with_data(entry, name, |data| chunk::read_texts(name, entry, data))?;
        let of = match self.directory.numbers(name) {
            Some(_) => {
                let of: Values<u32> = self.all(name)?;
                (0..self.count(name)).map(|entry| of.at(entry)).collect()
            }
            None => Vec::new(),
        };
        let largest = of.iter().max().copied().map_or(0, index);
        if largest < dictionary.len() {
            Ok(Texts { of, dictionary })
        } else {
            Err(self.damaged(ChunkError::Value { column: name }))
        }
    }

    /// Some rows of a column that has a number of each.
    fn rows<T: Number>(
        &self,
        name: &'static str,
        rows: &Selection,
    ) -> Result<Values<T>, EngineError> {
        let expected = index(self.span().rows);
        let found = self.count(name);
        if found == expected {
            self.numbers(name, rows)
        } else {
            let column = name;
            Err(self.damaged(ChunkError::Length {
                column,
                found,
                expected,
            }))
        }
    }

    fn all<T: Number>(&self, name: &'static str) -> Result<Values<T>, EngineError> {
        self.numbers(name, &Selection::All)
    }

    fn numbers<T: Number>(
        &self,
        name: &'static str,
        rows: &Selection,
    ) -> Result<Values<T>, EngineError> {
        let entry = self.directory.numbers(name);
        let entry = entry.ok_or_else(|| self.damaged(ChunkError::Absent { column: name }))?;
        self.with_data(entry, name, |data| {
            chunk::read_numbers(name, entry, data, rows)
        })
    }

    fn count(&self, name: &str) -> usize {
        self.directory.numbers(name).map_or(0, Entry::count)
    }

    /// Hands a column's data over, whether in the directory or in a part.
    fn with_data<T>(
        &self,
        entry: &Entry,
        name: &'static str,
        read: impl FnOnce(&[u8]) -> Result<T, ChunkError>,
    ) -> Result<T, EngineError> {
        if let Some(data) = entry.here() {
            return read(data).map_err(|source| self.damaged(source));
        }
        let part = part_id(self.id, entry.place);
        let found = self
            .db
            .prepare_cached("SELECT data FROM part WHERE id = ?1")?
            .query_row([part], |row| {
                let part = row.get_ref(0)?.as_blob()?;
                Ok(entry.data(self.span(), name, part).and_then(read))
            })
            .optional()?;
        let found = found.unwrap_or(Err(ChunkError::Absent { column: name }));
        found.map_err(|source| self.damaged(source))
    }

    fn damaged(&self, source: ChunkError) -> EngineError {
        EngineError::Chunk {
            id: self.id,
            source,
        }
    }
}

/// The number of a part.
pub(super) fn part_id(chunk: i64, place: u8) -> i64 {
    chunk * 256 + i64::from(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_links_are_found_by_their_runs() {
        let runs = LinkRuns {
            links: vec![2, 5, 9],
            ends: vec![3, 4, 6],
        };
        let rows = |rows: &[u32]| Selection::Rows(rows.to_vec());
        assert_eq!(runs.select(|link| link != 5), rows(&[0, 1, 2, 4, 5]));
        assert_eq!(runs.select(|_| true), Selection::All);
        let all = Values::Each(vec![2, 2, 2, 5, 9, 9]);
        assert_eq!(runs.of_rows(&Selection::All), all);
        assert_eq!(runs.of_rows(&rows(&[1, 3, 5])), Values::Each(vec![2, 5, 9]));
        let one = LinkRuns {
            links: vec![7],
            ends: vec![2],
        };
        assert_eq!(one.of_rows(&Selection::All), Values::Same(7));
    }
}
